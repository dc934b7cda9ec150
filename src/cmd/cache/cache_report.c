/*
 * Print the caches of a CPU as a table: a row for each level, with the values
 * that the system reports.
 */
#include "cmd/cache/cache_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/caches/hierarchy.h"
#include "cmd/cli.h"
#include "figure/curve_places.h"
#include "util/text.h"
#include "util/text_table.h"

/* Rates in the table: read, write and copy. */
#define RATES_SHOWN 3

/*
 * Least ratio of an interval's ends for the word "fits". In a narrower
 * interval, the size that the system reports is the "same".
 */
#define WIDE 2.5

/* Least ratio of the latencies of two states. */
#define TWO_STATES 1.25
#define TWO_STATES_TEXT                                                        \
	"Two states: latency while the cache holds the set, and of a single "  \
	"pass through it: "

/* Width of the column for CPUs; longer lists are below the table. */
#define SHARED_COLUMNS 10

/* Width of the column of names, and indentation below the table. */
#define NAME_COLUMNS 8

static const char *const rate_names[RATES_SHOWN] = {
	"\tread>5", "\t write>5", "\t copy>4"};

/* Compare the measured size with the reported size: "same", "fits" ... */
static const char *compared_word(const struct cache_level *level)
{
	static const char *const words[] = {
		[CACHE_UNKNOWN] = "?",
		[CACHE_SAME] = "same",
		[CACHE_LESS] = "less",
		[CACHE_DIFFERS] = "more",
		[CACHE_HIDDEN] = "hidden",
	};

	if (level->size_verdict == CACHE_SAME &&
		level->most_bytes >= WIDE * level->least_bytes)
		return "fits";
	if (level->size_verdict == CACHE_SAME &&
		(level->reported_bytes < level->least_bytes ||
			level->reported_bytes > level->most_bytes))
		return "nearly";
	return words[level->size_verdict];
}

/* Return whether the run measured which CPUs share the levels. */
static bool has_sharers(const struct result *result)
{
	for (size_t i = 0; i < result->n_caches; i++) {
		if (result->caches[i].cpus.n > 0 || result->caches[i].cpus_why)
			return true;
	}
	return false;
}

static void add_sharers_cell(
	struct text_list *table, const struct cache_level *level)
{
	char *list = level->cpus.n ? cpu_list_format(&level->cpus) : NULL;

	if (list && strlen(list) > SHARED_COLUMNS)
		text_list_add(table, "\t", "%zu CPUs", level->cpus.n);
	else
		text_list_add(table, "\t", "%s", list ? list : "?");
	free(list);
}

/* Return whether any level has this rate, which then gets a column. */
static bool has_rate(const struct result *result, int rate)
{
	for (size_t i = 0; i < result->n_caches; i++) {
		if (!isnan(result->caches[i].rates[rate]))
			return true;
	}
	return false;
}

static void add_number_cell(struct text_list *table, double value)
{
	char text[TEXT_NUMBER_BYTES];

	text_list_add(table, "\t", "%s", text_number(value, text));
}

/* Add a cell. The row of memory has no size, and levels after last have "-". */
static void add_shape_cell(struct text_list *table,
	const struct cache_level *level, double value, unsigned last)
{
	if (level->memory || (isnan(value) && level->level > last))
		text_list_add(table, "\t", "%s", level->memory ? "" : "-");
	else
		add_number_cell(table, value);
}

/* Add a row; a star marks the latency of the fastest pass. */
static void add_level_row(struct text_list *table, const struct result *result,
	const struct cache_level *level, bool shared)
{
	bool star = cache_level_is_disturbed(level, result->run.passes);
	double share = star ? level->fastest_clocks / level->clocks : 1;
	char size[TEXT_SIZES_BYTES] = "";

	if (!level->memory)
		text_sizes(level->least_bytes, level->most_bytes, size);
	text_list_add(
		table, "\n", "%s\t%s", level->name ? level->name : "?", size);
	add_shape_cell(table, level, level->line_bytes, 1);
	add_shape_cell(table, level, level->ways, HIERARCHY_WAYS);
	add_number_cell(table, level->clocks * share);
	text_list_add(table, "\t", "%s", star ? "*" : "");
	add_number_cell(table, level->ns * share);
	text_list_add(table, "\t", "%s", star ? "*" : "");
	for (int rate = 0; rate < RATES_SHOWN; rate++) {
		if (has_rate(result, rate))
			add_number_cell(table, level->rates[rate]);
	}
	if (level->memory)
		return;
	if (shared)
		add_sharers_cell(table, level);
	if (isnan(level->reported_bytes))
		text_list_add(table, "\t", "hidden");
	else
		text_list_add(table, "\t", "%s\t%s",
			text_sizes(NAN, level->reported_bytes, size),
			compared_word(level));
}

static void add_tlb_row(struct text_list *table, const struct cache_tlb *tlb)
{
	char reach[TEXT_SIZES_BYTES], page[TEXT_SIZES_BYTES];
	char clocks[TEXT_NUMBER_BYTES], ns[TEXT_NUMBER_BYTES];

	text_list_add(table, "\n",
		"TLB\t%s\t\t\t%s\t\t%s\t  more for a miss, pages of %s",
		text_sizes(tlb->least_bytes, tlb->most_bytes, reach),
		text_number(tlb->miss_clocks, clocks),
		text_number(tlb->miss_ns, ns),
		text_sizes(NAN, tlb->page_bytes, page));
}

/* Add the CPUs that share a cache, unless the row or the system lists them. */
static void add_sharers(struct text_list *list, const struct cache_level *level)
{
	char *measured = cpu_list_format(&level->cpus);
	char *reported = cpu_list_format(&level->reported_cpus);

	if (level->cpus_why)
		text_list_add(list, "; ", "shared by: %s", level->cpus_why);
	else if (cache_level_sharers_differ(level))
		text_list_add(list, "; ",
			"shared by: CPUs %s as measured, %s as the system "
			"reports",
			measured ? measured : "?", reported ? reported : "?");
	else if (measured && strlen(measured) > SHARED_COLUMNS)
		text_list_add(list, "; ", "shared by: CPUs %s", measured);
	free(measured);
	free(reported);
}

/* Print the reasons for missing values of a level, one per line. */
static void print_why(FILE *out, const struct cache_level *level)
{
	struct text_list list = {.text = NULL};
	const char *name = level->name;
	char *text, *end;

	if (level->why && *level->why)
		text_list_add(&list, "; ", "%s", level->why);
	add_sharers(&list, level);
	text = text_list_end(&list);
	for (char *at = text; at && *at; at = end) {
		end = strstr(at, "; ");
		if (end)
			*end = '\0';
		fprintf(out, "%-*s", NAME_COLUMNS, name);
		cli_wrap(out, at, NAME_COLUMNS, NAME_COLUMNS);
		name = "";
		end = end ? end + 2 : at + strlen(at);
	}
	free(text);
}

static void print_title(FILE *out, const struct result *result)
{
	const struct cache_level *first = result->caches;

	/* The smallest working set may be larger than the first caches. */
	while (first + 1 < result->caches + result->n_caches &&
		isnan(first->clocks))
		first++;
	fprintf(out, "Caches as measured");
	if (result->cpus.n > 0)
		fprintf(out, ": CPU %u", result->cpus.cpus[0]);
	if (result->run.pages)
		fprintf(out, ", pages %s", result->run.pages);
	if (first->clocks > 0 && first->ns > 0)
		fprintf(out, ", %.2f GHz while measuring",
			first->clocks / first->ns);
	putc('\n', out);
}

/* Add the columns, below a line with the names of the quantities. */
static void add_cache_columns(FILE *out, struct text_list *table,
	const struct result *result, bool shared)
{
	int n = 0;

	text_list_add(table, "",
		"level<6\t size<13\t line>5\t ways>4\tclocks>7\t<1\tns>5\t<1");
	for (int rate = 0; rate < RATES_SHOWN; rate++) {
		if (has_rate(result, rate))
			text_list_add(table, "", "%s", rate_names[rate]);
		n += has_rate(result, rate);
	}
	text_list_add(table, "", "%s\t  system<9\tmeasured<",
		shared ? "\t  shared by<10" : "");
	fprintf(out, "%43s%s\n", "latency",
		n == RATES_SHOWN ? "  GiB/s of one CPU"
		: n > 0		 ? "  GiB/s"
				 : "");
}

/* Return the curve that differs from this one only by its variant, or NULL. */
static const struct curve *find_counterpart_curve(
	const struct result *result, const struct curve *of)
{
	for (size_t i = 0; i < result->n_curves; i++) {
		const struct curve *curve = &result->curves[i];

		if (!curve->facts.variant &&
			text_same(curve->facts.test, of->facts.test) &&
			text_same(curve->facts.family, of->facts.family) &&
			text_same(curve->facts.member, of->facts.member) &&
			text_same(curve->facts.y_unit, of->facts.y_unit))
			return curve;
	}
	return NULL;
}

/*
 * Print the working sets with a slower single pass. Return false if there are
 * none.
 */
static bool print_two_states(
	FILE *out, const struct curve *alone, const struct curve *held)
{
	struct text_list list = {.text = NULL};
	char size[TEXT_SIZE_BYTES], *text;

	for (size_t i = 0; i < alone->n; i++) {
		double ns = curve_value_at(held, alone->x[i]);

		if (alone->median[i] > TWO_STATES * ns)
			text_list_add(&list, ", ", "%s%s %.3g and %.3g ns",
				list.out ? "" : TWO_STATES_TEXT,
				text_size((uint64_t)alone->x[i], size), ns,
				alone->median[i]);
	}
	if (!list.out)
		return false;
	text = text_list_end(&list);
	if (text)
		cli_wrap(out, text, 0, 0);
	free(text);
	return true;
}

/*
 * Print how far the rate of the slowest CPU is below the mean. Return false if
 * no rate has a value.
 */
static bool print_slowest(
	FILE *out, const struct curve *slowest, const struct curve *sum)
{
	double worst = NAN, mean = NAN;
	char size[TEXT_SIZE_BYTES];
	size_t at = 0;

	for (size_t i = 0; i < slowest->n; i++) {
		double each = curve_value_at(sum, slowest->x[i]) /
			      (double)slowest->cpus.n;
		double share = slowest->median[i] / each;

		if (isnan(share) || share > worst)
			continue;
		worst = share;
		mean = each;
		at = i;
	}
	if (isnan(worst))
		return false;
	fprintf(out, "Slowest of %s, %s: %.3g GiB/s at %s, the mean is %.3g\n",
		slowest->facts.family, slowest->facts.member,
		slowest->median[at], text_size((uint64_t)slowest->x[at], size),
		mean);
	return true;
}

/* Print the variants of curves. Return false if there are none. */
static bool print_curve_variants(FILE *out, const struct result *result)
{
	bool any = false;

	for (size_t i = 0; i < result->n_curves; i++) {
		const struct curve *curve = &result->curves[i];
		const struct curve *plain =
			find_counterpart_curve(result, curve);

		if (plain && text_same(curve->facts.variant, CACHE_ALONE) &&
			text_same(curve->facts.test, "latency"))
			any |= print_two_states(out, curve, plain);
		if (plain && text_same(curve->facts.variant, CACHE_SLOWEST) &&
			curve_place_is_main(curve_place_of(
				result->curves, result->n_curves, i)))
			any |= print_slowest(out, curve, plain);
	}
	return any;
}

static void print_cache_levels(FILE *out, const struct result *result)
{
	bool shared = has_sharers(result);
	struct text_list table = {.text = NULL};
	char reach[TEXT_SIZES_BYTES];

	print_title(out, result);
	add_cache_columns(out, &table, result, shared);
	for (size_t i = 0; i < result->n_caches; i++)
		add_level_row(&table, result, &result->caches[i], shared);
	for (size_t i = 0; i < result->n_tlbs; i++)
		add_tlb_row(&table, &result->tlbs[i]);
	text_table_print(out, &table, "?", SIZE_MAX);
	for (size_t i = 0; i < result->n_caches; i++)
		print_why(out, &result->caches[i]);
	for (size_t i = 0; i < result->n_tlbs; i++) {
		const struct cache_tlb *tlb = &result->tlbs[i];

		if (isnan(tlb->miss_ns))
			fprintf(out,
				"TLB     %s: too few working sets beyond it to "
				"show a miss\n",
				text_sizes(tlb->least_bytes, tlb->most_bytes,
					reach));
	}
}

void cache_report(FILE *out, const struct result *result)
{
	if (result->n_caches > 0)
		print_cache_levels(out, result);
	/* The caller prints an empty line below levels. */
	if (print_curve_variants(out, result) && result->n_caches == 0)
		putc('\n', out);
}

void cache_print(const struct result *result)
{
	cache_report(stdout, result);
}
