#include "result/fields.h"

#include <string.h>

/* Thirty thousand years; larger sums of doubles lose seconds. */
#define ELAPSED_MAX_S 1e12

#define AT(member) .at = offsetof(struct result, member)

const struct json_field fields_of_result[] = {
	{"command", FIELD_TEXT, AT(command)},
	{"started", FIELD_TEXT, AT(started), .nullable = true},
	{"elapsed_s", FIELD_NUMBER, AT(elapsed_s), .nullable = true,
		.most = ELAPSED_MAX_S},
	{"complete", FIELD_FLAG, AT(complete)},
	{"tool", FIELD_FACTS, AT(tool), .nullable = true},
	{"machine", FIELD_FACTS, AT(machine), .nullable = true},
	{"options", FIELD_FACTS, AT(options), .nullable = true},
	{"run", FIELD_RUN, AT(run), .nullable = true},
	{"cpus", FIELD_CPUS, AT(cpus)},
	{0},
};

const struct json_field fields_of_topology[] = {
	{"hwloc_xml", FIELD_TEXT, AT(hwloc_xml), .nullable = true,
		.lines = true},
	{0},
};

#undef AT
#define AT(member) .at = offsetof(struct matrix, member)

static const char *const better[] = {"lower", "higher", NULL};

const struct json_field fields_of_matrix[] = {
	{"name", FIELD_TEXT, AT(name)},
	{"statistic", FIELD_TEXT, AT(statistic)},
	{"unit", FIELD_TEXT, AT(unit)},
	{"quantity", FIELD_TEXT, AT(quantity), .nullable = true},
	{"better", FIELD_FLAG, AT(higher_is_better), .words = better},
	{"symmetric", FIELD_FLAG, AT(symmetric)},
	{0},
};

const struct json_field fields_of_passes[] = {
	{"name", FIELD_TEXT, .at = offsetof(struct passes, name)},
	{"unit", FIELD_TEXT, .at = offsetof(struct passes, unit)},
	{0},
};

#undef AT
#define AT(member) .at = offsetof(struct curve, member)

static const char *const statistics[] = {
	"median", "mean", "ceiling", "theory", NULL};
static const char *const places[] = {"main", "detail", "strip", "bar", NULL};
static const char *const drawn[] = {"line", "row", "grid", NULL};
static const char *const axes[] = {"amounts", "ratios", "counts", "bytes",
	"working_sets", "measured", NULL};

static const struct json_field mark[] = {
	{"x", FIELD_NUMBER, AT(mark_x), .nullable = true},
	{"text", FIELD_TEXT, AT(mark)},
	{0},
};

static const struct json_field fit[] = {
	{"overhead_ns", FIELD_TRIPLE,
		.at = offsetof(struct curve_fit, overhead_ns)},
	{"rate_gib_per_s", FIELD_TRIPLE,
		.at = offsetof(struct curve_fit, rate_gib_per_s)},
	{"half_rate_bytes", FIELD_NUMBER,
		.at = offsetof(struct curve_fit, half_rate_bytes),
		.nullable = true},
	{"worst_error", FIELD_NUMBER,
		.at = offsetof(struct curve_fit, worst_error),
		.nullable = true},
	{0},
};

static const struct json_field axis_x[] = {
	{"name", FIELD_TEXT, AT(facts.x_name)},
	{"unit", FIELD_TEXT, AT(facts.x_unit), .nullable = true},
	{"kind", FIELD_WORD, AT(facts.x_axis), .nullable = true, .words = axes},
	{"values", FIELD_VALUES, AT(x)},
	{0},
};

static const struct json_field axis_y[] = {
	{"name", FIELD_TEXT, AT(facts.y_name)},
	{"unit", FIELD_TEXT, AT(facts.y_unit)},
	{"kind", FIELD_WORD, AT(facts.y_axis), .nullable = true, .words = axes},
	{0},
};

const struct json_field fields_of_curve[] = {
	{"test", FIELD_TEXT, AT(facts.test), .nullable = true},
	{"family", FIELD_TEXT, AT(facts.family)},
	{"member", FIELD_TEXT, AT(facts.member)},
	{"variant", FIELD_TEXT, AT(facts.variant), .nullable = true},
	{"device", FIELD_TEXT, AT(facts.device), .nullable = true},
	{"cpus", FIELD_CPUS, AT(cpus), .nullable = true},
	{"statistic", FIELD_WORD, AT(facts.statistic), .nullable = true,
		.words = statistics},
	{"place", FIELD_WORD, AT(facts.place), .nullable = true,
		.words = places},
	{"drawn", FIELD_WORD, AT(facts.drawn), .nullable = true,
		.words = drawn},
	{"part", FIELD_COUNT, AT(facts.part), .nullable = true,
		.most = CURVE_MOST_PARTS},
	{"mark", FIELD_INNER, AT(mark), .nullable = true, .fields = mark},
	{"fit", FIELD_BEHIND, AT(fit), .nullable = true, .fields = fit,
		.bytes = sizeof(struct curve_fit)},
	{"x", FIELD_INNER, .line = true, .fields = axis_x},
	{"y", FIELD_INNER, .line = true, .fields = axis_y},
	{"median", FIELD_VALUES, AT(median), .line = true},
	{"low", FIELD_VALUES, AT(low), .line = true},
	{"high", FIELD_VALUES, AT(high), .line = true},
	{"ceiling", FIELD_VALUES, AT(ceiling), .nullable = true, .line = true},
	{0},
};

#undef AT
#define AT(member) .at = offsetof(struct cache_level, member)

static const char *const verdicts[] = {
	"unknown", "same", "less", "differs", "hidden", NULL};

/* 2^60 bytes or ways, and far more ns, clocks or GiB/s than any load has. */
#define MOST_OF_CACHES 1152921504606846976.0

/* A number of a cache that may be missing. */
#define MAYBE(key, member)                                                     \
	{                                                                      \
		key, FIELD_NUMBER, AT(member), .nullable = true,               \
					       .most = MOST_OF_CACHES          \
	}

static const struct json_field cache_reported[] = {
	MAYBE("bytes", reported_bytes),
	MAYBE("line_bytes", reported_line_bytes),
	MAYBE("ways", reported_ways),
	{"cpus", FIELD_CPUS, AT(reported_cpus), .nullable = true},
	{0},
};

static const struct json_field cache_rates[] = {
	MAYBE("read", rates[0]),
	MAYBE("write", rates[1]),
	MAYBE("copy", rates[2]),
	MAYBE("triad", rates[3]),
	MAYBE("nt_write", rates[4]),
	MAYBE("nt_copy", rates[5]),
	{0},
};

static const struct json_field cache_verdicts[] = {
	{"size", FIELD_WORD, AT(size_verdict), .words = verdicts},
	{"line", FIELD_WORD, AT(line_verdict), .words = verdicts},
	{"ways", FIELD_WORD, AT(ways_verdict), .words = verdicts},
	{0},
};

const struct json_field fields_of_cache[] = {
	{"name", FIELD_TEXT, AT(name)},
	{"level", FIELD_COUNT, AT(level), .most = 100},
	{"memory", FIELD_FLAG, AT(memory)},
	{"cpus", FIELD_CPUS, AT(cpus), .nullable = true},
	{"cpus_why", FIELD_TEXT, AT(cpus_why), .nullable = true},
	MAYBE("least_bytes", least_bytes),
	MAYBE("most_bytes", most_bytes),
	MAYBE("line_bytes", line_bytes),
	MAYBE("ways", ways),
	MAYBE("ns", ns),
	MAYBE("clocks", clocks),
	MAYBE("fastest_clocks", fastest_clocks),
	{"gib_per_s", FIELD_INNER, .line = true, .fields = cache_rates},
	{"reported", FIELD_INNER, .line = true, .fields = cache_reported},
	{"verdicts", FIELD_INNER, .line = true, .fields = cache_verdicts},
	{"why", FIELD_TEXT, AT(why), .nullable = true, .line = true},
	{0},
};

#undef AT
#define AT(member) .at = offsetof(struct cache_tlb, member)

const struct json_field fields_of_tlb[] = {
	MAYBE("page_bytes", page_bytes),
	MAYBE("least_bytes", least_bytes),
	MAYBE("most_bytes", most_bytes),
	MAYBE("miss_ns", miss_ns),
	MAYBE("miss_clocks", miss_clocks),
	{0},
};

json_t *field_pack(const struct json_field *field, const void *from)
{
	const void *at = (const char *)from + field->at;
	const char *const *words = field->words;
	const double *three = at;
	const char *text;
	int64_t count;
	int state;

	switch (field->kind) {
	case FIELD_TEXT:
		text = *(char *const *)at;
		return text ? json_string(text) : json_null();
	case FIELD_FLAG:
		return words ? json_string(words[*(const bool *)at])
			     : json_boolean(*(const bool *)at);
	case FIELD_NUMBER:
		return format_real(*three);
	case FIELD_COUNT:
		return json_integer(*(const unsigned *)at);
	case FIELD_INT64:
		count = *(const int64_t *)at;
		return count < 0 ? json_null() : json_integer(count);
	case FIELD_SWITCH:
		state = *(const int *)at;
		return state < 0 ? json_null() : json_boolean(state);
	case FIELD_WORD:
		return json_string(words[*(const unsigned *)at]);
	case FIELD_CPUS:
		return format_pack_cpus(at);
	case FIELD_FACTS:
		return facts_pack(at);
	case FIELD_RUN:
		return run_facts_pack(at);
	case FIELD_TRIPLE:
		return json_pack("[o, o, o]", format_real(three[0]),
			format_real(three[1]), format_real(three[2]));
	default:
		return NULL;
	}
}
