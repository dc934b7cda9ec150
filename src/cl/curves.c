#include "cl/curves.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stat/stat.h"

/* How often the ceiling is measured before a rate above it is given up. */
#define MOST_ROUNDS 5

/* Medians of two things that run at one limit scatter so far. */
#define TOLERANCE 1.10

/* Half of an interval, as a share of the median, that users are told of. */
#define NOISY 0.2

static const char *const statistics[] = {"median", "ci_low", "ci_high"};

int curve_add_single(struct session *session, const char *name,
	const struct curve_axes *axes, const char *statistic, size_t n,
	struct series **series, struct error *err)
{
	*series = result_add_series(session->result, name, axes->x_name,
		axes->x_unit, axes->y_name, axes->y_unit, statistic, n);
	return *series ? 0 : error_no_memory(err, "a curve");
}

int curve_add(struct session *session, const char *name,
	const struct curve_axes *axes, size_t n, size_t *at, struct error *err)
{
	*at = session->result->n_series;
	for (size_t i = 0; i < 3; i++) {
		struct series *series;
		int rc = curve_add_single(
			session, name, axes, statistics[i], n, &series, err);

		if (rc < 0)
			return rc;
	}
	return 0;
}

static void note_point(struct session *session, size_t curve, double x,
	const struct timing *timing)
{
	struct point *all = reallocarray(
		session->points, session->n_points + 1, sizeof(*all));

	if (!all) {
		session->point_lost = true;
		return;
	}
	session->points = all;
	all[session->n_points++] = (struct point){
		curve, x, timing->group, timing->runs, timing->checksum};
}

void curve_place(struct session *session, size_t at, size_t i, double x)
{
	for (size_t k = 0; k < 3; k++)
		session->result->series[at + k].x[i] = x;
}

static void put(struct session *session, size_t at, size_t i, double x,
	const double y[3], const struct timing *timing)
{
	curve_place(session, at, i, x);
	for (size_t k = 0; k < 3; k++)
		session->result->series[at + k].y[i] = y[k];
	note_point(session, at, x, timing);
}

void curve_put_rate(struct session *session, size_t at, size_t i, double x,
	double bytes, const struct timing *timing)
{
	const double y[3] = {bytes / timing->median_s / GIB,
		bytes / timing->high_s / GIB, bytes / timing->low_s / GIB};

	put(session, at, i, x, y, timing);
}

void curve_put_giga(struct session *session, size_t at, size_t i, double x,
	double count, const struct timing *timing)
{
	const double y[3] = {count / timing->median_s * 1e-9,
		count / timing->high_s * 1e-9, count / timing->low_s * 1e-9};

	put(session, at, i, x, y, timing);
}

void curve_put_step(struct session *session, size_t at, size_t i, double x,
	double steps, const struct timing *timing)
{
	const double y[3] = {timing->median_s * 1e9 / steps,
		timing->low_s * 1e9 / steps, timing->high_s * 1e9 / steps};

	put(session, at, i, x, y, timing);
}

void curve_put_time(struct session *session, size_t at, size_t i, double x,
	const struct timing *timing)
{
	const double y[3] = {timing->median_s * 1e3, timing->low_s * 1e3,
		timing->high_s * 1e3};

	put(session, at, i, x, y, timing);
}

static int compare_points(const void *a, const void *b)
{
	const struct point *one = a, *other = b;

	if (one->curve != other->curve)
		return one->curve < other->curve ? -1 : 1;
	return (one->x > other->x) - (one->x < other->x);
}

/* Of a sweep: the curve of the sizes at n points, all of one curve. */
static int add_groups(struct session *session, const struct point *points,
	size_t n, struct error *err)
{
	const struct series *of = &session->result->series[points->curve];
	struct curve_axes axes = {
		.x_name = of->x_name,
		.x_unit = of->x_unit,
		.y_unit = "work-items",
	};
	struct series *series;
	char *y_name;
	int rc;

	if (asprintf(&y_name, "best work-group, %s", of->y_name) < 0)
		return error_no_memory(err, "a curve");
	axes.y_name = y_name;
	rc = curve_add_single(
		session, of->name, &axes, "median", n, &series, err);
	free(y_name);
	for (size_t i = 0; i < n && rc == 0; i++) {
		series->x[i] = points[i].x;
		series->y[i] = (double)points[i].group;
	}
	return rc;
}

/* How many runs n points had, all of one curve, and in groups of what size. */
static int record_points(const struct session *session,
	const struct point *points, size_t n, struct error *err)
{
	const struct series *of = &session->result->series[points->curve];
	json_t *rows = json_object_get(session->record, "points");
	json_t *x = json_array(), *runs = json_array(), *groups = json_array();
	json_t *checksums = json_array();
	int failed = 0;

	if (!rows) {
		rows = json_array();
		failed |= json_object_set_new(session->record, "points", rows);
	}
	for (size_t i = 0; i < n; i++) {
		failed |= json_array_append_new(x, json_real(points[i].x));
		failed |= json_array_append_new(
			runs, json_integer((json_int_t)points[i].runs));
		failed |= json_array_append_new(groups,
			points[i].group
				? json_integer((json_int_t)points[i].group)
				: json_null());
		failed |= json_array_append_new(checksums,
			points[i].checksum >= 0
				? json_integer((json_int_t)points[i].checksum)
				: json_null());
	}
	failed |= json_array_append_new(
		rows, json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "name",
			      of->name, "y", of->y_name, "x", x, "runs", runs,
			      "work_group", groups, "checksum", checksums));
	return failed ? error_no_memory(err, "the record") : 0;
}

/* Say where points have fewer runs than the user wants. */
static void find_few_runs(struct session *session)
{
	unsigned repeat = session->options->repeat, least = repeat;
	size_t few = 0;

	for (size_t i = 0; i < session->n_points; i++) {
		unsigned runs = session->points[i].runs;

		few += runs < repeat;
		if (runs < least)
			least = runs;
	}
	if (few > 0)
		session_find(session,
			"%zu of %zu points have fewer than %u runs, %u at the "
			"least, since theirs take long",
			few, session->n_points, repeat, least);
}

double curves_noise(const struct result *result)
{
	size_t n = 0, most = 0;
	double *halves, noise;

	for (size_t i = 0; i < result->n_series; i++)
		most += result->series[i].n;
	halves = calloc(most + 1, sizeof(*halves));
	for (size_t i = 0; halves && i + 2 < result->n_series; i++) {
		const struct series *curve = &result->series[i];

		if (strcmp(curve[1].y_statistic, "ci_low") != 0)
			continue;
		for (size_t k = 0; k < curve->n; k++) {
			double half = (curve[2].y[k] - curve[1].y[k]) / 2 /
				      curve[0].y[k];

			if (!isnan(half))
				halves[n++] = half;
		}
	}
	noise = halves ? stat_median(halves, n) : NAN;
	free(halves);
	return noise;
}

static void find_noise(struct session *session)
{
	double noise = curves_noise(session->result);

	if (noise >= NOISY)
		session_find(session,
			"half of the intervals are +-%.0f %% or wider: other "
			"programs run here, or other guests of the machine; "
			"measure again",
			noise * 100);
}

int curves_end(struct session *session)
{
	struct point *all = session->points;
	size_t n = session->n_points;

	if (session->point_lost && session_ok(session))
		session->rc =
			error_no_memory(session->err, "the points of curves");
	if (n > 0)
		qsort(all, n, sizeof(*all), compare_points);
	for (size_t i = 0, end; i < n && session_ok(session); i = end) {
		for (end = i; end < n && all[end].curve == all[i].curve;)
			end++;
		session->rc =
			record_points(session, all + i, end - i, session->err);
		if (session_ok(session) && session->options->sweep_groups &&
			all[i].group)
			session->rc = add_groups(
				session, all + i, end - i, session->err);
	}
	find_few_runs(session);
	find_noise(session);
	free(all);
	session->points = NULL;
	session->n_points = 0;
	return session->rc;
}

static bool is_arithmetic(const struct ceiling *ceiling)
{
	return ceiling->what == NATIVE_FLOAT || ceiling->what == NATIVE_DOUBLE;
}

int ceiling_measure(const struct session *session, struct ceiling *ceiling,
	struct error *err)
{
	struct cpu_list cpus = *session->options->cpus;
	double rate;
	int rc;

	if (ceiling->alone)
		cpus.n = 1;
	ceiling->rounds++;
	if (!session->is_cpu) {
		ceiling->gib_per_s = NAN;
		return 0;
	}
	if (is_arithmetic(ceiling))
		rc = native_peak(session->machine, &cpus, ceiling->what,
			ceiling->operation, &rate, err);
	else
		rc = native_rate(session->machine, &cpus, ceiling->what,
			ceiling->bytes, &rate, err);
	if (rc == 0)
		ceiling->gib_per_s = ceiling->rounds == 1
					     ? rate
					     : fmax(ceiling->gib_per_s, rate);
	return rc;
}

int ceiling_check(const struct session *session, struct ceiling *ceiling,
	double rate, bool *holds, struct error *err)
{
	int rc = 0;

	while (rc == 0 && rate > TOLERANCE * ceiling->gib_per_s &&
		ceiling->rounds < MOST_ROUNDS)
		rc = ceiling_measure(session, ceiling, err);
	/* True of a ceiling that is NaN. */
	*holds = !(rate > TOLERANCE * ceiling->gib_per_s);
	return rc;
}

/* What was done natively. */
static const char *what_of(const struct ceiling *ceiling)
{
	static const char *const moves[] = {
		[NATIVE_READ] = "native read",
		[NATIVE_WRITE] = "native write",
		[NATIVE_COPY] = "native copy",
	};
	static const char *const operations[] = {
		[ARCH_ADD] = "native additions",
		[ARCH_MUL] = "native multiplications",
		[ARCH_DIV] = "native divisions",
		[ARCH_MAD] = "native multiplications with additions",
	};

	return is_arithmetic(ceiling) ? operations[ceiling->operation]
				      : moves[ceiling->what];
}

int ceiling_record(const struct session *session, const char *name,
	const struct ceiling *ceiling, struct error *err)
{
	json_t *ceilings = json_object_get(session->record, "ceilings");

	if (!ceilings) {
		ceilings = json_array();
		if (json_object_set_new(session->record, "ceilings", ceilings))
			return error_no_memory(err, "the record");
	}
	if (json_array_append_new(
		    ceilings, json_pack("{s:s, s:s, s:I, s:o}", "name", name,
				      "what", what_of(ceiling), "bytes",
				      (json_int_t)ceiling->bytes,
				      is_arithmetic(ceiling) ? "gflop_per_s"
							     : "gib_per_s",
				      isnan(ceiling->gib_per_s)
					      ? json_null()
					      : json_real(ceiling->gib_per_s))))
		return error_no_memory(err, "the record");
	return 0;
}

/* The first series that shows y_name; of that name and statistic, or any. */
static struct series *find_series(const struct result *result,
	const char *y_name, const char *name, const char *statistic)
{
	for (size_t i = 0; i < result->n_series; i++) {
		struct series *series = &result->series[i];

		if (strcmp(series->y_name, y_name) == 0 &&
			(!name || strcmp(series->name, name) == 0) &&
			(!statistic ||
				strcmp(series->y_statistic, statistic) == 0))
			return series;
	}
	return NULL;
}

int ceiling_draw(const struct session *session, const char *y_name,
	const char *name, double from, double to, const struct ceiling *ceiling,
	struct error *err)
{
	struct result *result = session->result;
	const struct series *like = find_series(result, y_name, NULL, NULL);
	struct series *series = find_series(result, y_name, name, "ceiling");

	if (isnan(ceiling->gib_per_s) || !like)
		return 0;
	if (!series) {
		size_t at = (size_t)(like - result->series);

		series = result_add_series(result, name, like->x_name,
			like->x_unit, y_name, like->y_unit, "ceiling", like->n);
		if (!series)
			return error_no_memory(err, "a curve");
		memcpy(series->x, result->series[at].x,
			series->n * sizeof(*series->x));
	}
	for (size_t i = 0; i < series->n; i++) {
		if (series->x[i] >= from && series->x[i] <= to)
			series->y[i] = ceiling->gib_per_s;
	}
	return 0;
}
