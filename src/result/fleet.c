/* The JSON of a fleet. */
#include "result/fleet.h"

#include "result/compare_pack.h"

const char *fleet_what_name(enum fleet_what what)
{
	static const char *const names[] = {
		[FLEET_LEVEL] = "level",
		[FLEET_NOISE] = "noise",
		[FLEET_TOPOLOGY] = "topology",
		[FLEET_CPUS] = "cpus",
		[FLEET_RUN] = "run",
		[FLEET_SETTING] = "setting",
	};

	return names[what];
}

static json_t *pack_fleet_level(const struct fleet_level *level)
{
	return json_pack("{s:s, s:s?, s:s, s:I, s:o, s:o, s:o}", "name",
		level->name, "unit", level->unit, "better",
		level->higher_is_better ? "higher" : "lower", "hosts",
		(json_int_t)level->n, "median", pack_number(level->median),
		"spread_pct", pack_number(level->spread_pct), "limit_pct",
		pack_number(level->limit_pct));
}

/* What a host has of each level: null where it has none. */
static json_t *pack_host_values(
	const struct fleet_kind *kind, const struct fleet_host *host, bool off)
{
	json_t *values = json_array();

	for (size_t i = 0; i < kind->n_levels; i++) {
		const struct fleet_level *level = &kind->levels[i];
		double value = NAN;

		for (size_t k = 0; k < host->n_values; k++) {
			if (host->values[k].level == i)
				value = off ? 100 * expm1(host->values[k].log -
							    level->log_median)
					    : host->values[k].value;
		}
		pack_add(&values, pack_number(value));
	}
	return values;
}

static json_t *pack_fleet_host(const struct fleet_kind *kind,
	const struct fleet_host *host, bool first)
{
	json_t *reasons = json_array();

	for (size_t i = 0; i < host->n_reasons; i++) {
		const struct fleet_reason *reason = &host->reasons[i];

		pack_add(&reasons, json_pack("{s:s, s:s, s:o, s:s}", "what",
					   fleet_what_name(reason->what),
					   "name", reason->name, "off_pct",
					   pack_number(reason->off_pct), "text",
					   reason->text));
	}
	return json_pack("{s:o, s:s?, s:b, s:b, s:b, s:o, s:o, s:o, s:o, s:o}",
		"source", pack_any_text(host->source), "hostname",
		host->hostname, "first", first, "same_host", host->again,
		"outlier", host->outlier, "distance_pct",
		pack_number(host->distance_pct), "change_pct",
		pack_number(host->change_pct), "values",
		pack_host_values(kind, host, false), "off_pct",
		pack_host_values(kind, host, true), "reasons", reasons);
}

static json_t *pack_fleet_difference(const struct fleet_kind *kind,
	const struct fleet_difference *difference)
{
	json_t *hosts = json_array();

	for (size_t i = 0; i < difference->n; i++)
		pack_add(&hosts,
			pack_any_text(
				kind->hosts[difference->hosts[i]].source));
	return json_pack("{s:s, s:s, s:s, s:o}", "what", difference->what,
		"most", difference->most, "value", difference->value, "files",
		hosts);
}

static json_t *pack_fleet_kind(const struct fleet_kind *kind)
{
	json_t *levels = json_array(), *hosts = json_array();
	json_t *differences = json_array();

	for (size_t i = 0; i < kind->n_levels; i++)
		pack_add(&levels, pack_fleet_level(&kind->levels[i]));
	for (size_t i = 0; i < kind->n; i++)
		pack_add(&hosts,
			pack_fleet_host(kind, &kind->hosts[kind->order[i]],
				kind->order[i] == 0));
	for (size_t i = 0; i < kind->n_differences; i++)
		pack_add(&differences,
			pack_fleet_difference(kind, &kind->differences[i]));
	return json_pack("{s:s?, s:s?, s:s, s:I, s:o, s:o, s:o}", "cpu_model",
		kind->model, "command", kind->command, "members", kind->cpus,
		"outliers", (json_int_t)kind->n_outliers, "levels", levels,
		"hosts", hosts, "differences", differences);
}

static json_t *pack_whole_fleet(const struct fleet *fleet)
{
	json_t *kinds = json_array(), *unread = json_array();

	for (size_t i = 0; i < fleet->n; i++)
		pack_add(&kinds, pack_fleet_kind(&fleet->kinds[i]));
	for (size_t i = 0; i < fleet->n_unread; i++)
		pack_add(&unread,
			json_pack("{s:o, s:o}", "source",
				pack_any_text(fleet->unread[i].source),
				"reason",
				pack_any_text(fleet->unread[i].reason)));
	return json_pack("{s:o, s:o}", "kinds", kinds, "not_read", unread);
}

char *fleet_text(
	const struct fleet *fleet, const struct compared_file *files, size_t n)
{
	json_t *others = json_array(), *left_out = json_array();
	size_t at = 1;

	for (size_t i = 1; i < n; i++) {
		json_t *packed = json_incref(files[i].packed);

		if (files[i].unread)
			continue;
		/* Nobody knew it before all were there. */
		if (!files[i].reason)
			json_object_set_new(packed, "outlier",
				json_boolean(
					fleet->kinds[0].hosts[at++].outlier));
		pack_add(files[i].reason ? &left_out : &others, packed);
	}
	return pack_dump(json_pack("{s:s, s:i, s:o, s:o, s:o, s:o, s:o}",
		"format", COMPARISON_FORMAT, "version", FORMAT_VERSION,
		"reference", compare_pack_side(&files[0].side),
		result_is_of_nodes(&files[0].result) ? "nodes" : "cpus",
		format_pack_cpus(result_members(&files[0].result)), "fleet",
		pack_whole_fleet(fleet), "files", others, "not_compared",
		left_out));
}
