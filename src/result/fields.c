#include "result/fields.h"

#include "result/format.h"

/* Thirty thousand years; larger sums of doubles lose seconds. */
#define ELAPSED_MAX_S 1e12

#define AT(member) .at = offsetof(struct result, member)

static json_t *make_run(const void *from, const struct pack_context *context)
{
	const struct result *result = from;

	(void)context;
	return run_facts_pack(&result->run);
}

static int take_run(void *into, json_t *value)
{
	struct result *result = into;

	return run_facts_unpack(&result->run, value);
}

const struct record_field fields_of_result[] = {
	{"command", FIELD_TEXT, AT(command)},
	{"started", FIELD_TEXT, AT(started), .nullable = true},
	{"elapsed_s", FIELD_NUMBER, AT(elapsed_s), .nullable = true,
		.most = ELAPSED_MAX_S},
	{"complete", FIELD_FLAG, AT(complete)},
	{"tool", FIELD_FACTS, AT(tool), .nullable = true},
	{"machine", FIELD_FACTS, AT(machine), .nullable = true},
	{"options", FIELD_FACTS, AT(options), .nullable = true},
	{"run", FIELD_MADE, .nullable = true, .make = make_run,
		.take = take_run, .is = FIELD_FACTS},
	{"cpus", FIELD_CPUS, AT(cpus)},
	{0},
};

const struct record_field fields_of_topology[] = {
	{"hwloc_xml", FIELD_TEXT, AT(hwloc_xml), .nullable = true,
		.lines = true},
	{0},
};

#undef AT
#define AT(member) .at = offsetof(struct matrix, member)

static const char *const better[] = {"lower", "higher", NULL};

const struct record_field fields_of_matrix[] = {
	{"name", FIELD_TEXT, AT(name)},
	{"statistic", FIELD_TEXT, AT(statistic)},
	{"unit", FIELD_TEXT, AT(unit)},
	{"quantity", FIELD_TEXT, AT(quantity), .nullable = true},
	{"better", FIELD_FLAG, AT(higher_is_better), .words = better},
	{"symmetric", FIELD_FLAG, AT(symmetric)},
	{0},
};

const struct record_field fields_of_passes[] = {
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

static const struct record_field mark[] = {
	{"x", FIELD_NUMBER, AT(mark_x), .nullable = true},
	{"text", FIELD_TEXT, AT(mark)},
	{0},
};

static const struct record_type mark_type = {.name = "mark", .fields = mark};

static const struct record_field fit[] = {
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

static const struct record_type fit_type = {
	.name = "fit", .bytes = sizeof(struct curve_fit), .fields = fit};

#define VALUES .count = offsetof(struct curve, n)

static const struct record_field axis_x[] = {
	{"name", FIELD_TEXT, AT(facts.x_name)},
	{"unit", FIELD_TEXT, AT(facts.x_unit), .nullable = true},
	{"kind", FIELD_WORD, AT(facts.x_axis), .nullable = true, .words = axes},
	{"values", FIELD_VALUES, AT(x), VALUES},
	{0},
};

static const struct record_type axis_x_type = {
	.name = "axis_x", .fields = axis_x};

static const struct record_field axis_y[] = {
	{"name", FIELD_TEXT, AT(facts.y_name)},
	{"unit", FIELD_TEXT, AT(facts.y_unit)},
	{"kind", FIELD_WORD, AT(facts.y_axis), .nullable = true, .words = axes},
	{0},
};

static const struct record_type axis_y_type = {
	.name = "axis_y", .fields = axis_y};

const struct record_field fields_of_curve[] = {
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
	{"mark", FIELD_INNER, AT(mark), .nullable = true, .type = &mark_type},
	{"fit", FIELD_BEHIND, AT(fit), .nullable = true, .type = &fit_type},
	{"x", FIELD_INNER, .line = true, .type = &axis_x_type},
	{"y", FIELD_INNER, .line = true, .type = &axis_y_type},
	{"median", FIELD_VALUES, AT(median), VALUES, .line = true},
	{"low", FIELD_VALUES, AT(low), VALUES, .line = true},
	{"high", FIELD_VALUES, AT(high), VALUES, .line = true},
	{"ceiling", FIELD_VALUES, AT(ceiling), VALUES, .nullable = true,
		.line = true},
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

static const struct record_field cache_reported[] = {
	MAYBE("bytes", reported_bytes),
	MAYBE("line_bytes", reported_line_bytes),
	MAYBE("ways", reported_ways),
	{"cpus", FIELD_CPUS, AT(reported_cpus), .nullable = true},
	{0},
};

static const struct record_type cache_reported_type = {
	.name = "cache_reported", .fields = cache_reported};

static const struct record_field cache_rates[] = {
	MAYBE("read", rates[0]),
	MAYBE("write", rates[1]),
	MAYBE("copy", rates[2]),
	MAYBE("triad", rates[3]),
	MAYBE("nt_write", rates[4]),
	MAYBE("nt_copy", rates[5]),
	{0},
};

static const struct record_type cache_rates_type = {
	.name = "cache_rates", .fields = cache_rates};

static const struct record_field cache_verdicts[] = {
	{"size", FIELD_WORD, AT(size_verdict), .words = verdicts},
	{"line", FIELD_WORD, AT(line_verdict), .words = verdicts},
	{"ways", FIELD_WORD, AT(ways_verdict), .words = verdicts},
	{0},
};

static const struct record_type cache_verdicts_type = {
	.name = "cache_verdicts", .fields = cache_verdicts};

const struct record_field fields_of_cache[] = {
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
	{"gib_per_s", FIELD_INNER, .line = true, .type = &cache_rates_type},
	{"reported", FIELD_INNER, .line = true, .type = &cache_reported_type},
	{"verdicts", FIELD_INNER, .line = true, .type = &cache_verdicts_type},
	{"why", FIELD_TEXT, AT(why), .nullable = true, .line = true},
	{0},
};

#undef AT
#define AT(member) .at = offsetof(struct cache_tlb, member)

const struct record_field fields_of_tlb[] = {
	MAYBE("page_bytes", page_bytes),
	MAYBE("least_bytes", least_bytes),
	MAYBE("most_bytes", most_bytes),
	MAYBE("miss_ns", miss_ns),
	MAYBE("miss_clocks", miss_clocks),
	{0},
};
