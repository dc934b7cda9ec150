/* The JSON of a fleet. */
#include "result/fleet.h"

#include <math.h>

#include "record/pack.h"

static const char *const whats[] = {
	[FLEET_LEVEL] = "level",
	[FLEET_NOISE] = "noise",
	[FLEET_TOPOLOGY] = "topology",
	[FLEET_CPUS] = "cpus",
	[FLEET_RUN] = "run",
	[FLEET_SETTING] = "setting",
	NULL,
};

static const struct record_field fleet_level_rows[] = {
	ROW(fleet_level, TEXT, name, "name",
		"Name of the compared level or value"),
	ROW_OR_NULL(fleet_level, TEXT, unit, "unit",
		"Unit of the median; null if the median is a share"),
	ROW(fleet_level, FLAG, higher_is_better, "better",
		"Whether lower or higher values are better",
		.words = compare_better),
	ROW(fleet_level, SIZE, n, "hosts",
		"Number of different hosts with this level or value"),
	ROW_OR_NULL(
		fleet_level, NUMBER, median, "median", "Median over the hosts"),
	ROW_OR_NULL(fleet_level, NUMBER, spread_pct, "spread_pct",
		"Scaled median absolute deviation over the hosts", .unit = "%"),
	ROW_OR_NULL(fleet_level, NUMBER, limit_pct, "limit_pct",
		"Distance from the median above which a host is an outlier; "
		"null if c2c finds no outliers",
		.unit = "%"),
	{0},
};

static RECORD_TYPE(fleet_level, fleet_level,
	"A level or value by which c2c compares hosts");

static const struct record_field fleet_reason_rows[] = {
	ROW(fleet_reason, WORD, what, "what",
		"Kind of difference from most hosts: a value (level), wide "
		"intervals (noise), the topology, CPUs, run or a setting",
		.words = whats),
	ROW(fleet_reason, TEXT, name, "name", "Name of the level or the fact"),
	ROW_OR_NULL(fleet_reason, NUMBER, off_pct, "off_pct",
		"Distance of the host's value from the median", .unit = "%"),
	ROW(fleet_reason, TEXT, text, "text", "Sentence with the reason"),
	{0},
};

static RECORD_TYPE(fleet_reason, fleet_reason, "Why a host is an outlier");

double fleet_off_pct(
	const struct fleet_level *level, const struct fleet_value *value)
{
	return 100 * expm1(value->log - level->log_median);
}

static json_t *pack_is_first(
	const void *from, const struct pack_context *context)
{
	const struct fleet_kind *kind = context->up->from;

	return json_boolean(from == kind->hosts);
}

/* Make the value of a host at each level, or null. */
static json_t *pack_host_values(
	const void *from, const struct pack_context *context)
{
	const struct fleet_kind *kind = context->up->from;
	const struct fleet_host *host = from;
	json_t *values = json_array();

	for (size_t i = 0; i < kind->n_levels; i++) {
		const struct fleet_level *level = &kind->levels[i];
		double value = NAN;

		for (size_t k = 0; k < host->n_values; k++) {
			if (host->values[k].level == i)
				value = context->field->unit
						? fleet_off_pct(level,
							  &host->values[k])
						: host->values[k].value;
		}
		pack_add(&values, pack_rounded(value, context->digits));
	}
	return values;
}

static const struct record_field fleet_host_rows[] = {
	ROW_OR_NULL(fleet_host, TEXT, source, "source",
		"Name of the host's file", .bytes = true),
	ROW_OR_NULL(fleet_host, TEXT, hostname, "hostname", "Name of the host"),
	ROW_MADE(fleet_host, pack_is_first, FLAG, source, "first",
		"Whether c2c compares the other hosts with this host"),
	ROW(fleet_host, FLAG, again, "same_host",
		"Whether an earlier file comes from the same host, so that c2c "
		"ignores this file"),
	ROW(fleet_host, FLAG, outlier, "outlier",
		"Whether the host is an outlier"),
	ROW_OR_NULL(fleet_host, NUMBER, distance_pct, "distance_pct",
		"Median absolute change relative to the first host",
		.unit = "%"),
	ROW_OR_NULL(fleet_host, NUMBER, change_pct, "change_pct",
		"Median change relative to the first host", .unit = "%"),
	ROW_MADE(fleet_host, pack_host_values, NUMBER, values, "values",
		"Value of the host at each level", .depth = FIELD_ROW,
		.nullable = true),
	ROW_MADE(fleet_host, pack_host_values, NUMBER, values, "off_pct",
		"Distance of each value of the host from the median",
		.depth = FIELD_ROW, .nullable = true, .unit = "%"),
	ROW_LIST(fleet_host, fleet_reason_type, reasons, "reasons",
		"Reasons why the host is an outlier"),
	{0},
};

static RECORD_TYPE(fleet_host, fleet_host, "A host of a fleet");

static json_t *pack_ordered_hosts(
	const void *from, const struct pack_context *context)
{
	const struct fleet_kind *kind = from;
	json_t *hosts = json_array();

	for (size_t i = 0; i < kind->n; i++)
		pack_add(
			&hosts, pack_struct(context->field->type,
					&kind->hosts[kind->order[i]], context));
	return hosts;
}

static json_t *pack_difference_files(
	const void *from, const struct pack_context *context)
{
	const struct fleet_difference *difference = from;
	const struct fleet_kind *kind = context->up->from;
	json_t *files = json_array();

	for (size_t i = 0; i < difference->n; i++)
		pack_add(&files,
			pack_any_text(
				kind->hosts[difference->hosts[i]].source));
	return files;
}

static const struct record_field fleet_difference_rows[] = {
	ROW(fleet_difference, TEXT, what, "what", "Key of the fact"),
	ROW(fleet_difference, TEXT, most, "most", "Value on most hosts"),
	ROW(fleet_difference, TEXT, value, "value",
		"Value on the differing hosts"),
	ROW_MADE(fleet_difference, pack_difference_files, TEXT, hosts, "files",
		"Files of the differing hosts", .depth = FIELD_ROW,
		.nullable = true),
	{0},
};

static RECORD_TYPE(fleet_difference, fleet_difference,
	"A fact whose value differs between hosts");

static const struct record_field fleet_kind_rows[] = {
	ROW_OR_NULL(fleet_kind, TEXT, model, "cpu_model",
		"CPU model of these hosts"),
	ROW_OR_NULL(fleet_kind, TEXT, command, "command",
		"Command of c2c that measured the hosts"),
	ROW(fleet_kind, TEXT, cpus, "members",
		"CPUs or nodes of the first host"),
	ROW(fleet_kind, SIZE, n_outliers, "outliers", "Number of outliers"),
	ROW_LIST(fleet_kind, fleet_level_type, levels, "levels",
		"Levels and values by which c2c compares the hosts"),
	ROW_MADE(fleet_kind, pack_ordered_hosts, LIST, hosts, "hosts",
		"The first host, then the others, from the most similar",
		.type = &fleet_host_type),
	ROW_LIST(fleet_kind, fleet_difference_type, differences, "differences",
		"Facts whose values differ between hosts"),
	{0},
};

static RECORD_TYPE(
	fleet_kind, fleet_kind, "Hosts that can be compared with each other");

static const struct record_field fleet_unread_rows[] = {
	ROW_OR_NULL(fleet_unread, TEXT, source, "source", "Name of the file",
		.bytes = true),
	ROW_OR_NULL(fleet_unread, TEXT, reason, "reason",
		"Reason why c2c cannot read the file", .bytes = true),
	{0},
};

static RECORD_TYPE(
	fleet_unread, fleet_unread, "A file that c2c cannot read as a record");

static const struct record_field fleet_rows[] = {
	ROW(fleet, LIST, kinds, "kinds",
		"Kinds of hosts; the first kind contains the reference",
		.count = offsetof(struct fleet, n), .type = &fleet_kind_type),
	ROW_LIST(fleet, fleet_unread_type, unread, "not_read",
		"Files that c2c cannot read as records"),
	{0},
};

RECORD_TYPE(fleet, fleet, "Outliers among several files");
