#include "cl/ceiling.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "machine/timebase.h"
#include "util/text.h"

/*
 * After this many measurements of a ceiling, measure it only once for each
 * higher rate: the kernels are truly faster than the native loop.
 */
#define MOST_ROUNDS 20

/*
 * Limits with --quick, because more measurements take minutes on a busy
 * machine: for one rate, and for a whole ceiling.
 */
#define QUICK_TRIES  2
#define QUICK_ROUNDS 8

/*
 * Number of measurements of a rate that is higher only within both intervals.
 */
#define WITHIN_ROUNDS 3

/*
 * Pause before the third consecutive measurement; the pause doubles each time.
 */
#define PAUSE_NS 50000000

/*
 * A kernel may be faster than the native loop by this ratio, although the same
 * hardware limits both. For example, a cache of an AMD Zen 5 has two modes, 408
 * to 419 and 501 to 514 GiB/s, and a loop may stay in either mode.
 */
#define TOLERANCE 1.2

/* Open the file of this run's ceilings, a line for each ceiling; or NULL. */
static FILE *open_shared_ceilings(
	const struct session *session, const char *mode)
{
	const char *folder = session->options->shared;
	char *path = folder ? text_format("%s/ceilings", folder) : NULL;
	FILE *file = path ? fopen(path, mode) : NULL;

	free(path);
	return file;
}

/* Return the rate that another test or curve measured; NaN: no such rate. */
static struct native_rate find_shared_ceiling(
	const struct session *session, const struct native_work *work, size_t n)
{
	FILE *file = open_shared_ceilings(session, "re");
	unsigned what, operation, shared;
	size_t bytes, cpus;
	struct native_rate best = {NAN, NAN, NAN}, rate;

	while (file && fscanf(file, "%u %u %zu %u %zu %lf %lf %lf", &what,
			       &operation, &bytes, &shared, &cpus, &rate.median,
			       &rate.low, &rate.high) == 8) {
		if (what == work->what && operation == work->operation &&
			bytes == work->bytes && shared == work->shared &&
			cpus == n && !(rate.median <= best.median))
			best = rate;
	}
	if (file)
		fclose(file);
	return best;
}

/* Store a rate for later tests. If that fails, later tests measure it again. */
static void keep_shared_ceiling(const struct session *session,
	const struct native_work *work, size_t n, struct native_rate rate)
{
	FILE *file = open_shared_ceilings(session, "ae");

	if (!file)
		return;
	fprintf(file, "%u %u %zu %u %zu %.17g %.17g %.17g\n",
		(unsigned)work->what, (unsigned)work->operation, work->bytes,
		work->shared, n, rate.median, rate.low, rate.high);
	fclose(file);
}

void ceiling_measure(struct session *session, struct ceiling *ceiling)
{
	const struct native_work work = {ceiling->what, ceiling->operation,
		ceiling->bytes, ceiling->shared, ceiling->rounds > 0,
		session->options->stop};
	struct cpu_list cpus;
	struct native_rate rate = {NAN, NAN, NAN};
	double begin_s = timebase_raw_s();
	double counted = ceiling->counted ? ceiling->counted : 1;

	if (session->rehearses)
		ceiling->rate = NAN;
	if (session->rc || session->rehearses)
		return;
	cpus = *session->options->cpus;
	if (ceiling->alone)
		cpus.n = 1;
	if (session->is_cpu && !work.again)
		rate = find_shared_ceiling(session, &work, cpus.n);
	if (session->is_cpu && isnan(rate.median)) {
		session->rc = native_measure(
			session->machine, &cpus, &work, &rate, session->err);
		if (session_stopped(session) == 0)
			keep_shared_ceiling(session, &work, cpus.n, rate);
	}
	session->ceilings_s += timebase_raw_s() - begin_s;
	if (ceiling->rounds++ > 0 && !(rate.median * counted > ceiling->rate))
		return;
	ceiling->rate = rate.median * counted;
	ceiling->low = rate.low * counted;
	ceiling->high = rate.high * counted;
}

/* Return whether a median is above the ceiling; false for NaN. */
static bool ceiling_is_below(
	const struct ceiling *ceiling, struct median_interval rate)
{
	return rate.median > TOLERANCE * ceiling->rate;
}

/* Return whether a median is higher by more than both intervals explain. */
static bool ceiling_excludes(
	const struct ceiling *ceiling, struct median_interval rate)
{
	/* A median of few runs has no interval: fmin() ignores the NaN. */
	return ceiling_is_below(ceiling, rate) &&
	       fmin(rate.low, rate.median) > fmax(ceiling->high, ceiling->rate);
}

bool ceiling_allows_rate(struct session *session, struct ceiling *ceiling,
	struct median_interval rate, unsigned tries)
{
	struct timespec pause = {.tv_nsec = PAUSE_NS};
	bool quick = session->options->quick;
	unsigned most = quick ? QUICK_TRIES : tries;

	if (ceiling->rounds >= (quick ? QUICK_ROUNDS : MOST_ROUNDS))
		most = quick ? 0 : 1;
	if (tries > most)
		tries = most;
	for (unsigned k = 0; k < tries && ceiling_is_below(ceiling, rate) &&
			     (ceiling->rounds < WITHIN_ROUNDS ||
				     ceiling_excludes(ceiling, rate)) &&
			     session_stopped(session) == 0;
		k++) {
		if (k > 0) {
			nanosleep(&pause, NULL);
			pause.tv_nsec *= 2;
		}
		ceiling_measure(session, ceiling);
	}
	return !ceiling_excludes(ceiling, rate);
}

bool ceiling_either_allows(struct session *session, struct ceiling *first,
	struct ceiling *other, struct median_interval rate, unsigned tries)
{
	return ceiling_allows_rate(session, other, rate, 0) ||
	       ceiling_allows_rate(session, first, rate, tries);
}

bool ceiling_check_rate(struct session *session, struct ceiling *ceiling,
	struct median_interval rate, const char *what)
{
	const char *unit = native_computes(ceiling->what) ? "GFLOP/s" : "GiB/s";
	bool holds = ceiling_allows_rate(
		session, ceiling, rate, what ? CEILING_TRIES : 1);

	if (!holds && what && session_ok(session))
		session_say(session, "rejected",
			"%s: %s %s is above the %s %s that the CPUs reach "
			"natively",
			what, session_number(session, rate.median), unit,
			session_number(session, ceiling->rate), unit);
	return session_ok(session) && holds;
}

void ceiling_record(struct session *session, const struct ceiling *ceiling,
	const char *name)
{
	static const char *const moves[] = {
		[NATIVE_READ] = "native read",
		[NATIVE_WRITE] = "native write",
		[NATIVE_COPY] = "native copy",
		[NATIVE_TRIAD] = "native triad",
	};
	static const char *const operations[] = {
		[ARCH_ADD] = "native additions",
		[ARCH_MUL] = "native multiplications",
		[ARCH_DIV] = "native divisions",
		[ARCH_MAD] = "native multiplications with additions",
	};
	bool computes = native_computes(ceiling->what);
	struct facts row = {0};

	facts_set_text(&row, "name", name);
	facts_set_text(&row, "what",
		computes ? operations[ceiling->operation]
			 : moves[ceiling->what]);
	facts_set_count(&row, "bytes", (int64_t)ceiling->bytes);
	facts_set_number(
		&row, computes ? "gflop_per_s" : "gib_per_s", ceiling->rate);
	if (!isnan(ceiling->rate)) {
		facts_set_number(&row, "ci_low", ceiling->low);
		facts_set_number(&row, "ci_high", ceiling->high);
	}
	session_record(session, "ceilings", &row);
}

/*
 * Find the bound of that name in a curve's panel, or add it; NULL: no memory.
 */
static struct curve *find_bound(struct result *result, size_t at,
	const char *name, enum curve_statistic statistic)
{
	struct curve_facts facts = result->curves[at].facts;
	struct curve *bound;

	for (size_t i = at; i < result->n_curves; i++) {
		bound = &result->curves[i];
		if (bound->facts.statistic == statistic &&
			curve_same_panel(bound, &result->curves[at]) &&
			strcmp(bound->facts.member, name) == 0)
			return bound;
	}
	facts.member = name;
	facts.variant = NULL;
	facts.statistic = statistic;
	bound = result_add_curve(result, &facts, result->curves[at].n);
	if (bound)
		memcpy(bound->x, result->curves[at].x,
			bound->n * sizeof(*bound->x));
	return bound;
}

/* find_bound() with values; name NULL: the curve itself. NULL: no memory. */
static struct curve *open_bound(struct session *session, size_t at,
	const char *name, enum curve_statistic statistic)
{
	struct curve *curve =
		name ? find_bound(session->result, at, name, statistic)
		     : &session->result->curves[at];

	if (curve && curve_add_ceiling(curve))
		return curve;
	session_no_memory(session, "a ceiling");
	return NULL;
}

int ceiling_show(struct session *session, const struct ceiling *ceiling,
	const struct ceiling_line *line)
{
	struct curve *curve;

	if (line->name)
		ceiling_record(session, ceiling, line->name);
	if (session->rc || isnan(ceiling->rate))
		return session->rc;
	curve = open_bound(session, line->at, line->member, CURVE_CEILING);
	for (size_t i = 0; curve && i < curve->n; i++) {
		if (curve->x[i] >= line->from && curve->x[i] <= line->to)
			curve->ceiling[i] = ceiling->rate;
	}
	return session->rc;
}

/* Return the best value of a panel. Ignore stride 0, which reads one word. */
static double best_of_panel(
	const struct result *result, const struct curve *panel)
{
	double best = NAN;

	for (size_t c = 0; c < result->n_curves; c++) {
		const struct curve *curve = &result->curves[c];

		for (size_t i = 0;
			i < curve->n && curve_same_panel(curve, panel); i++)
			if (curve->x[i] > 0)
				best = fmax(best, curve->median[i]);
	}
	return best;
}

void ceiling_show_theory(
	struct session *session, enum theory_what what, size_t at)
{
	ceiling_show_limit(session, theory_of(&session->theory, what), at);
}

void ceiling_show_limit(
	struct session *session, struct theory theory, size_t at)
{
	struct curve *panel = session->result->curves + at, *curve;
	bool computes = session_ok(session) &&
			strcmp(panel->facts.y_unit, "GFLOP/s") == 0;
	double rate = computes ? theory.giga : theory.giga * 1e9 / GIB;
	struct facts row = {0};

	if (session->rc || isnan(rate))
		return;
	facts_set_text(&row, "name", panel->facts.family);
	facts_set_number(&row, computes ? "gflop_per_s" : "gib_per_s", rate);
	facts_set_number(&row, "each_clock_and_unit",
		theory.each > 0 ? theory.each : NAN);
	facts_set_text(&row, "source", theory.source);
	facts_set_number(&row, "best_share",
		best_of_panel(session->result, panel) / rate);
	session_record(session, "theory", &row);
	curve = open_bound(session, at, "theory", CURVE_THEORY);
	for (size_t i = 0; curve && i < curve->n; i++)
		curve->ceiling[i] = rate;
}

void ceiling_show_roof(struct session *session, size_t at,
	enum curve_statistic statistic, const double *values)
{
	struct curve *curve;

	if (session->rc || isnan(values[0]))
		return;
	curve = open_bound(session, at, "roof", statistic);
	if (curve)
		memcpy(curve->ceiling, values, curve->n * sizeof(*values));
}
