/* Print a comparison as text: facts, pairs, levels; or a fleet by distance. */
#include "cmd/compare/compare_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stat/stat.h"
#include "util/text.h"
#include "util/text_table.h"

/*
 * Options that c2c chooses if the user does not, by the names of their facts.
 * The record does not say whether c2c or the user chose the value.
 */
static const char *const chosen[] = {"options.spin_hint", "options.jobs",
	"options.idle", "options.round_trips"};

/* Bytes for the name of an option. */
#define OPTION_BYTES 32

/* Return whether both sides have the option and c2c chose a value. */
static bool is_choice(const struct compare_fact *fact,
	const struct compare_side *reference, const struct compare_side *side)
{
	bool found = false;

	/* Only some commands choose --jobs. */
	if (strcmp(fact->what, "options.jobs") == 0 &&
		reference->result->run.jobs_chosen != 1 &&
		side->result->run.jobs_chosen != 1)
		return false;
	for (size_t k = 0; k < sizeof(chosen) / sizeof(*chosen); k++)
		found |= strcmp(fact->what, chosen[k]) == 0;
	return found && strcmp(fact->before, "not recorded") != 0 &&
	       strcmp(fact->after, "not recorded") != 0;
}

/* If c2c chose different values for an option, print how to set it. */
static void print_choices(FILE *out, const struct compare_side *reference,
	const struct compare_side *side, const struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->n_facts; i++) {
		const struct compare_fact *fact = &comparison->facts[i];
		char option[OPTION_BYTES];

		if (!is_choice(fact, reference, side))
			continue;
		snprintf(option, sizeof(option), "%s",
			strchr(fact->what, '.') + 1);
		for (char *at = option; (at = strchr(at, '_'));)
			*at = '-';
		fprintf(out,
			"  Without --%s, c2c chooses its value: measure both "
			"files with --%s=%s.\n",
			option, option, fact->before);
	}
}

static void print_changed_facts(FILE *out, const struct compare_side *reference,
	const struct compare_side *side, const struct comparison *comparison)
{
	const struct compare_side *silent = !reference->result->machine.n
						    ? reference
					    : !side->result->machine.n ? side
								       : NULL;
	struct text_list table = {.text = NULL};

	if (silent) {
		text_print_safe(out, silent->source);
		fputs(" does not describe its machine, so c2c did not compare "
		      "the machines.\n\n",
			out);
	}
	if (comparison->n_facts == 0) {
		if (!silent)
			fputs("Machine, tool and options: no "
			      "difference.\n\n",
				out);
		return;
	}
	fputs("Different in machine, tool, options or topology:\n", out);
	text_list_add(&table, "", "  <28\t <");
	for (size_t i = 0; i < comparison->n_facts; i++)
		text_list_add(&table, "\n", "%s\t%s -> %s",
			comparison->facts[i].what, comparison->facts[i].before,
			comparison->facts[i].after);
	text_table_print(out, &table, "", SIZE_MAX);
	print_choices(out, reference, side, comparison);
	putc('\n', out);
}

#define UNTESTED_BYTES 96

/* Explain why pairs or points were not tested. */
static const char *explain_untested(
	const struct comparison *comparison, enum compare_test test)
{
	static const char *const why[] = {
		[COMPARE_NONE] = "there are no intervals",
		[COMPARE_INTERVALS] = "a file has no interval for it",
		[COMPARE_PASSES] = "a file has no pass with it",
		[COMPARE_RUNS] = "a run has no value for it",
	};

	return comparison->needs_turns ? "one side came first" : why[test];
}

/* Return "; 2 pairs were not tested, since ...", or "". */
static const char *untested_text(const struct comparison *comparison, size_t n,
	const char *noun, enum compare_test test, char text[UNTESTED_BYTES])
{
	text[0] = '\0';
	if (n > 0)
		snprintf(text, UNTESTED_BYTES,
			"; %zu %s%s not tested, since %s", n, noun,
			n == 1 ? " was" : "s were",
			explain_untested(comparison, test));
	return text;
}

static void print_changed_pairs(FILE *out, const struct comparison *comparison,
	const struct compare_matrix *matrix)
{
	static const char *const how[] = {
		[COMPARE_NONE] =
			"without intervals or passes no pair can be tested",
		[COMPARE_INTERVALS] = "their 95 % intervals do not overlap",
		[COMPARE_PASSES] = "rank test of passes, 5 % false discoveries",
		[COMPARE_RUNS] = "permutation test of runs, 5 % false alarms",
	};

	char text[UNTESTED_BYTES];
	const char *s = matrix->n_pairs == 1 ? "" : "s";
	const char *noun = comparison->of_nodes ? "cell" : "pair";
	const char *few =
		matrix->few_passes ? "too few passes for a rank test; " : "";

	fprintf(out, "%s%s%s, medians in %s: ",
		matrix->quantity ? matrix->quantity : "",
		matrix->quantity ? " " : "", matrix->name, matrix->unit);
	if (!matrix->change)
		fputs("by level\n", out);
	else if (comparison->undecided)
		fprintf(out, "%zu %s%s\n", matrix->n_pairs, noun, s);
	else if (matrix->test == COMPARE_RUNS && !comparison->of_nodes &&
		 comparison->least_single_p > COMPARE_RATE)
		fprintf(out,
			"%zu pair%s; too few runs to test single pairs; c2c "
			"tests levels (--runs 5)\n",
			matrix->n_pairs, s);
	else if (matrix->test == COMPARE_NONE)
		fprintf(out, "%zu %s%s; %s%s\n", matrix->n_pairs, noun, s, few,
			how[matrix->test]);
	else if (matrix->n_tested == 0)
		fprintf(out, "%zu %s%s; none was tested, since %s\n",
			matrix->n_pairs, noun, s,
			explain_untested(comparison, matrix->test));
	else
		fprintf(out,
			"%zu of %zu %s%s changed%s\n"
			"  %zu better, %zu worse (%s%s)\n",
			matrix->n_better + matrix->n_worse, matrix->n_tested,
			noun, matrix->n_tested == 1 ? "" : "s",
			untested_text(comparison,
				matrix->n_pairs - matrix->n_tested, noun,
				matrix->test, text),
			matrix->n_better, matrix->n_worse, few,
			how[matrix->test]);
}

static bool is_worse(const struct compare_matrix *matrix, double change)
{
	return compare_is_worse(matrix->higher_is_better, change);
}

static const char *level_verdict_text(const struct comparison *comparison,
	const struct compare_matrix *matrix, const struct compare_level *level)
{
	if (comparison->undecided)
		return "cannot tell";
	if (level->significant)
		return is_worse(matrix, level->change) ? "worse" : "better";
	if (level->rest_significant)
		return is_worse(matrix, level->rest_change)
			       ? "worse than the rest"
			       : "better than the rest";
	if (compare_may_be_drift(level->tested, level->p))
		return "changed or drifted";
	return level->tested ? "no more than noise" : "not tested";
}

/* Print the levels that changed relative to all other pairs. */
static void print_relative_changes(
	FILE *out, const struct compare_matrix *matrix)
{
	for (size_t k = 0; k < matrix->n_levels; k++) {
		const struct compare_level *level = &matrix->levels[k];
		char name[32];

		if (!level->rest_significant)
			continue;
		compare_level_name(level, name);
		fprintf(out,
			"  %s: %.1f %% %s relative to the rest of the machine "
			"(p %.2g)\n",
			name, fabs(100 * level->rest_change),
			is_worse(matrix, level->rest_change) ? "worse"
							     : "better",
			level->rest_p);
	}
}

static void print_levels(FILE *out, const struct comparison *comparison,
	const struct compare_matrix *matrix)
{
	struct text_list table = {.text = NULL};

	if (matrix->n_levels == 0)
		return;
	text_list_add(&table, "",
		"  Level<18\t Pairs>8\t Before>9\t After>9\t Change>9\t %%>8"
		"\t  <");
	for (size_t k = 0; k < matrix->n_levels; k++) {
		const struct compare_level *level = &matrix->levels[k];
		char name[32];

		compare_level_name(level, name);
		text_list_add(&table, "\n",
			"%s\t%zu\t%.4g\t%.4g\t%+.3g\t%+.1f\t%s", name,
			level->n_pairs, level->before, level->after,
			level->change,
			100 * level->change / fabs(level->before),
			level_verdict_text(comparison, matrix, level));
	}
	text_table_print(out, &table, "-", SIZE_MAX);
	print_relative_changes(out, matrix);
	putc('\n', out);
}

/* With more pairs, list only the pairs whose lines changed. */
#define LINES_LISTED 8

static bool lines_changed(const struct compare_lines *lines)
{
	return lines->mean_changed || lines->verdict_changed;
}

static const char *lines_verdict_text(
	const struct comparison *comparison, const struct compare_lines *lines)
{
	bool slower = lines->after.mean_ns > lines->before.mean_ns;

	if (comparison->undecided)
		return "cannot tell";
	if (lines->mean_changed && lines->verdict_changed)
		return slower ? "worse, and lines changed"
			      : "better, and lines changed";
	if (lines->mean_changed)
		return slower ? "worse" : "better";
	if (lines->verdict_changed)
		return "lines changed";
	return lines->mean_tested || lines->verdict_tested
		       ? "no more than noise"
		       : "not tested";
}

static void add_line_row(struct text_list *table, const char *pair,
	const char *side, const struct line_profile *profile,
	const char *verdict)
{
	static const char *const words[] = {
		[LINE_PROFILE_UNKNOWN] = "too few visits",
		[LINE_PROFILE_ALIKE] = "alike",
		[LINE_PROFILE_DIFFERS] = "differ",
		[LINE_PROFILE_GROUPS] = "two groups",
	};

	text_list_add(table, "\n", "%s\t%s\t%.4g\t%.4g\t%.4g\t%s\t%s", pair,
		side, profile->mean_ns, profile->nearest_ns,
		profile->farthest_ns, words[profile->verdict], verdict);
}

static void print_cache_lines(
	FILE *out, const struct comparison *comparison, bool all)
{
	struct text_list table = {.text = NULL};
	size_t n = comparison->n_lines, changed = 0;

	if (n == 0)
		return;
	text_list_add(&table, "",
		"  CPUs<\t  <6\t Mean>8\t Nearest>8\t Farthest>8\t  Lines<10"
		"\t  <");
	for (size_t i = 0; i < n; i++) {
		const struct compare_lines *lines = &comparison->lines[i];
		char pair[32];

		changed += lines_changed(lines);
		if (!all && n > LINES_LISTED && !lines_changed(lines))
			continue;
		snprintf(pair, sizeof(pair), "%u,%u",
			lines->before.cpus.cpus[0], lines->before.cpus.cpus[1]);
		add_line_row(&table, pair, "before", &lines->before, "");
		add_line_row(&table, "", "after", &lines->after,
			lines_verdict_text(comparison, lines));
	}
	fprintf(out, "Cache lines, medians in ns: ");
	if (comparison->undecided)
		fprintf(out, "%zu pair%s\n", n, n == 1 ? "" : "s");
	else
		fprintf(out, "%zu of %zu pair%s changed\n", changed, n,
			n == 1 ? "" : "s");
	text_table_print(out, &table, "-", SIZE_MAX);
	putc('\n', out);
}

/* Return "24-32 MiB", "8". */
static const char *size_text(const struct compare_size *size,
	const double ends[2], char text[TEXT_SIZES_BYTES])
{
	if (size->bytes)
		return text_sizes(ends[0], ends[1], text);
	snprintf(text, TEXT_SIZES_BYTES, "%.4g", ends[0]);
	return text;
}

static void print_sizes(FILE *out, const struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->n_sizes; i++) {
		const struct compare_size *size = &comparison->sizes[i];
		char before[TEXT_SIZES_BYTES], after[TEXT_SIZES_BYTES];

		fprintf(out, "  %s: %s, was %s: %s%s\n", size->name,
			size_text(size, size->after, after),
			size_text(size, size->before, before),
			!size->apart			   ? "no change"
			: size->after[0] > size->before[1] ? "larger"
							   : "smaller",
			size->apart && !size->changed
				? ", but the latencies of working sets between "
				  "the two sizes do not confirm this"
				: "");
	}
	if (comparison->n_sizes > 0)
		putc('\n', out);
}

/*
 * Print "L2, rate of 1 CPU: read: 21 % lower (109 -> 86 GiB/s) at 7 of 8 ...".
 */
static void print_stretch(FILE *out, const struct compare_curve *curve,
	const struct compare_stretch *stretch)
{
	struct curve as_curve = {.facts = curve->facts, .cpus = curve->cpus};
	char title[CURVE_TITLE_BYTES], name[CURVE_NAME_BYTES];

	curve_name(&as_curve, name);
	/* Avoid "latency: latency". */
	if (text_same(curve->facts.test, curve->facts.family))
		as_curve.facts.test = NULL;

	fprintf(out, "  %s%s%s: %s: ", stretch->level ? stretch->level : "",
		stretch->level ? ", " : "", curve_title(&as_curve, title),
		name);
	fprintf(out, "%.1f %% %s (%.4g -> %.4g %s)",
		fabs(100 * stretch->change / stretch->before),
		stretch->change < 0 ? "lower" : "higher", stretch->before,
		stretch->after, curve->facts.y_unit);
	if (compare_may_be_drift(stretch->tested, stretch->p))
		fprintf(out, ": changed or drifted");
	else if (curve->test != COMPARE_NONE)
		fprintf(out, " at %zu of %zu points: %s", stretch->n_changed,
			stretch->n_points,
			!stretch->tested	? "not tested"
			: !stretch->significant ? "no more than noise"
			: compare_is_worse(
				  curve->higher_is_better, stretch->change)
				? "worse"
				: "better");
	putc('\n', out);
}

/*
 * Print a curve by levels: all, or those that changed. The last stretch
 * contains all points. Return the number of printed levels.
 */
static size_t print_compared_curve(
	FILE *out, const struct compare_curve *curve, bool all)
{
	size_t printed = 0, last = curve->n_stretches - 1;
	bool named = curve->n > 0 && curve->x_names[0];

	for (size_t k = 0; k < curve->n_stretches; k++) {
		const struct compare_stretch *stretch = &curve->stretches[k];

		/* A median over all levels mixes near and far CPUs. */
		if (k == last && named)
			continue;
		if (!all && ((!stretch->significant &&
				     !compare_may_be_drift(
					     stretch->tested, stretch->p)) ||
				    (k == last && printed)))
			continue;
		print_stretch(out, curve, stretch);
		printed++;
	}
	return printed;
}

static bool has_intervals(const struct result *result)
{
	for (size_t i = 0; i < result->n_curves; i++) {
		const struct curve *curve = &result->curves[i];

		for (size_t k = 0; k < curve->n; k++) {
			if (!isnan(curve->low[k]) && !isnan(curve->high[k]))
				return true;
		}
	}
	return false;
}

/* If a record has no intervals, print the reason. Return false if it has. */
static bool print_few_passes(FILE *out, const struct compare_side *side)
{
	int64_t passes = side->result->run.passes;

	if (has_intervals(side->result))
		return false;
	fputs("  ", out);
	text_print_safe(out, side->source);
	fputs(" has no 95 % intervals", out);
	if (passes >= 0 && passes < STAT_CI95_LEAST)
		fprintf(out,
			": it has %" PRId64
			" pass%s; intervals need %d. Measure it again\n  with "
			"--passes %d",
			passes, passes == 1 ? "" : "es", STAT_CI95_LEAST,
			STAT_CI95_LEAST);
	fputs(".\n", out);
	return true;
}

static void print_compared_curves(FILE *out,
	const struct compare_side *reference, const struct compared_file *file,
	bool all)
{
	const struct comparison *comparison = &file->comparison;
	size_t n = 0, changed = 0, tested = 0, points = 0, printed = 0;
	bool by_runs = comparison->judge == COMPARE_BY_RUNS;
	enum compare_test test = by_runs ? COMPARE_RUNS : COMPARE_INTERVALS;
	char text[UNTESTED_BYTES];

	if (comparison->n_curves == 0)
		return;
	for (size_t i = 0; i < comparison->n_curves; i++) {
		const struct compare_curve *curve = &comparison->curves[i];

		n += curve->n;
		changed += curve->n_better + curve->n_worse;
		tested += curve->test != COMPARE_NONE;
		points += curve->n_tested;
	}
	fprintf(out, "%zu curve%s at %zu point%s: ", comparison->n_curves,
		comparison->n_curves == 1 ? "" : "s", n, n == 1 ? "" : "s");
	if (tested == 0)
		fputs("none can be tested\n", out);
	else if (by_runs && comparison->least_single_p > COMPARE_RATE)
		fputs("too few runs to test points (--runs 5)\n", out);
	else if (points == 0)
		fprintf(out, "none was tested, since %s\n",
			explain_untested(comparison, test));
	else
		fprintf(out, "%zu point%s changed (%s)%s\n", changed,
			changed == 1 ? "" : "s",
			by_runs ? "permutation test of runs"
				: "their 95 % intervals do not overlap",
			untested_text(
				comparison, n - points, "point", test, text));
	if (tested == 0 && !comparison->undecided) {
		bool few = print_few_passes(out, reference);

		few |= print_few_passes(out, &file->side);
		if (!few)
			fputs("  No point has a 95 % interval in both "
			      "records.\n",
				out);
		if (!all)
			fputs("  -v prints all changes, even those within "
			      "noise.\n",
				out);
	}
	for (size_t i = 0; i < comparison->n_curves; i++)
		printed +=
			print_compared_curve(out, &comparison->curves[i], all);
	if (printed == 0 && tested > 0)
		fputs("  No curve changed by more than noise; -v prints all.\n",
			out);
	putc('\n', out);
}

/* Print the numbers of runs, and whether they suffice for a test. */
static void print_run_counts(FILE *out, const struct comparison *comparison)
{
	bool enough = comparison->least_p <= COMPARE_RATE;

	fprintf(out,
		"Runs: %zu against %zu, which %s: the smallest possible p is "
		"%.2g, %s the threshold of %.2g.\n",
		comparison->n_runs[1], comparison->n_runs[0],
		enough ? "is enough" : "are too few", comparison->least_p,
		enough ? "below" : "above", COMPARE_RATE);
	if (comparison->needs_turns)
		fputs("All runs of one side came first, and this machine may "
		      "drift. c2c cannot\ndistinguish a change from drift, so "
		      "it compares each level with the rest of the\nmachine. "
		      "Interleave the sides to test everything.\n",
			out);
	else if (comparison->in_a_row)
		fputs("One side came first, so drift between the sides counts "
		      "as a change: interleave them.\n",
			out);
	putc('\n', out);
}

void compare_report(FILE *out, const struct compare_side *reference,
	const struct compared_file *file, bool all)
{
	const struct comparison *comparison = &file->comparison;
	size_t members = result_members(file->side.result)->n;

	text_print_safe(out, file->side.source);
	fputs(" against ", out);
	text_print_safe(out, reference->source);
	fprintf(out, ": %zu %s%s\n\n", members,
		result_member_word(file->side.result), members == 1 ? "" : "s");
	print_changed_facts(out, reference, &file->side, comparison);
	if (comparison->judge == COMPARE_BY_RUNS)
		print_run_counts(out, comparison);
	if (comparison->doubt)
		fprintf(out, "In doubt: %s.\n\n", comparison->doubt);
	if (comparison->undecided)
		fprintf(out, "Verdict: %s.\n\n", comparison->undecided);
	print_cache_lines(out, comparison, all);
	for (size_t i = 0; i < comparison->n_matrices; i++) {
		print_changed_pairs(out, comparison, &comparison->matrices[i]);
		print_levels(out, comparison, &comparison->matrices[i]);
	}
	print_sizes(out, comparison);
	print_compared_curves(out, reference, file, all);
	for (size_t i = 0; i < comparison->n_unmatched; i++)
		fprintf(out, "  %s\n", comparison->unmatched[i]);
}
