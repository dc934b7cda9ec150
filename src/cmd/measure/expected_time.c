/* Estimate how long a run will take, and print it before the run. */
#include <math.h>
#include <stdio.h>

#include "cmd/cli.h"
#include "cmd/measure/measure_run.h"

/* c2c does not announce a shorter run. */
#define ANNOUNCE_RUN_S 3.0

/* Print how to shorten a longer run. */
#define LONG_S 60.0

/* Return a rough time, "4 min" or "2.5 h", for printf's %s. */
static const char *format_rough_time(double s, char text[32])
{
	if (s < 90)
		snprintf(text, 32, "%.0f s", ceil(s));
	else if (s < 5400)
		snprintf(text, 32, "%.0f min", s / 60);
	else
		snprintf(text, 32, "%.1f h", s / 3600);
	return text;
}

/*
 * As in campaign.c, a run ends by passes or budget, whichever comes first, but
 * not within the first pass.
 */
double measure_expected_s(const struct campaign_options *options,
	double first_s, double pass_s, bool *sooner)
{
	double least = first_s + pass_s * (double)options->passes_min;
	double most = first_s + pass_s * (double)options->passes_max;
	double s;

	*sooner = false;
	/* If the time of a pass is unknown, only the budget is known. */
	if (pass_s == 0)
		return options->most_s == INFINITY
			       ? 0
			       : options->budget_s + options->sleep_s;
	s = fmax(fmin(options->budget_s, most), fmin(least, options->most_s));
	s = fmax(s, first_s + pass_s);
	*sooner = least < s;
	return s + options->sleep_s;
}

void measure_expected_text(size_t n, const char *noun, double s, bool sooner,
	const char *shorter_by, char text[MEASURE_EXPECTED_BYTES])
{
	bool advise = shorter_by && s > LONG_S;
	char time[32];

	*text = '\0';
	if (s > ANNOUNCE_RUN_S && isfinite(s))
		snprintf(text, MEASURE_EXPECTED_BYTES, "%zu %s%s, %s %s%s%s%s",
			n, noun, n == 1 ? "" : "s", sooner ? "up to" : "about",
			format_rough_time(s, time), advise ? "; " : "",
			advise ? shorter_by : "",
			advise ? " takes less time; Ctrl-C keeps the measured "
				 "values"
			       : "");
}

void measure_print_expected(
	const struct measure_state *run, const struct campaign_options *options)
{
	const struct measure_selection *selection = &run->selection;
	const struct measure_plan *plan = run->plan;
	double pass_s = plan->pair_s * (double)selection->n_pairs +
			plan->row_s * (double)measure_count_rows(selection);
	char text[MEASURE_EXPECTED_BYTES];
	bool sooner;
	double s = measure_expected_s(options, plan->first_s, pass_s, &sooner);

	if (run->options->verbosity < 0 || plan->rest)
		return;
	measure_expected_text(selection->n_pairs,
		options->noun ? options->noun : "pair", s, sooner,
		plan->shorter_by, text);
	if (*text)
		cli_notify(plan->command, "%s", text);
}

void measure_print_expected_runs(
	const struct measure_options *options, const struct measure_plan *plan)
{
	char text[MEASURE_EXPECTED_BYTES];

	/* Print nothing to a user who sets only --passes. */
	if (options->verbosity < 0 ||
		(option_given(&options->given, "passes") &&
			!option_given(&options->given, "budget")))
		return;
	measure_expected_text(options->runs, "run",
		(double)options->runs * options->budget_s, true, NULL, text);
	if (*text)
		cli_notify(plan->command, "%s", text);
}
