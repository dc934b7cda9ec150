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
	ROW(fleet_level, TEXT, name, "name", "Its name"),
	ROW_OR_NULL(fleet_level, TEXT, unit, "unit",
		"Unit of the median; null: a share"),
	ROW(fleet_level, FLAG, higher_is_better, "better",
		"Which values are better", .words = compare_better),
	ROW(fleet_level, SIZE, n, "hosts", "Hosts that count and have it"),
	ROW_OR_NULL(fleet_level, NUMBER, median, "median", "Their median"),
	ROW_OR_NULL(fleet_level, NUMBER, spread_pct, "spread_pct",
		"Their scaled median absolute deviation", .unit = "%"),
	ROW_OR_NULL(fleet_level, NUMBER, limit_pct, "limit_pct",
		"A host farther from the median is an outlier; null: none is",
		.unit = "%"),
	{0},
};

static RECORD_TYPE(fleet_level, fleet_level, "What hosts are compared by");

static const struct record_field fleet_reason_rows[] = {
	ROW(fleet_reason, WORD, what, "what",
		"A value is far from the median, or its intervals are wide; "
		"the topology, CPUs, run or settings are not those of most",
		.words = whats),
	ROW(fleet_reason, TEXT, name, "name", "The level or the fact"),
	ROW_OR_NULL(fleet_reason, NUMBER, off_pct, "off_pct",
		"Distance from the median", .unit = "%"),
	ROW(fleet_reason, TEXT, text, "text", "In words"),
	{0},
};

static RECORD_TYPE(fleet_reason, fleet_reason, "Why a host stands out");

static json_t *pack_is_first(
	const void *from, const struct pack_context *context)
{
	const struct fleet_kind *kind = context->up->from;

	return json_boolean(from == kind->hosts);
}

/* Make the values of a host, level by level; null if it has none. */
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
						? 100 * expm1(host->values[k]
									.log -
								level->log_median)
						: host->values[k].value;
		}
		pack_add(&values, pack_rounded(value, context->digits));
	}
	return values;
}

static const struct record_field fleet_host_rows[] = {
	ROW_OR_NULL(
		fleet_host, TEXT, source, "source", "Its file", .bytes = true),
	ROW_OR_NULL(fleet_host, TEXT, hostname, "hostname", "Its name"),
	ROW_MADE(fleet_host, pack_is_first, FLAG, source, "first",
		"The others are compared with it"),
	ROW(fleet_host, FLAG, again, "same_host",
		"Another file is of this host: it does not count"),
	ROW(fleet_host, FLAG, outlier, "outlier", "It stands out"),
	ROW_OR_NULL(fleet_host, NUMBER, distance_pct, "distance_pct",
		"Median change from the first host, without signs",
		.unit = "%"),
	ROW_OR_NULL(fleet_host, NUMBER, change_pct, "change_pct",
		"Median change from the first host", .unit = "%"),
	ROW_MADE(fleet_host, pack_host_values, NUMBER, values, "values",
		"What it has of each level", .depth = FIELD_ROW,
		.nullable = true),
	ROW_MADE(fleet_host, pack_host_values, NUMBER, values, "off_pct",
		"How far each is from the median", .depth = FIELD_ROW,
		.nullable = true, .unit = "%"),
	ROW_LIST(fleet_host, fleet_reason_type, reasons, "reasons",
		"Why it stands out"),
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
	ROW(fleet_difference, TEXT, most, "most", "Its value on most hosts"),
	ROW(fleet_difference, TEXT, value, "value", "Its value on some"),
	ROW_MADE(fleet_difference, pack_difference_files, TEXT, hosts, "files",
		"The files of these", .depth = FIELD_ROW, .nullable = true),
	{0},
};

static RECORD_TYPE(fleet_difference, fleet_difference,
	"A fact that some hosts have otherwise than most");

static const struct record_field fleet_kind_rows[] = {
	ROW_OR_NULL(
		fleet_kind, TEXT, model, "cpu_model", "Model of their CPUs"),
	ROW_OR_NULL(fleet_kind, TEXT, command, "command",
		"Command that measured them"),
	ROW(fleet_kind, TEXT, cpus, "members", "CPUs or nodes of the first"),
	ROW(fleet_kind, SIZE, n_outliers, "outliers", "How many stand out"),
	ROW_LIST(fleet_kind, fleet_level_type, levels, "levels",
		"What they are compared by"),
	ROW_MADE(fleet_kind, pack_ordered_hosts, LIST, hosts, "hosts",
		"The first host, and the others from the nearest",
		.type = &fleet_host_type),
	ROW_LIST(fleet_kind, fleet_difference_type, differences, "differences",
		"Facts that some have otherwise than most"),
	{0},
};

static RECORD_TYPE(
	fleet_kind, fleet_kind, "Hosts that can be compared with each other");

static const struct record_field fleet_unread_rows[] = {
	ROW_OR_NULL(fleet_unread, TEXT, source, "source", "Its name",
		.bytes = true),
	ROW_OR_NULL(fleet_unread, TEXT, reason, "reason", "Why it is no record",
		.bytes = true),
	{0},
};

static RECORD_TYPE(
	fleet_unread, fleet_unread, "A file that c2c cannot read as a record");

static const struct record_field fleet_rows[] = {
	ROW(fleet, LIST, kinds, "kinds", "The reference's kind is the first",
		.count = offsetof(struct fleet, n), .type = &fleet_kind_type),
	ROW_LIST(fleet, fleet_unread_type, unread, "not_read",
		"Files that c2c cannot read as records"),
	{0},
};

RECORD_TYPE(fleet, fleet, "Several files: who stands out, and why");
