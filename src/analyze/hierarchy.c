#include "analyze/hierarchy.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/cache_plateaus.h"
#include "stat/stat.h"
#include "util/text.h"

/* The system's size may lie outside the interval by this factor: a step. */
#define SLACK 1.2

/* Chases through lines that hit one cache differ by less than this factor. */
#define WAYS_SLOWER 1.3

/*
 * The values of a level come from sizes well inside it. These are at most this
 * share of its size, and the level before has at most this share of them.
 */
#define WELL_WITHIN 0.75

/* A TLB that reaches over fewer pages holds smaller ones: those of a host. */
#define LEAST_PAGES 8

/*
 * A level with a latency of MEMORY_NS is memory. QUICK_MEMORY_NS is enough if
 * the working sets go to BEYOND times the largest cache that the system tells.
 */
#define MEMORY_NS	60
#define QUICK_MEMORY_NS 30
#define BEYOND		4

/*
 * A load from L1 takes L1_CLOCKS at most. Every L1 holds LEAST_L1_BYTES, so a
 * plateau that begins there or before is L1. No L1 holds MOST_L1_BYTES.
 */
#define L1_CLOCKS      9
#define LEAST_L1_BYTES 16384
#define MOST_L1_BYTES  262144

/* The least ratio of the ends of a plateau. */
#define PLATEAU_SPAN 1.9

#define TOO_FEW                                                                \
	"not measured well enough: it needs six passes at the sizes where it " \
	"ends (--passes 6)"

/* What was measured, what the system says, and the result to fill. */
struct work {
	const struct hierarchy_curves *curves;
	const struct curve *unit;      /* clocks, or ns without them */
	const struct machine *machine; /* NULL: the system says nothing */
	unsigned cpu;
	struct caches found;
	double least_bytes, most_bytes; /* working sets */
	double ns_per_unit;
	struct result *result;
	struct error *err;
};

/* What the system says of a level. False: nothing. */
static bool told_of(
	const struct work *work, unsigned level, struct machine_cpu_cache *told)
{
	return work->machine &&
	       machine_cpu_cache(work->machine, work->cpu, level, told);
}

/* The value of a curve at the level: the middle of its plateau. */
static double value_at(
	const struct work *work, size_t i, const struct curve *curve)
{
	const struct cache_plateau *level = &work->found.levels[i];
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
	/* The largest sizes show memory. */
	at = isnan(level->least_bytes) ? end - 1 : (first + end) / 2;
	while (at > first && isnan(curve->median[at]))
		at--;
	while (at + 1 < end && isnan(curve->median[at]))
		at++;
	return curve->median[at];
}

/*
 * The latency of a level. If no size is well inside the level, it is that of
 * the first size on its plateau.
 */
static double latency_at(
	const struct work *work, size_t i, const struct curve *curve)
{
	const struct cache_plateau *level = &work->found.levels[i];
	double value = value_at(work, i, curve);
	size_t at = level->first;

	/* Points may be missing, but not the last one of the plateau. */
	while (isnan(value) && at < curve->n)
		value = curve->median[at++];
	return value;
}

static enum cache_verdict judge(double measured, double told)
{
	if (isnan(told))
		return CACHE_HIDDEN;
	if (isnan(measured))
		return CACHE_UNKNOWN;
	return measured == told ? CACHE_SAME : CACHE_DIFFERS;
}

static enum cache_verdict judge_size(const struct cache_level *level)
{
	if (isnan(level->told_bytes))
		return CACHE_HIDDEN;
	if (level->told_bytes < level->least_bytes / SLACK)
		return CACHE_DIFFERS;
	if (isnan(level->most_bytes))
		return CACHE_UNKNOWN;
	return level->told_bytes > level->most_bytes * SLACK ? CACHE_LESS
							     : CACHE_SAME;
}

static double known(double value)
{
	return value > 0 ? value : NAN;
}

/* Add what the system says of a level, and compare both. */
static int tell(const struct work *work, struct cache_level *level)
{
	struct machine_cpu_cache told;

	if (told_of(work, level->level, &told)) {
		level->told_bytes = known((double)told.bytes);
		level->told_line_bytes = known(told.line_bytes);
		level->told_ways = known(told.ways);
		if (machine_cache_cpus(work->machine, work->cpu, level->level,
			    &level->told_cpus, work->err) < 0)
			return -ENOMEM;
	}
	level->size_verdict = judge_size(level);
	level->line_verdict = judge(level->line_bytes, level->told_line_bytes);
	level->ways_verdict = judge(level->ways, level->told_ways);
	return 0;
}

static struct cache_level *new_level(
	const struct work *work, unsigned number, bool memory)
{
	struct cache_level *level;
	char name[16];

	snprintf(name, sizeof(name), number == 1 ? "L1d" : "L%u", number);
	level = result_add_cache(work->result, memory ? "memory" : name);
	if (!level) {
		error_no_memory(work->err, "the levels");
		return NULL;
	}
	level->level = number;
	level->memory = memory;
	return level;
}

static void say_difference(struct text_list *why, const char *what,
	double measured, double told, enum cache_verdict verdict)
{
	if (verdict == CACHE_DIFFERS)
		text_list_add(why, "; ",
			"%s: measured %.0f, the system says %.0f", what,
			measured, told);
}

static bool lacks_rates(
	const struct work *work, const struct cache_level *level)
{
	for (int access = 0; access < CACHE_RATES; access++) {
		if (work->curves->rates[access] && isnan(level->rates[access]))
			return true;
	}
	return false;
}

/*
 * Whether the lines that measure the ways of L2 miss the TLB, because they lie
 * far apart. They do if even a few of them, which L1 holds, are slower than the
 * lines that measure L1. Then the pages are small, for example those of a host
 * under a guest's huge pages, and nobody knows which lines share a set of L2.
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

/* Why the line size or the ways are missing, or differ from the system's. */
static void explain_lines(const struct work *work, size_t i,
	const struct cache_level *level, struct text_list *why)
{
	const struct hierarchy_curves *curves = work->curves;

	if (isnan(level->line_bytes) && level->level == 1)
		text_list_add(why, "; ",
			curves->line ? "line: not found"
				     : "line: not measured");
	if (isnan(level->ways) && level->level <= HIERARCHY_WAYS)
		text_list_add(why, "; ",
			!curves->ways[level->level - 1] ? "ways: not measured"
			: i + 1 >= work->found.n
				? "ways: no working set shows how long a miss "
				  "takes (--sizes)"
			: level->level > 1 && ways_miss_tlb(curves)
				? "ways: lines far apart miss the TLB, as if "
				  "the pages were not huge ones"
				: "ways: no number of lines stands out");
	say_difference(why, "line", level->line_bytes, level->told_line_bytes,
		level->line_verdict);
	say_difference(why, "ways", level->ways, level->told_ways,
		level->ways_verdict);
}

/*
 * Whether the system says that one core alone has the cache. That of L3 may be
 * wrong: virtual machines of one core see one that the host shares.
 */
static bool is_of_one_core(
	const struct work *work, const struct cache_level *level)
{
	const struct cpu_list *told = &level->told_cpus;

	for (size_t i = 0; i < told->n; i++) {
		const char *shared = machine_shared_by(
			work->machine, work->cpu, told->cpus[i]);

		if (told->cpus[i] != work->cpu && !text_same(shared, "Core"))
			return false;
	}
	return told->n > 0 && level->level <= 2;
}

/* Why values are missing, or differ from the system's. */
static int explain(const struct work *work, size_t i, struct cache_level *level)
{
	struct text_list why = {.text = NULL};

	if (level->size_verdict == CACHE_LESS)
		text_list_add(&why, "; ",
			is_of_one_core(work, level)
				? "no pass was fast up to the size that the "
				  "system says"
				: "others may have used the rest of what the "
				  "system says");
	if (isnan(level->most_bytes) && !level->memory)
		text_list_add(&why, "; ",
			"its end is not known: the largest working set still "
			"fits it");
	if (cache_level_is_disturbed(level, work->result->run.passes))
		text_list_add(&why, "; ",
			"* of the fastest pass, because others made the median "
			"%.3g clocks",
			level->clocks);
	if (lacks_rates(work, level))
		text_list_add(&why, "; ",
			"rates: no working set well within it has a value");
	if (!level->memory)
		explain_lines(work, i, level, &why);
	level->why = text_list_end(&why);
	return level->why ? 0 : error_no_memory(work->err, "the levels");
}

/* The line size, of L1 only, and the ways. */
static void measure_lines(
	const struct work *work, size_t i, struct cache_level *level)
{
	const struct hierarchy_curves *curves = work->curves;
	const struct cache_plateau *at = &work->found.levels[i];
	const struct curve *ways = level->level <= HIERARCHY_WAYS
					   ? curves->ways[level->level - 1]
					   : NULL;

	if (curves->line && level->level == 1)
		level->line_bytes = caches_line(
			curves->line->x, curves->line->median, curves->line->n);
	if (level->level > 1 && ways_miss_tlb(curves))
		return;
	if (ways && i + 1 < work->found.n)
		level->ways = caches_ways(ways->x, ways->median, ways->n,
			at->ns * work->ns_per_unit,
			at[1].ns * work->ns_per_unit);
}

/*
 * Whether enough passes measured the sizes that bound plateau i: where it ends,
 * or the first one if its end does not show. Memory begins at sets so large
 * that not all passes have them.
 */
static bool measured_well(const struct work *work, size_t i, bool memory)
{
	const struct cache_plateau *at = &work->found.levels[i];
	const struct curve *unit = work->unit;
	double first = unit->x[at->first];
	double least = isnan(at->least_bytes) ? first : at->least_bytes;
	double most = isnan(at->most_bytes) ? first : at->most_bytes;

	if (work->result->run.passes < STAT_CI95_LEAST)
		return false;
	for (size_t k = 0; k < unit->n && !memory; k++) {
		if ((unit->x[k] == least || unit->x[k] == most) &&
			isnan(unit->low[k]))
			return false;
	}
	return true;
}

static int add_level(
	const struct work *work, size_t i, unsigned number, bool memory)
{
	const struct hierarchy_curves *curves = work->curves;
	const struct cache_plateau *at = &work->found.levels[i];
	struct cache_level *level = new_level(work, number, memory);

	if (!level)
		return -ENOMEM;
	if (!measured_well(work, i, memory)) {
		level->why = strdup(TOO_FEW);
		if (!level->why)
			return error_no_memory(work->err, "the levels");
		return memory ? 0 : tell(work, level);
	}
	level->least_bytes = at->least_bytes;
	level->most_bytes = at->most_bytes;
	level->ns = latency_at(work, i, curves->ns);
	if (curves->clocks) {
		level->clocks = latency_at(work, i, curves->clocks);
		level->fastest_clocks = at->ns;
	}
	for (int access = 0; access < CACHE_RATES; access++)
		level->rates[access] = value_at(work, i, curves->rates[access]);
	if (memory)
		return lacks_rates(work, level) ? explain(work, i, level) : 0;
	measure_lines(work, i, level);
	return tell(work, level) < 0 ? -ENOMEM : explain(work, i, level);
}

/* Why the curve does not show a level of this size before plateau i. */
static const char *why_unseen(const struct work *work, double bytes, size_t i)
{
	if (work->most_bytes < PLATEAU_SPAN * work->least_bytes)
		return "the working sets do not span a doubling (--sizes)";
	if (i == 0 && (isnan(bytes) || bytes < work->least_bytes))
		return "no working set was so small (--sizes)";
	if (i == 0 && bytes < PLATEAU_SPAN * work->least_bytes)
		return "too few working sets were so small (--sizes)";
	if (i == work->found.n && bytes > work->most_bytes)
		return "no working set was so large (--sizes)";
	return "cannot be told: no plateau of the latency lies between the "
	       "level before and the next";
}

/* Add a level that the curve does not show before plateau i. */
static int add_unseen(const struct work *work, unsigned number, size_t i)
{
	struct cache_level *level = new_level(work, number, false);

	if (!level || tell(work, level) < 0)
		return -ENOMEM;
	level->why = strdup(why_unseen(work, level->told_bytes, i));
	return level->why ? 0 : error_no_memory(work->err, "the levels");
}

static bool takes(const struct work *work, size_t i, double ns)
{
	return work->found.levels[i].ns * work->ns_per_unit >= ns;
}

/*
 * The first plateau of memory is the last level. A later one is memory as well:
 * there the page tables do not fit a cache either.
 */
static void end_at_memory(struct work *work)
{
	for (size_t i = 0; i + 1 < work->found.n; i++) {
		if (!takes(work, i, MEMORY_NS))
			continue;
		work->found.n = i + 1;
		work->found.levels[i].least_bytes = NAN;
		work->found.levels[i].most_bytes = NAN;
	}
}

/* Whether plateau i is memory. Only the last one can be. */
static bool is_memory(const struct work *work, size_t i)
{
	struct machine_cpu_cache told;
	double largest = 0;

	if (i + 1 < work->found.n || !isnan(work->found.levels[i].least_bytes))
		return false;
	for (unsigned level = 1; told_of(work, level, &told); level++)
		largest = fmax(largest, (double)told.bytes);
	return takes(work, i, MEMORY_NS) ||
	       (takes(work, i, QUICK_MEMORY_NS) && largest > 0 &&
		       work->most_bytes >= BEYOND * largest);
}

/*
 * If the curve does not show the end of a cache, the cache has at least the
 * size of the last point on its plateau.
 */
static void open_end(struct work *work, size_t i)
{
	struct cache_plateau *level = &work->found.levels[i];

	if (isnan(level->least_bytes) && level->clean)
		level->least_bytes = work->unit->x[level->first + level->n - 1];
}

/*
 * Whether plateau i can be the level of this number. A plateau that begins
 * where the system says that the level ends is a later level. If the system
 * tells a later level, a whole plateau must fit before that end.
 */
static bool can_be(const struct work *work, size_t i, unsigned number)
{
	const struct cache_plateau *level = &work->found.levels[i];
	double from = work->unit->x[level->first];
	struct machine_cpu_cache told, next;

	if (number == 1 && from <= LEAST_L1_BYTES)
		return true;
	if (number == 1 && work->curves->clocks)
		return level->ns <= L1_CLOCKS;
	if (told_of(work, number, &told) && told.bytes)
		return from * (told_of(work, number + 1, &next) ? PLATEAU_SPAN
								: 1) <=
		       SLACK * (double)told.bytes;
	return number > 1 || from <= MOST_L1_BYTES;
}

/* Add a row for each level, also for those that only the system knows. */
static int add_levels(struct work *work)
{
	unsigned number = 1;
	struct machine_cpu_cache told;
	int rc = 0;

	for (size_t i = 0; i < work->found.n && rc == 0; i++) {
		bool memory = is_memory(work, i);

		while (rc == 0 && (memory ? told_of(work, number, &told)
					  : !can_be(work, i, number)))
			rc = add_unseen(work, number++, i);
		if (!memory)
			open_end(work, i);
		if (rc == 0)
			rc = add_level(work, i, number++, memory);
	}
	while (rc == 0 && told_of(work, number, &told))
		rc = add_unseen(work, number++, work->found.n);
	return rc;
}

static int add_tlb(const struct work *work, const struct cache_reach *reach,
	double page_bytes)
{
	struct cache_tlb *tlb;

	/* The TLB holds pages of the host, maybe smaller than the guest's. */
	if (!(reach->least_bytes >= LEAST_PAGES * page_bytes))
		return 0;
	tlb = result_add_tlb(work->result);
	if (!tlb)
		return error_no_memory(work->err, "the TLBs");
	tlb->page_bytes = page_bytes;
	tlb->least_bytes = reach->least_bytes;
	tlb->most_bytes = reach->most_bytes;
	tlb->miss_clocks = work->curves->clocks ? reach->miss_ns : NAN;
	tlb->miss_ns = reach->miss_ns * work->ns_per_unit;
	return 0;
}

static int find(const struct curve *clocks, const struct curve *fastest,
	const struct curve *by_page, struct caches *found)
{
	return caches_find(
		&(struct cache_curve){clocks->x, clocks->median,
			fastest->median, clocks->n, by_page ? by_page->x : NULL,
			by_page ? by_page->median : NULL,
			by_page ? by_page->n : 0},
		found);
}

/* Add the TLBs of base pages, and those of the run's pages if they differ. */
static int add_tlbs(const struct work *work)
{
	const struct hierarchy_curves *curves = work->curves;
	bool small = curves->small_random && curves->small_by_page;
	struct caches found = {.n = 0};
	int rc = 0;

	if (work->result->run.passes < STAT_CI95_LEAST)
		return 0;
	if (small && find(curves->small_random, curves->small_random,
			     curves->small_by_page, &found) < 0)
		return error_no_memory(work->err, "the TLBs");
	for (size_t i = 0; i < found.n_tlbs && rc == 0; i++)
		rc = add_tlb(work, &found.tlbs[i], curves->small_bytes);
	if (small && curves->page_bytes == curves->small_bytes)
		return rc;
	for (size_t i = 0; i < work->found.n_tlbs && rc == 0; i++)
		rc = add_tlb(work, &work->found.tlbs[i], curves->page_bytes);
	return rc;
}

/* From the first level, or else from the first size that has a value. */
static double ns_per_unit(const struct work *work)
{
	const struct curve *ns = work->curves->ns;
	size_t i = work->found.n ? work->found.levels[0].first : 0;
	double ratio = NAN;

	for (; i < work->unit->n && isnan(ratio); i++)
		ratio = ns->median[i] / work->unit->median[i];
	return ratio;
}

int hierarchy_infer(const struct hierarchy_curves *curves,
	const struct machine *machine, struct result *result, struct error *err)
{
	const struct curve *unit = curves->clocks ? curves->clocks : curves->ns;
	struct work work = {.curves = curves,
		.unit = unit,
		.machine = machine,
		.result = result,
		.err = err};
	int rc;

	if (!curves->ns || !curves->fastest || unit->n == 0)
		return 0;
	work.cpu = curves->ns->cpus.n ? curves->ns->cpus.cpus[0] : 0;
	work.least_bytes = unit->x[0];
	work.most_bytes = unit->x[unit->n - 1];
	rc = find(unit, curves->fastest, curves->small_by_page, &work.found);
	if (rc < 0)
		return error_no_memory(err, "the levels");
	work.ns_per_unit = ns_per_unit(&work);
	end_at_memory(&work);
	rc = add_levels(&work);
	return rc < 0 ? rc : add_tlbs(&work);
}
