/*
 * Prints the caches of a CPU as a table: a row for each level, with what the
 * system says of it.
 */
#include "cmd/cache/cache_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/hierarchy.h"
#include "cmd/cli.h"
#include "util/text.h"

/* The rates in the table: read, write and copy. */
#define RATES_SHOWN 3

/*
 * The system's size "fits" an interval with at least this ratio; it is the
 * "same" only in a narrower one.
 */
#define WIDE 2.5

/* A chase alone has a state of its own if it takes this many times as long. */
#define TWO_STATES 1.25

/* Columns of a latency in clocks, and in ns. */
#define CLOCK_COLUMNS 7
#define NS_COLUMNS    5

/* Columns of who shares a level; a longer list stands under the table. */
#define SHARED_COLUMNS 10

/* Columns of the name of a level. Texts under the table begin there. */
#define NAME_COLUMNS 8

/* Columns of the system's size. How the measured size compares follows. */
#define REPORTED_COLUMNS 9

static const struct {
	const char *name;
	int columns;
} rates[RATES_SHOWN] = {{"read", 5}, {"write", 6}, {"copy", 5}};

static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};

#define UNITS (sizeof(units) / sizeof(*units))

/* "45.2-53.8 KiB", "0.84-1.19 MiB", ">=1 MiB", "?" */
static void format_byte_range(double least, double most, char text[64])
{
	double scale = 1, top = isnan(most) ? least : most;
	size_t unit = 0;

	if (isnan(top)) {
		snprintf(text, 64, "?");
		return;
	}
	for (; top >= 1024 * scale && unit + 1 < UNITS; unit++)
		scale *= 1024;
	if (isnan(most))
		snprintf(text, 64, ">=%.3g %s", least / scale, units[unit]);
	else if (isnan(least) || least == most)
		snprintf(text, 64, "%.3g %s", most / scale, units[unit]);
	else
		snprintf(text, 64, "%.3g-%.3g %s", least / scale, most / scale,
			units[unit]);
}

/* Print three digits, or all before the point; or the word missing for NaN. */
static void print_value_or(
	FILE *out, const char *missing, double value, int width)
{
	if (isnan(value))
		fprintf(out, "%*s", width, missing);
	else if (value >= 100)
		fprintf(out, "%*.0f", width, value);
	else
		fprintf(out, "%*.3g", width, value);
}

static void print_cache_number(FILE *out, double value, int width)
{
	print_value_or(out, "?", value, width);
}

/* Print the system's size, and how the measured size compares. */
static void print_reported_size(FILE *out, const struct cache_level *level)
{
	bool wide = level->most_bytes >= WIDE * level->least_bytes;
	static const char *const words[] = {
		[CACHE_UNKNOWN] = "?",
		[CACHE_SAME] = "same",
		[CACHE_LESS] = "less",
		[CACHE_DIFFERS] = "more",
		[CACHE_HIDDEN] = "hidden",
	};
	const char *word;
	char text[64];

	if (isnan(level->reported_bytes)) {
		fprintf(out, "  %s", words[CACHE_HIDDEN]);
		return;
	}
	format_byte_range(NAN, level->reported_bytes, text);
	word = words[level->size_verdict];
	if (level->size_verdict == CACHE_SAME && wide)
		word = "fits";
	else if (level->size_verdict == CACHE_SAME &&
		 (level->reported_bytes < level->least_bytes ||
			 level->reported_bytes > level->most_bytes))
		word = "nearly";
	fprintf(out, "  %-*s%s", REPORTED_COLUMNS, text, word);
}

/* Whether somebody asked who shares the levels. */
static bool has_sharers(const struct result *result)
{
	for (size_t i = 0; i < result->n_caches; i++) {
		if (result->caches[i].cpus.n > 0 || result->caches[i].cpus_why)
			return true;
	}
	return false;
}

static void print_shared(FILE *out, const struct cache_level *level)
{
	char *list = level->cpus.n ? cpu_list_format(&level->cpus) : NULL;
	char number[32];

	snprintf(number, sizeof(number), "%zu CPUs", level->cpus.n);
	fprintf(out, "  %-*s", SHARED_COLUMNS,
		!list				? "?"
		: strlen(list) > SHARED_COLUMNS ? number
						: list);
	free(list);
}

/* A rate has a column only if a level has it. */
static bool has_rate(const struct result *result, int rate)
{
	for (size_t i = 0; i < result->n_caches; i++) {
		if (!isnan(result->caches[i].rates[rate]))
			return true;
	}
	return false;
}

/* Print latency and rates; a star marks those of the fastest pass. */
static void print_speeds(
	FILE *out, const struct result *result, const struct cache_level *level)
{
	bool star = cache_level_is_disturbed(level, result->run.passes);
	double share = star ? level->fastest_clocks / level->clocks : 1;
	const char *mark = star ? "*" : " ";

	print_cache_number(out, level->clocks * share, CLOCK_COLUMNS);
	fputs(mark, out);
	print_cache_number(out, level->ns * share, NS_COLUMNS);
	for (int rate = 0; rate < RATES_SHOWN; rate++) {
		if (!has_rate(result, rate))
			continue;
		fputs(mark, out);
		print_cache_number(
			out, level->rates[rate], rates[rate].columns);
		mark = "";
	}
	if (!level->memory)
		fputs(mark, out);
}

static void print_cache_level_row(FILE *out, const struct result *result,
	const struct cache_level *level, bool shared)
{
	char size[64] = "";

	if (!level->memory)
		format_byte_range(level->least_bytes, level->most_bytes, size);
	fprintf(out, "%-7s%-14s", level->name ? level->name : "?", size);
	if (level->memory) {
		fprintf(out, "%10s", "");
	} else {
		print_value_or(out, level->level > 1 ? "-" : "?",
			level->line_bytes, 5);
		print_value_or(out, level->level > HIERARCHY_WAYS ? "-" : "?",
			level->ways, 5);
	}
	print_speeds(out, result, level);
	if (shared && !level->memory)
		print_shared(out, level);
	if (!level->memory)
		print_reported_size(out, level);
	putc('\n', out);
}

static void print_tlb(FILE *out, const struct cache_tlb *tlb)
{
	char reach[64], page[64];

	format_byte_range(tlb->least_bytes, tlb->most_bytes, reach);
	format_byte_range(NAN, tlb->page_bytes, page);
	fprintf(out, "%-7s%-14s          ", "TLB", reach);
	print_cache_number(out, tlb->miss_clocks, CLOCK_COLUMNS);
	putc(' ', out);
	print_cache_number(out, tlb->miss_ns, NS_COLUMNS);
	fprintf(out, "  more for a miss, pages of %s\n", page);
}

/* Add who shares a cache, if the row or the system does not say the same. */
static void add_sharers(struct text_list *list, const struct cache_level *level)
{
	char *measured = cpu_list_format(&level->cpus);
	char *reported = cpu_list_format(&level->reported_cpus);

	if (level->cpus_why)
		text_list_add(list, "; ", "shared by: %s", level->cpus_why);
	else if (cache_level_sharers_differ(level))
		text_list_add(list, "; ",
			"shared by: measured CPUs %s, the system says %s",
			measured ? measured : "?", reported ? reported : "?");
	else if (measured && strlen(measured) > SHARED_COLUMNS)
		text_list_add(list, "; ", "shared by: CPUs %s", measured);
	free(measured);
	free(reported);
}

/* Print why values of a level are missing, a line for each reason. */
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

static void print_why_tlb(FILE *out, const struct cache_tlb *tlb)
{
	char reach[64];

	if (!isnan(tlb->miss_ns))
		return;
	format_byte_range(tlb->least_bytes, tlb->most_bytes, reach);
	fprintf(out, "%-*s%s: too few working sets beyond it to tell a miss\n",
		NAME_COLUMNS, "TLB", reach);
}

/* The title: which CPU, its pages and its clock. */
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

/* Print the two lines above the columns. */
static void print_cache_headings(
	FILE *out, const struct result *result, bool shared)
{
	int n = 0, columns = 0;

	for (int rate = 0; rate < RATES_SHOWN; rate++) {
		if (!has_rate(result, rate))
			continue;
		n++;
		columns += rates[rate].columns;
	}
	fprintf(out, "%31s%12s", "", "latency");
	if (n > 0)
		fprintf(out, "  %*s", columns,
			n == RATES_SHOWN ? "GiB/s of one CPU" : "GiB/s");
	fprintf(out, "\n%-7s%-14s%5s%5s%*s %*s ", "level", "size", "line",
		"ways", CLOCK_COLUMNS, "clocks", NS_COLUMNS, "ns");
	for (int rate = 0; rate < RATES_SHOWN; rate++) {
		if (has_rate(result, rate))
			fprintf(out, "%*s", rates[rate].columns,
				rates[rate].name);
	}
	if (shared)
		fprintf(out, "  %-*s", SHARED_COLUMNS, "shared by");
	fprintf(out, "  %-*s%s\n", REPORTED_COLUMNS, "system", "measured");
}

/*
 * The first curve that differs from another one only by its variant, or NULL.
 */
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
 * Tell the sizes where a chase alone is slower than what the cache holds. False
 * if there are none.
 */
static bool print_two_states(
	FILE *out, const struct curve *alone, const struct curve *held)
{
	struct text_list list = {.text = NULL};
	char size[TEXT_SIZE_BYTES], *text;
	bool any;

	for (size_t i = 0; i < alone->n; i++) {
		double ns = curve_value_at(held, alone->x[i]);

		if (alone->median[i] > TWO_STATES * ns)
			text_list_add(&list, ", ", "%s %.3g and %.3g ns",
				text_size((uint64_t)alone->x[i], size), ns,
				alone->median[i]);
	}
	text = text_list_end(&list);
	any = text && *text;
	if (any) {
		char line[512];

		snprintf(line, sizeof(line),
			"Two states: while the cache holds the set, and in a "
			"chase alone, whose lines it does not hold: %s",
			text);
		cli_wrap(out, line, 0, 0);
	}
	free(text);
	return any;
}

/*
 * Tell how far the slowest CPU stays behind the mean of those that worked.
 * False if no rate has a value.
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

/* Tell what stands beside the plain curves. False: nothing does. */
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
			curve_place_is_main(curve->facts.place))
			any |= print_slowest(out, curve, plain);
	}
	return any;
}

static void print_cache_levels(FILE *out, const struct result *result)
{
	bool shared = has_sharers(result);

	print_title(out, result);
	print_cache_headings(out, result, shared);
	for (size_t i = 0; i < result->n_caches; i++)
		print_cache_level_row(out, result, &result->caches[i], shared);
	for (size_t i = 0; i < result->n_tlbs; i++)
		print_tlb(out, &result->tlbs[i]);
	for (size_t i = 0; i < result->n_caches; i++)
		print_why(out, &result->caches[i]);
	for (size_t i = 0; i < result->n_tlbs; i++)
		print_why_tlb(out, &result->tlbs[i]);
}

void cache_report(FILE *out, const struct result *result)
{
	if (result->n_caches > 0)
		print_cache_levels(out, result);
	/* The caller prints a line of its own behind levels. */
	if (print_curve_variants(out, result) && result->n_caches == 0)
		putc('\n', out);
}

void cache_print(const struct result *result)
{
	cache_report(stdout, result);
}
