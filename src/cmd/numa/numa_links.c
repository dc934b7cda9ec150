/*
 * The rates of CPUs that read together: curves over the number of CPUs, links
 * to memory that LLCs share, and the report on both.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyze/memory_links.h"
#include "analyze/recorded_links.h"
#include "cmd/numa/cmd_numa.h"
#include "cmd/numa/numa_scaling.h"
#include "figure/colour_scale.h"
#include "stat/stat.h"
#include "util/text.h"
#include "util/text_table.h"

/* Summarise a team's rate in *rate, for a curve and memory_links_find(). */
static void summarise_team(const struct numa_plan *own,
	const struct campaign *campaign, size_t point, double *values,
	struct link_rate *rate)
{
	size_t n = numa_gather_rates(own, campaign, point, values);
	double out[SUMMARY_STATISTICS];

	rate->halves[0] = stat_median(values, n / 2);
	rate->halves[1] = stat_median(values + n / 2, n - n / 2);
	summary_of(values, n, out);
	rate->median = out[SUMMARY_MEDIAN];
	rate->low = out[SUMMARY_CI_LOW];
	rate->high = out[SUMMARY_CI_HIGH];
}

static int add_scaling_curve(const struct numa_plan *own,
	const struct campaign *campaign, const struct numa_scaling *scaling,
	double *values, struct result *result, struct error *err)
{
	const struct numa_context *context = &own->context;
	const struct numa_point *points = &context->points[scaling->first];
	const struct cpu_list *cpus =
		&context->teams[points[scaling->n - 1].row].cpus;
	struct curve_facts facts = {.test = SCALING_TEST,
		.family = "all CPUs, each reads its nearest memory",
		.member = "near CPUs first",
		.x_name = "CPUs",
		.y_name = "rate of reads",
		.y_unit = "GiB/s",
		.x_axis = CURVE_COUNTS,
		.y_axis = CURVE_AMOUNTS};
	struct curve *curve;
	char member[40];

	if (scaling->llc >= 0) {
		snprintf(member, sizeof(member), "LLC %ld", scaling->llc);
		facts.family = "CPUs of one last-level cache";
		facts.member = member;
	}
	curve = summary_add_curve(
		result, &facts, scaling->n, cpus->cpus, cpus->n, err);
	if (!curve)
		return -ENOMEM;
	for (size_t i = 0; i < scaling->n; i++) {
		struct link_rate rate;

		summarise_team(
			own, campaign, scaling->first + i, values, &rate);
		curve_set(curve, i,
			(double)context->teams[points[i].row].cpus.n,
			(const double[]){rate.median, rate.low, rate.high});
	}
	return 0;
}

/* Describe why the links are in doubt; NULL without memory. */
static char *describe_doubt(const struct memory_links *links,
	const struct link_rate *rates, size_t n)
{
	const struct link_rate *both = &rates[links->a * n + links->b];
	double alone = rates[links->a * n + links->a].median +
		       rates[links->b * n + links->b].median;

	switch (links->finding) {
	case LINKS_UNKNOWN:
		return text_format("the rates of LLCs %zu and %zu have too few "
				   "passes",
			links->a, links->b);
	case LINKS_UNCLEAR:
		return text_format(
			"LLCs %zu and %zu read %.3g to %.3g GiB/s together; "
			"the sum of their rates alone is %.3g",
			links->a, links->b, both->low, both->high, alone);
	case LINKS_CHANGED:
		return text_format("LLCs %zu and %zu read %.3g GiB/s together "
				   "in the first half of the run and %.3g in "
				   "the second; the cause may be other work or "
				   "the host",
			links->a, links->b, both->halves[0], both->halves[1]);
	case LINKS_CONTRADICT:
	case LINKS_FOUND:
		break;
	}
	return text_format("LLCs %zu and %zu share no link with each other, "
			   "but each seems to share a link with a third LLC",
		links->a, links->b);
}

/* Record the links, or the reason for doubt. */
static int record_links(struct facts *run, const struct link_rate *rates,
	size_t n, double *values, struct error *err)
{
	struct memory_links links;
	size_t *link_of = calloc(n, sizeof(*link_of));
	char *doubt = NULL;
	int rc;

	if (!link_of)
		return error_no_memory(err, "the last-level caches");
	for (size_t k = 0; k < n * n; k++)
		values[k] = k / n <= k % n ? rates[k].median : NAN;
	facts_set_numbers(run, LINKS_KEY_RATES, values, n * n);
	rc = memory_links_find(rates, n, &links, link_of, err);
	if (rc < 0) {
		free(link_of);
		return rc;
	}
	for (size_t i = 0; i < n; i++)
		values[i] =
			links.finding == LINKS_FOUND ? (double)link_of[i] : NAN;
	facts_set_numbers(run, LINKS_KEY, values, n);
	if (links.finding == LINKS_FOUND) {
		facts_set_flag(run, LINKS_KEY_JOIN, links.common);
	} else {
		doubt = describe_doubt(&links, rates, n);
		facts_set_text(run, LINKS_KEY_DOUBT, doubt);
	}
	free(doubt);
	free(link_of);
	return run->failed ? error_no_memory(err, "the last-level caches") : 0;
}

/* Return the point of an LLC alone (a == b), or of two LLCs together. */
static size_t point_of_llcs(const struct numa_plan *own, size_t a, size_t b)
{
	const struct numa_scaling *alone = &own->scalings[1 + a];

	if (own->n_llcs == 1)
		alone = &own->scalings[0];
	if (a == b)
		return alone->first + alone->n - 1;
	/* Count the pairs before row a of the upper triangle. */
	return own->first_pair + a * (2 * own->n_llcs - a - 1) / 2 + b - a - 1;
}

static int add_links(const struct numa_plan *own,
	const struct campaign *campaign, double *values, struct result *result,
	struct error *err)
{
	size_t n = own->n_llcs;
	struct link_rate *rates = calloc(n * n, sizeof(*rates));
	double *cells = calloc(n * n, sizeof(*cells));
	int rc;

	for (size_t k = 0; rates && k < n * n; k++) {
		if (k / n <= k % n)
			summarise_team(own, campaign,
				point_of_llcs(own, k / n, k % n), values,
				&rates[k]);
	}
	rc = rates && cells
		     ? record_links(&result->run.other, rates, n, cells, err)
		     : error_no_memory(err, "the rates");
	free(rates);
	free(cells);
	return rc;
}

int numa_add_scalings(const struct numa_plan *own,
	const struct campaign *campaign, struct result *result,
	struct error *err)
{
	double *values = calloc(campaign->n_passes + 1, sizeof(*values));
	int rc = values ? 0 : error_no_memory(err, "the rates");

	for (size_t s = 0; rc == 0 && s < own->n_scalings; s++)
		rc = add_scaling_curve(
			own, campaign, &own->scalings[s], values, result, err);
	if (rc == 0 && own->n_llcs)
		rc = add_links(own, campaign, values, result, err);
	free(values);
	return rc;
}

/* Set the rates to the medians over the runs, where all runs have a rate. */
static bool merge_rates(struct result *result, size_t n)
{
	size_t n_runs = result->n_runs;
	double *all = calloc(n_runs * n * n, sizeof(*all));
	double *one = calloc(n_runs, sizeof(*one));
	bool fits = all && one;

	for (size_t r = 0; fits && r < n_runs; r++)
		facts_numbers(&result->runs[r].run.other, LINKS_KEY_RATES,
			all + r * n * n, n * n);
	for (size_t k = 0; fits && k < n * n; k++) {
		for (size_t r = 0; r < n_runs; r++)
			one[r] = all[r * n * n + k];
		/* all[k], of the first run, is not read again. */
		all[k] = stat_median(one, n_runs);
	}
	if (fits)
		facts_set_numbers(
			&result->run.other, LINKS_KEY_RATES, all, n * n);
	free(all);
	free(one);
	return fits;
}

/* Return why the links are in doubt after several runs; NULL: no doubt. */
static const char *doubt_of_runs(const struct result *result)
{
	const struct fact *first =
		facts_find(&result->runs[0].run.other, LINKS_KEY);

	for (size_t r = 0; r < result->n_runs; r++) {
		const struct facts *run = &result->runs[r].run.other;
		const char *doubt = facts_text(run, LINKS_KEY_DOUBT);

		if (doubt)
			return doubt;
		if (!fact_same(first, facts_find(run, LINKS_KEY)))
			return "the runs find different links; the cause may "
			       "be "
			       "other work or the host";
	}
	return NULL;
}

int numa_merge_links(struct result *result, struct error *err)
{
	struct facts *run = &result->run.other;
	size_t n = facts_numbers(run, LINKS_KEY, NULL, 0);
	const char *doubt;

	if (n == 0 || result->n_runs == 0)
		return 0;
	doubt = doubt_of_runs(result);
	if (doubt) {
		double *unknown = curve_new_missing(n);

		facts_set_numbers(run, LINKS_KEY, unknown, unknown ? n : 0);
		free(unknown);
		facts_drop(run, LINKS_KEY_JOIN);
		facts_set_text(run, LINKS_KEY_DOUBT, doubt);
	}
	return merge_rates(result, n) && !run->failed
		       ? 0
		       : error_no_memory(err, "the last-level caches");
}

/* Add a link: its LLCs ("0,1"), their CPUs, and its highest rate. */
static void add_link_cells(struct text_list *table,
	const struct recorded_links *links, size_t link, size_t *first)
{
	struct cpu_list llcs = {.n = 0}, cpus = {.n = 0};
	char *llcs_text, *cpus_text;

	for (size_t a = links->n; a-- > 0;) {
		const struct cpu_list *of = recorded_links_cpus(links, a);

		if (links->link_of[a] != link)
			continue;
		*first = a;
		/* If memory is out, the lists are incomplete. */
		cpu_list_add(&llcs, (unsigned)a, NULL);
		for (size_t i = 0; of && i < of->n; i++)
			cpu_list_add(&cpus, of->cpus[i], NULL);
	}
	cpu_list_sort(&llcs);
	cpu_list_sort(&cpus);
	llcs_text = cpu_list_format(&llcs);
	cpus_text = cpu_list_format(&cpus);
	text_list_add(table, "\n", "%s\t%s\t%.3g", llcs_text ? llcs_text : "?",
		cpus_text ? cpus_text : "?", recorded_links_rate(links, link));
	free(llcs_text);
	free(cpus_text);
	cpu_list_release(&llcs);
	cpu_list_release(&cpus);
}

/* Add "4 of 8 CPUs of LLC 0 reach 36 GiB/s". */
static void add_enough_cell(
	struct text_list *table, const struct recorded_links *links, size_t llc)
{
	const struct curve *curve =
		recorded_links_curve(links->result, 1 + llc);
	struct numa_scaling_figures figures;

	if (!curve)
		return;
	figures = numa_find_scaling(curve->x, curve->median, curve->n);
	text_list_add(table, "\t", "%.0f of %.0f CPUs of LLC %zu reach %.3g",
		figures.enough_cpus, figures.last_cpus, llc,
		figures.enough_gib_per_s);
}

static void print_links(FILE *out, const struct recorded_links *links)
{
	struct text_list table = {.text = NULL};

	if (links->n_links == 1)
		fputs("All last-level caches share one link to memory.\n", out);
	else if (links->n_links == links->n)
		fputs("No two last-level caches share a link to memory: any "
		      "two together read about the sum of their rates alone.\n",
			out);
	else
		fputs("Links to memory that last-level caches share: together, "
		      "these read less than the sum of their rates alone.\n",
			out);
	text_list_add(&table, "", "LLCs<8\t CPUs<14\t GiB/s>8\t  <");
	for (size_t link = 0; link < links->n_links; link++) {
		size_t first = links->n;

		add_link_cells(&table, links, link, &first);
		add_enough_cell(&table, links, first);
	}
	text_table_print(out, &table, "-", SIZE_MAX);
	if (facts_flag(&links->result->run.other, LINKS_KEY_JOIN))
		fputs("All these links share another link, which any two of "
		      "these links saturate.\n",
			out);
}

/* Print the links to memory of the record. */
static void report_links(FILE *out, const struct result *result)
{
	struct recorded_links links;
	struct error err;

	/* If memory is out, omit the links. */
	if (recorded_links_read(result, &links, &err) < 0)
		return;
	if (links.n > 0 && links.doubt)
		fprintf(out,
			"c2c cannot determine which last-level caches share a "
			"link to memory: %s.\n",
			links.doubt);
	else if (links.n == 1)
		fputs("All CPUs share one last-level cache and its link to "
		      "memory.\n",
			out);
	else if (links.n > 1)
		print_links(out, &links);
	recorded_links_release(&links);
}

void numa_report_scalings(FILE *out, const struct result *result)
{
	const struct curve *curve = recorded_links_curve(result, 0);
	struct text_list table = {.text = NULL};
	struct numa_scaling_figures figures;
	char text[NUMA_SCALING_BYTES];

	if (!curve)
		return;
	fputs("\nRate of reads over the number of CPUs, near CPUs first, each "
	      "from its nearest memory\n",
		out);
	text_list_add(&table, "", "CPUs>6\t GiB/s>9");
	for (size_t i = 0; i < curve->n; i++) {
		char number[PLOT_NUMBER_BYTES];

		plot_format_fixed(number, curve->median[i], 2);
		text_list_add(&table, "\n", "%.0f\t%s", curve->x[i], number);
	}
	text_table_print(out, &table, "-", SIZE_MAX);
	figures = numa_find_scaling(curve->x, curve->median, curve->n);
	if (isnan(figures.most_gib_per_s))
		fputs("No point has a value.\n", out);
	else
		fprintf(out, "%s.\n", numa_scaling_text(&figures, text));
	report_links(out, result);
}
