/* Record how the points of curves were measured. */
#include "cl/sweep.h"

#include <math.h>
#include <stdlib.h>

#include "stat/stat.h"
#include "util/array.h"

/* A finding reports noise if half an interval / median reaches this ratio. */
#define NOISY 0.2

void curves_note_point(struct session *session, size_t curve, double x,
	const struct timing *timing)
{
	curves_forget_point(session, curve, x);
	if (array_grow(&session->points, session->n_points,
		    sizeof(*session->points)))
		session->points[session->n_points++] =
			(struct measured_point){curve, x, timing->group,
				timing->runs, timing->visits, timing->checksum};
	else
		session_no_memory(session, "the points of curves");
}

void curves_forget_point(struct session *session, size_t curve, double x)
{
	for (size_t i = session->n_points; i-- > 0;) {
		const struct measured_point *point = &session->points[i];

		if (point->curve == curve && point->x == x)
			session->points[i] =
				session->points[--session->n_points];
	}
}

static int order_curve_points(const void *a, const void *b)
{
	const struct measured_point *one = a, *other = b;

	if (one->curve != other->curve)
		return one->curve < other->curve ? -1 : 1;
	return (one->x > other->x) - (one->x < other->x);
}

static void add_best_groups_curve(
	struct session *session, const struct measured_point *points, size_t n)
{
	struct curve_facts facts = session->result->curves[points->curve].facts;
	struct curve *curve;

	facts.family =
		session_text(session, "best work-group, %s", facts.family);
	facts.y_name = "best work-group";
	facts.y_unit = "work-items";
	facts.y_axis = CURVE_COUNTS;
	curve = result_add_curve(session->result, &facts, n);
	if (!curve)
		session_no_memory(session, "a curve");
	for (size_t i = 0; i < n && curve; i++) {
		curve->x[i] = points[i].x;
		curve->median[i] = (double)points[i].group;
	}
}

/* Record how the n points of one curve were measured: a list for each key. */
static void record_points(
	struct session *session, const struct measured_point *points, size_t n)
{
	static const char *const keys[] = {
		"x", "runs", "visits", "work_group", "checksum"};
	const struct curve *of = &session->result->curves[points->curve];
	size_t mark = session_mark(session);
	double *values = session_memory(
		session, n * sizeof(*values), "the record of points");
	char name[CURVE_NAME_BYTES];
	struct facts row = {0};

	if (!values)
		return;
	facts_set_text(&row, "name", curve_name(of, name));
	facts_set_text(&row, "y", of->facts.family);
	for (size_t k = 0; k < N_OF(keys); k++) {
		for (size_t i = 0; i < n; i++) {
			size_t group = points[i].group;
			int64_t sum = points[i].checksum;

			values[i] = (double[]){points[i].x, points[i].runs,
				points[i].visits, group ? (double)group : NAN,
				sum >= 0 ? (double)sum : NAN}[k];
		}
		facts_set_numbers(&row, keys[k], values, n);
	}
	session_release(session, mark);
	session_record(session, "points", &row);
}

static void report_few_runs(struct session *session)
{
	unsigned repeat = (unsigned)session->options->repeat, least = repeat;
	size_t few = 0;

	for (size_t i = 0; i < session->n_points; i++) {
		few += session->points[i].runs < repeat;
		if (session->points[i].runs < least)
			least = session->points[i].runs;
	}
	if (few > 0)
		session_add_finding(session,
			"%zu of %zu points have fewer than %u runs (at least "
			"%u), because each run takes long",
			few, session->n_points, repeat, least);
}

/* List half of interval / median of each point, [*n] for free(); or NULL. */
static double *list_halves(const struct result *result, size_t *n)
{
	size_t most = 0;
	double *halves;

	*n = 0;
	for (size_t i = 0; i < result->n_curves; i++)
		most += result->curves[i].n;
	halves = calloc(most + 1, sizeof(*halves));
	for (size_t i = 0; halves && i < result->n_curves; i++) {
		const struct curve *curve = &result->curves[i];

		for (size_t k = 0; k < curve->n; k++) {
			halves[*n] = figure_noise(figure_at(curve, k));
			*n += !isnan(halves[*n]);
		}
	}
	return halves;
}

double curves_noise(const struct result *result)
{
	size_t n;
	double *halves = list_halves(result, &n);
	double noise = halves ? stat_median(halves, n) : NAN;

	free(halves);
	return noise;
}

size_t curves_count_wide(
	const struct result *result, double precision_pct, size_t *all)
{
	double *halves = list_halves(result, all);
	size_t wide = 0;

	for (size_t i = 0; i < *all; i++)
		wide += 100 * halves[i] > precision_pct;
	free(halves);
	return wide;
}

static void report_wide_points(struct session *session)
{
	double pct = session->options->precision_pct;
	size_t all, wide = curves_count_wide(session->result, pct, &all);

	if (session->rc)
		return;
	facts_set_count(&session->record->facts, "wide", (int64_t)wide);
	if (wide > 0)
		session_add_finding(session,
			"%zu of %zu points %s a 95 %% interval wider than "
			"+-%g %%; a longer --budget or a quieter machine helps",
			wide, all, wide == 1 ? "has" : "have", pct);
}

static void report_noisy_machine(struct session *session)
{
	double noise = curves_noise(session->result);

	if (noise >= NOISY)
		session_add_finding(session,
			"half of the intervals are +-%.0f %% or wider: other "
			"programs or other virtual machines use this machine; "
			"measure again",
			noise * 100);
}

int curves_end(struct session *session)
{
	struct measured_point *all = session->points;
	size_t n = session->n_points;

	if (n > 0)
		qsort(all, n, sizeof(*all), order_curve_points);
	for (size_t i = 0, end; i < n && session_ok(session); i = end) {
		for (end = i; end < n && all[end].curve == all[i].curve;)
			end++;
		record_points(session, all + i, end - i);
		if (session->options->sweep_groups && all[i].group)
			add_best_groups_curve(session, all + i, end - i);
	}
	report_few_runs(session);
	report_wide_points(session);
	report_noisy_machine(session);
	free(all);
	session->points = NULL;
	session->n_points = 0;
	return session->rc;
}
