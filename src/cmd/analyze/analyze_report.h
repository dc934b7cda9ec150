/* The report of c2c analyze, for the terminal and for pages. */
#ifndef C2C_ANALYZE_REPORT_H
#define C2C_ANALYZE_REPORT_H

#include "analyze/analyze.h"
#include "cmd/prose.h"
#include "render/plot.h"

/*
 * Print the report on standard output. compared_with names the topology that
 * the analysis was compared with (NULL: none). shared is a text on who shares a
 * cache (NULL: the analysis is not about caches). all: list every group.
 */
void analyze_report(const struct analysis *analysis,
	const struct result *result, const char *compared_with,
	const char *shared, bool all, struct arena *arena);

/* Print the report without its title, as text or pieces. */
void analyze_print_prose(struct prose *prose, const struct analysis *analysis,
	const char *compared_with, const char *shared, bool all,
	struct arena *arena);

/* Return "3,17: 15.45 ns (15.2 to 15.7)", with its interval if there is one. */
char *analyze_name_pair(const struct analysis_pair *pair, struct arena *arena);

/* Return "Epoch 2: 1.20 to 3.40 s, 25 passes", or "level 1, SMT siblings". */
char *analyze_name_epoch(
	const struct analysis *analysis, size_t k, struct arena *arena);
char *analyze_name_level(
	const struct analysis *analysis, size_t k, struct arena *arena);

/*
 * Return, in the order of the functions: "2 groups of 3 to 4 CPUs and 1 alone,
 * SMT siblings (inferred)"; the reason for no levels (shared as in
 * analyze_report()); a sentence on moved CPUs, or NULL.
 */
char *analyze_describe_level(
	const struct analysis *analysis, size_t k, struct arena *arena);
char *analyze_describe_no_levels(const struct analysis *analysis,
	const char *shared, struct arena *arena);
char *analyze_describe_placement(
	const struct analysis *analysis, struct arena *arena);

/*
 * Explain all outliers that share the property of outlier k. Return NULL unless
 * outlier k is the first with this property.
 */
char *analyze_describe_outliers(
	const struct analysis *analysis, size_t k, struct arena *arena);

/*
 * Return a list of the left-out pairs with reasons, or the number if these are
 * most pairs. Return NULL if no pair was left out.
 */
char *analyze_describe_left_out(
	const struct analysis *analysis, struct arena *arena);

/*
 * Make a plot show the CPUs in the order of the groups, with lines between the
 * groups. The arena owns the order and the lines.
 */
void analyze_order_drawing(const struct analysis *analysis,
	struct plot_options *options, struct arena *arena);

#endif
