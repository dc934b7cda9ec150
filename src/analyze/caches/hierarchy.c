#include "analyze/caches/hierarchy.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze/caches/cache_plateaus.h"
#include "stat/stat.h"
#include "util/text.h"

/* Largest factor between the reported size and the interval: one step. */
#define SIZE_SLACK 1.2

/* Largest latency ratio between pointer chases that hit the same cache. */
#define WAYS_SLOWER 1.3

/*
 * A level's values are from working sets well inside it: at most this share of
 * its size, and at least the previous level's size divided by this share.
 */
#define WELL_WITHIN 0.75

/* Least reach of a TLB, in pages. A TLB with less caches pages of a host. */
#define LEAST_PAGES 8

/*
 * Least latency of memory, in ns. It is QUICK_MEMORY_NS if working sets reach
 * BEYOND_CACHES times the largest cache that the system reports.
 */
#define MEMORY_NS	60
#define QUICK_MEMORY_NS 30
#define BEYOND_CACHES	4

/*
 * Largest number of clocks of a load from L1, and bounds of the size of L1. A
 * plateau that begins at or below LEAST_L1_BYTES is L1.
 */
#define L1_CLOCKS      9
#define LEAST_L1_BYTES 16384
#define MOST_L1_BYTES  262144

/* Least ratio of the largest to the smallest size of a plateau. */
#define PLATEAU_SPAN 1.9

#define TOO_FEW_PASSES                                                         \
	"not measured well enough: fewer than six passes at the sizes where "  \
	"the level ends (--passes 6)"

/* Measured curves, the system's report, and the result to fill. */
struct hierarchy_inference {
	const struct hierarchy_curves *curves;
	const struct curve *unit;      /* curve in clocks, else in ns */
	const struct machine *machine; /* NULL: no report */
	unsigned cpu;
	struct cache_findings found;
	double least_bytes, most_bytes; /* smallest and largest working set */
	double ns_per_unit;
	struct result *result;
	struct error *err;
};

/* Get the system's report of a level; return false if it has no report. */
static bool reported_cache(const struct hierarchy_inference *inference,
	unsigned level, struct machine_cpu_cache *reported)
{
	return inference->machine && machine_cpu_cache(inference->machine,
					     inference->cpu, level, reported);
}

/* Return the value of a curve at a level: the middle of its plateau. */
static double level_curve_value(const struct hierarchy_inference *inference,
	size_t i, const struct curve *curve)
{
	const struct cache_plateau *level = &inference->found.levels[i];
	double least = i ? level[-1].most_bytes / WELL_WITHIN : 0;
	double most = isnan(level->most_bytes)
			      ? INFINITY
			      : level->least_bytes * WELL_WITHIN;
	size_t first = 0, end, at;

	if (!curve)
		return NAN;
	while (first < curve->n && curve->x[first] < least)
		first++;
	for (end = first; end < curve->n && curve->x[end] <= most;)
		end++;
	if (end == first)
		return NAN;
	/* Use the largest working set for memory. */
	at = isnan(level->least_bytes) ? end - 1 : (first + end) / 2;
	while (at > first && isnan(curve->median[at]))
		at--;
	while (at + 1 < end && isnan(curve->median[at]))
		at++;
	return curve->median[at];
}

/*
 * Return the latency of a level. If no size is well inside the level, use the
 * first size on its plateau.
 */
static double level_latency(const struct hierarchy_inference *inference,
	size_t i, const struct curve *curve)
{
	const struct cache_plateau *level = &inference->found.levels[i];
	double value = level_curve_value(inference, i, curve);
	size_t at = level->first;

	/* The last point of a plateau always has a value. */
	while (isnan(value) && at < curve->n)
		value = curve->median[at++];
	return value;
}

static enum cache_verdict compare_reported_value(
	double measured, double reported)
{
	if (isnan(reported))
		return CACHE_HIDDEN;
	if (isnan(measured))
		return CACHE_UNKNOWN;
	return measured == reported ? CACHE_SAME : CACHE_DIFFERS;
}

static enum cache_verdict compare_reported_size(const struct cache_level *level)
{
	if (isnan(level->reported_bytes))
		return CACHE_HIDDEN;
	if (level->reported_bytes < level->least_bytes / SIZE_SLACK)
		return CACHE_DIFFERS;
	if (isnan(level->most_bytes))
		return CACHE_UNKNOWN;
	return level->reported_bytes > level->most_bytes * SIZE_SLACK
		       ? CACHE_LESS
		       : CACHE_SAME;
}

static double known_or_nan(double value)
{
	return value > 0 ? value : NAN;
}

/* Add the reported values of a level, and compare them with measured values. */
static int add_reported_cache(
	const struct hierarchy_inference *inference, struct cache_level *level)
{
	struct machine_cpu_cache reported;

	if (reported_cache(inference, level->level, &reported)) {
		level->reported_bytes = known_or_nan((double)reported.bytes);
		level->reported_line_bytes = known_or_nan(reported.line_bytes);
		level->reported_ways = known_or_nan(reported.ways);
		if (machine_cache_cpus(inference->machine, inference->cpu,
			    level->level, &level->reported_cpus,
			    inference->err) < 0)
			return -ENOMEM;
	}
	level->size_verdict = compare_reported_size(level);
	level->line_verdict = compare_reported_value(
		level->line_bytes, level->reported_line_bytes);
	level->ways_verdict =
		compare_reported_value(level->ways, level->reported_ways);
	return 0;
}

static struct cache_level *append_cache_level(
	const struct hierarchy_inference *inference, unsigned number,
	bool memory)
{
	struct cache_level *level;
	char name[16];

	snprintf(name, sizeof(name), number == 1 ? "L1d" : "L%u", number);
	level = result_add_cache(inference->result, memory ? "memory" : name);
	if (!level) {
		error_no_memory(inference->err, "the levels");
		return NULL;
	}
	level->level = number;
	level->memory = memory;
	return level;
}

static void append_difference_text(struct text_list *why, const char *what,
	double measured, double reported, enum cache_verdict verdict)
{
	if (verdict == CACHE_DIFFERS)
		text_list_add(why, "; ",
			"%s: measured %.0f, the system says %.0f", what,
			measured, reported);
}

static bool lacks_rates(const struct hierarchy_inference *inference,
	const struct cache_level *level)
{
	for (int access = 0; access < CACHE_RATES; access++) {
		if (inference->curves->rates[access] &&
			isnan(level->rates[access]))
			return true;
	}
	return false;
}

/*
 * Whether the lines for measuring the ways of L2 miss the TLB. If they do, even
 * a few of them, which fit L1, are slower than the lines for L1. The pages are
 * then small (for example the host's pages under a guest's huge pages), and
 * nothing shows which lines share a set of L2.
 */
static bool ways_miss_tlb(const struct hierarchy_curves *curves)
{
	const struct curve *near = curves->ways[0], *far = curves->ways[1];

	for (size_t i = 0; near && far && i < near->n && i < far->n; i++) {
		if (near->median[i] > WAYS_SLOWER * near->median[0])
			return false;
		if (far->median[i] > WAYS_SLOWER * near->median[i])
			return true;
	}
	return false;
}

/* Explain lines and ways that are missing or differ from the report. */
static void explain_lines(const struct hierarchy_inference *inference, size_t i,
	const struct cache_level *level, struct text_list *why)
{
	const struct hierarchy_curves *curves = inference->curves;

	if (isnan(level->line_bytes) && level->level == 1)
		text_list_add(why, "; ",
			curves->line ? "line: not found"
				     : "line: not measured");
	if (isnan(level->ways) && level->level <= HIERARCHY_WAYS)
		text_list_add(why, "; ",
			!curves->ways[level->level - 1] ? "ways: not measured"
			: i + 1 >= inference->found.n
				? "ways: no working set shows how long a miss "
				  "takes (--sizes)"
			: level->level > 1 && ways_miss_tlb(curves)
				? "ways: lines far apart miss the TLB, as if "
				  "the pages were not huge ones"
				: "ways: the latency has no step between two "
				  "numbers of lines");
	append_difference_text(why, "line", level->line_bytes,
		level->reported_line_bytes, level->line_verdict);
	append_difference_text(why, "ways", level->ways, level->reported_ways,
		level->ways_verdict);
}

/*
 * Whether the system reports that the cache belongs to one core. A reported L3
 * does not count: a one-core virtual machine sees an L3 that the host shares.
 */
static bool is_of_one_core(const struct hierarchy_inference *inference,
	const struct cache_level *level)
{
	const struct cpu_list *reported = &level->reported_cpus;

	for (size_t i = 0; i < reported->n; i++) {
		const char *shared = machine_shared_by(
			inference->machine, inference->cpu, reported->cpus[i]);

		if (reported->cpus[i] != inference->cpu &&
			!text_same(shared, "Core"))
			return false;
	}
	return reported->n > 0 && level->level <= 2;
}

/* Explain why values are missing, or differ from the report. */
static int explain_level(const struct hierarchy_inference *inference, size_t i,
	struct cache_level *level)
{
	struct text_list why = {.text = NULL};

	if (level->size_verdict == CACHE_LESS)
		text_list_add(&why, "; ",
			is_of_one_core(inference, level)
				? "no pass was fast up to the reported size"
				: "other programs may have used the rest of "
				  "the reported size");
	if (isnan(level->most_bytes) && !level->memory)
		text_list_add(&why, "; ",
			"size: unknown, because the largest working set still "
			"fits the cache");
	if (cache_level_is_disturbed(level, inference->result->run.passes))
		text_list_add(&why, "; ",
			"* fastest pass; the median is %.3g clocks, because "
			"other programs used the cache",
			level->clocks);
	if (lacks_rates(inference, level))
		text_list_add(&why, "; ",
			"rates: no working set well below its size has a "
			"value");
	if (!level->memory)
		explain_lines(inference, i, level, &why);
	level->why = text_list_end(&why);
	return level->why ? 0 : error_no_memory(inference->err, "the levels");
}

/* Find the line size, only for L1, and the ways. */
static void find_line_and_ways(const struct hierarchy_inference *inference,
	size_t i, struct cache_level *level)
{
	const struct hierarchy_curves *curves = inference->curves;
	const struct cache_plateau *at = &inference->found.levels[i];
	const struct curve *ways = level->level <= HIERARCHY_WAYS
					   ? curves->ways[level->level - 1]
					   : NULL;

	if (curves->line && level->level == 1)
		level->line_bytes = cache_plateaus_line_size(
			curves->line->x, curves->line->median, curves->line->n);
	if (level->level > 1 && ways_miss_tlb(curves))
		return;
	if (ways && i + 1 < inference->found.n)
		level->ways = cache_plateaus_ways(ways->x, ways->median,
			ways->n, at->ns * inference->ns_per_unit,
			at[1].ns * inference->ns_per_unit);
}

/*
 * Whether enough passes measured both ends of plateau i, or its first size if
 * the plateau has no visible end. Not all passes measure the large working sets
 * where memory begins.
 */
static bool has_enough_passes(
	const struct hierarchy_inference *inference, size_t i, bool memory)
{
	const struct cache_plateau *at = &inference->found.levels[i];
	const struct curve *unit = inference->unit;
	double first = unit->x[at->first];
	double least = isnan(at->least_bytes) ? first : at->least_bytes;
	double most = isnan(at->most_bytes) ? first : at->most_bytes;

	if (inference->result->run.passes < STAT_CI95_LEAST)
		return false;
	for (size_t k = 0; k < unit->n && !memory; k++) {
		if ((unit->x[k] == least || unit->x[k] == most) &&
			isnan(unit->low[k]))
			return false;
	}
	return true;
}

static int add_measured_level(const struct hierarchy_inference *inference,
	size_t i, unsigned number, bool memory)
{
	const struct hierarchy_curves *curves = inference->curves;
	const struct cache_plateau *at = &inference->found.levels[i];
	struct cache_level *level =
		append_cache_level(inference, number, memory);

	if (!level)
		return -ENOMEM;
	if (!has_enough_passes(inference, i, memory)) {
		level->why = strdup(TOO_FEW_PASSES);
		if (!level->why)
			return error_no_memory(inference->err, "the levels");
		return memory ? 0 : add_reported_cache(inference, level);
	}
	level->least_bytes = at->least_bytes;
	level->most_bytes = at->most_bytes;
	level->ns = level_latency(inference, i, curves->ns);
	if (curves->clocks) {
		level->clocks = level_latency(inference, i, curves->clocks);
		level->fastest_clocks = at->ns;
	}
	for (int access = 0; access < CACHE_RATES; access++)
		level->rates[access] =
			level_curve_value(inference, i, curves->rates[access]);
	if (memory)
		return lacks_rates(inference, level)
			       ? explain_level(inference, i, level)
			       : 0;
	find_line_and_ways(inference, i, level);
	return add_reported_cache(inference, level) < 0
		       ? -ENOMEM
		       : explain_level(inference, i, level);
}

/*
 * Return why a level of this size is missing from the curve before plateau i.
 */
static const char *why_unseen(
	const struct hierarchy_inference *inference, double bytes, size_t i)
{
	if (inference->most_bytes < PLATEAU_SPAN * inference->least_bytes)
		return "the working sets do not span a doubling (--sizes)";
	if (i == 0 && (isnan(bytes) || bytes < inference->least_bytes))
		return "the cache is smaller than all working sets (--sizes)";
	if (i == 0 && bytes < PLATEAU_SPAN * inference->least_bytes)
		return "too few working sets fit the cache (--sizes)";
	if (i == inference->found.n && bytes > inference->most_bytes)
		return "the cache is larger than all working sets (--sizes)";
	return "cannot tell: the latency has no plateau between the previous "
	       "and the next level";
}

/* Add a level that the curve does not show before plateau i. */
static int add_unseen_level(
	const struct hierarchy_inference *inference, unsigned number, size_t i)
{
	struct cache_level *level =
		append_cache_level(inference, number, false);

	if (!level || add_reported_cache(inference, level) < 0)
		return -ENOMEM;
	level->why = strdup(why_unseen(inference, level->reported_bytes, i));
	return level->why ? 0 : error_no_memory(inference->err, "the levels");
}

static bool takes_at_least(
	const struct hierarchy_inference *inference, size_t i, double ns)
{
	return inference->found.levels[i].ns * inference->ns_per_unit >= ns;
}

/*
 * End at the first plateau of memory. Later plateaus are also memory, with page
 * tables that do not fit a cache.
 */
static void end_at_memory(struct hierarchy_inference *inference)
{
	for (size_t i = 0; i + 1 < inference->found.n; i++) {
		if (!takes_at_least(inference, i, MEMORY_NS))
			continue;
		inference->found.n = i + 1;
		inference->found.levels[i].least_bytes = NAN;
		inference->found.levels[i].most_bytes = NAN;
	}
}

/* Whether plateau i, the last one, is memory. */
static bool is_memory_plateau(
	const struct hierarchy_inference *inference, size_t i)
{
	struct machine_cpu_cache reported;
	double largest = 0;

	if (i + 1 < inference->found.n ||
		!isnan(inference->found.levels[i].least_bytes))
		return false;
	for (unsigned level = 1; reported_cache(inference, level, &reported);
		level++)
		largest = fmax(largest, (double)reported.bytes);
	return takes_at_least(inference, i, MEMORY_NS) ||
	       (takes_at_least(inference, i, QUICK_MEMORY_NS) && largest > 0 &&
		       inference->most_bytes >= BEYOND_CACHES * largest);
}

/*
 * Whether plateau i can be the level with this number. If it begins at or above
 * the level's reported size, it is a later level. If the system reports a later
 * level, the whole plateau must be below the reported size.
 */
static bool can_be_level(
	const struct hierarchy_inference *inference, size_t i, unsigned number)
{
	const struct cache_plateau *level = &inference->found.levels[i];
	double from = inference->unit->x[level->first];
	struct machine_cpu_cache reported, next;

	if (number == 1 && from <= LEAST_L1_BYTES)
		return true;
	if (number == 1 && inference->curves->clocks)
		return level->ns <= L1_CLOCKS;
	if (reported_cache(inference, number, &reported) && reported.bytes)
		return from * (reported_cache(inference, number + 1, &next)
					      ? PLATEAU_SPAN
					      : 1) <=
		       SIZE_SLACK * (double)reported.bytes;
	return number > 1 || from <= MOST_L1_BYTES;
}

/* Add each level, even if only the system reports it. */
static int add_levels(struct hierarchy_inference *inference)
{
	unsigned number = 1;
	struct machine_cpu_cache reported;
	int rc = 0;

	for (size_t i = 0; i < inference->found.n && rc == 0; i++) {
		bool memory = is_memory_plateau(inference, i);
		struct cache_plateau *level = &inference->found.levels[i];

		while (rc == 0 &&
			(memory ? reported_cache(inference, number, &reported)
				: !can_be_level(inference, i, number)))
			rc = add_unseen_level(inference, number++, i);
		/*
		 * A cache without a visible end is at least as large as its
		 * last point.
		 */
		if (!memory && isnan(level->least_bytes) && level->clean)
			level->least_bytes =
				inference->unit->x[level->first + level->n - 1];
		if (rc == 0)
			rc = add_measured_level(inference, i, number++, memory);
	}
	while (rc == 0 && reported_cache(inference, number, &reported))
		rc = add_unseen_level(inference, number++, inference->found.n);
	return rc;
}

static int add_found_tlb(const struct hierarchy_inference *inference,
	const struct tlb_reach *reach, double page_bytes)
{
	struct cache_tlb *tlb;

	/* The TLB caches host pages, maybe smaller than the guest's. */
	if (!(reach->least_bytes >= LEAST_PAGES * page_bytes))
		return 0;
	tlb = result_add_tlb(inference->result);
	if (!tlb)
		return error_no_memory(inference->err, "the TLBs");
	tlb->page_bytes = page_bytes;
	tlb->least_bytes = reach->least_bytes;
	tlb->most_bytes = reach->most_bytes;
	tlb->miss_clocks = inference->curves->clocks ? reach->miss_ns : NAN;
	tlb->miss_ns = reach->miss_ns * inference->ns_per_unit;
	return 0;
}

static int find_curve_plateaus(const struct curve *clocks,
	const struct curve *fastest, const struct curve *by_page,
	struct cache_findings *found)
{
	return cache_plateaus_find(
		&(struct cache_curve){clocks->x, clocks->median,
			fastest->median, clocks->n, by_page ? by_page->x : NULL,
			by_page ? by_page->median : NULL,
			by_page ? by_page->n : 0},
		found);
}

/* Add the TLBs of base pages, and of the run's pages if these differ. */
static int add_tlbs(const struct hierarchy_inference *inference)
{
	const struct hierarchy_curves *curves = inference->curves;
	bool small = curves->small_random && curves->small_by_page;
	struct cache_findings found = {.n = 0};
	int rc = 0;

	if (inference->result->run.passes < STAT_CI95_LEAST)
		return 0;
	if (small &&
		find_curve_plateaus(curves->small_random, curves->small_random,
			curves->small_by_page, &found) < 0)
		return error_no_memory(inference->err, "the TLBs");
	for (size_t i = 0; i < found.n_tlbs && rc == 0; i++)
		rc = add_found_tlb(
			inference, &found.tlbs[i], curves->small_bytes);
	if (small && curves->page_bytes == curves->small_bytes)
		return rc;
	for (size_t i = 0; i < inference->found.n_tlbs && rc == 0; i++)
		rc = add_found_tlb(inference, &inference->found.tlbs[i],
			curves->page_bytes);
	return rc;
}

/* Return ns per unit at the first level, or else at the first known size. */
static double curve_ns_per_unit(const struct hierarchy_inference *inference)
{
	const struct curve *ns = inference->curves->ns;
	size_t i = inference->found.n ? inference->found.levels[0].first : 0;
	double ratio = NAN;

	for (; i < inference->unit->n && isnan(ratio); i++)
		ratio = ns->median[i] / inference->unit->median[i];
	return ratio;
}

int hierarchy_infer(const struct hierarchy_curves *curves,
	const struct machine *machine, struct result *result, struct error *err)
{
	const struct curve *unit = curves->clocks ? curves->clocks : curves->ns;
	struct hierarchy_inference inference = {.curves = curves,
		.unit = unit,
		.machine = machine,
		.result = result,
		.err = err};
	int rc;

	if (!curves->ns || !curves->fastest || unit->n == 0)
		return 0;
	inference.cpu = curves->ns->cpus.n ? curves->ns->cpus.cpus[0] : 0;
	inference.least_bytes = unit->x[0];
	inference.most_bytes = unit->x[unit->n - 1];
	rc = find_curve_plateaus(
		unit, curves->fastest, curves->small_by_page, &inference.found);
	if (rc < 0)
		return error_no_memory(err, "the levels");
	inference.ns_per_unit = curve_ns_per_unit(&inference);
	end_at_memory(&inference);
	rc = add_levels(&inference);
	return rc < 0 ? rc : add_tlbs(&inference);
}
