#include "cl/curves.h"

#include <math.h>
#include <stdarg.h>
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

int curve_add(struct cl_session *session, const char *member,
	const struct curve_facts *facts, size_t n, size_t *at,
	struct error *err)
{
	struct curve_facts is = *facts;

	is.member = member;
	*at = session->result->n_curves;
	return result_add_curve(session->result, &is, n)
		       ? 0
		       : error_no_memory(err, "a curve");
}

struct curve *curve_at(const struct cl_session *session, size_t at)
{
	return &session->result->curves[at];
}

struct figure curve_figure(
	const struct cl_session *session, size_t at, size_t i)
{
	return figure_at(curve_at(session, at), i);
}

static void note_point(struct cl_session *session, size_t curve, double x,
	const struct cl_timing *timing)
{
	struct cl_point *all = reallocarray(
		session->points, session->n_points + 1, sizeof(*all));

	if (!all) {
		session->point_lost = true;
		return;
	}
	session->points = all;
	all[session->n_points++] = (struct cl_point){
		curve, x, timing->group, timing->runs, timing->checksum};
}

void curve_place(struct cl_session *session, size_t at, size_t i, double x)
{
	curve_at(session, at)->x[i] = x;
}

static void put(struct cl_session *session, size_t at, size_t i, double x,
	const double y[3], const struct cl_timing *timing)
{
	curve_set(curve_at(session, at), i, x, y);
	note_point(session, at, x, timing);
}

void curve_put_rate(struct cl_session *session, size_t at, size_t i, double x,
	double bytes, const struct cl_timing *timing)
{
	const double y[3] = {bytes / timing->median_s / CL_GIB,
		bytes / timing->high_s / CL_GIB,
		bytes / timing->low_s / CL_GIB};

	put(session, at, i, x, y, timing);
}

void curve_put_giga(struct cl_session *session, size_t at, size_t i, double x,
	double count, const struct cl_timing *timing)
{
	const double y[3] = {count / timing->median_s * 1e-9,
		count / timing->high_s * 1e-9, count / timing->low_s * 1e-9};

	put(session, at, i, x, y, timing);
}

void curve_put_step(struct cl_session *session, size_t at, size_t i, double x,
	double steps, const struct cl_timing *timing)
{
	const double y[3] = {timing->median_s * 1e9 / steps,
		timing->low_s * 1e9 / steps, timing->high_s * 1e9 / steps};

	put(session, at, i, x, y, timing);
}

void curve_put_time(struct cl_session *session, size_t at, size_t i, double x,
	const struct cl_timing *timing)
{
	const double y[3] = {timing->median_s * 1e3, timing->low_s * 1e3,
		timing->high_s * 1e3};

	put(session, at, i, x, y, timing);
}

static int compare_points(const void *a, const void *b)
{
	const struct cl_point *one = a, *other = b;

	if (one->curve != other->curve)
		return one->curve < other->curve ? -1 : 1;
	return (one->x > other->x) - (one->x < other->x);
}

/* Panels of a sweep's sizes stand behind all others. */
#define GROUPS_PART 9

/* Of a sweep: the curve of the sizes at n points, all of one curve. */
static int add_groups(struct cl_session *session, const struct cl_point *points,
	size_t n, struct error *err)
{
	struct curve_facts is = curve_at(session, points->curve)->is;
	struct curve *curve;
	char *family;

	if (asprintf(&family, "best work-group, %s", is.family) < 0)
		return error_no_memory(err, "a curve");
	is.family = family;
	is.y_name = "best work-group";
	is.y_unit = "work-items";
	is.place = CURVE_DETAIL;
	is.part = GROUPS_PART;
	curve = result_add_curve(session->result, &is, n);
	free(family);
	if (!curve)
		return error_no_memory(err, "a curve");
	for (size_t i = 0; i < n; i++) {
		curve->x[i] = points[i].x;
		curve->median[i] = (double)points[i].group;
	}
	return 0;
}

/* How many runs n points had, all of one curve, and in groups of what size. */
static int record_points(const struct cl_session *session,
	const struct cl_point *points, size_t n, struct error *err)
{
	const struct curve *of = curve_at(session, points->curve);
	char name[CURVE_NAME_BYTES];
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
			      curve_name(of, name), "y", of->is.family, "x", x,
			      "runs", runs, "work_group", groups, "checksum",
			      checksums));
	return failed ? error_no_memory(err, "the record") : 0;
}

/* Say where points have fewer runs than the user wants. */
static int find_few_runs(const struct cl_session *session, struct error *err)
{
	unsigned repeat = session->options->repeat, least = repeat;
	size_t few = 0;

	for (size_t i = 0; i < session->n_points; i++) {
		unsigned runs = session->points[i].runs;

		few += runs < repeat;
		if (runs < least)
			least = runs;
	}
	if (few == 0)
		return 0;
	return curve_finding(session, err,
		"%zu of %zu points have fewer than %u runs, %u at the least, "
		"since theirs take long",
		few, session->n_points, repeat, least);
}

double curves_noise(const struct result *result)
{
	size_t n = 0, most = 0;
	double *halves, noise;

	for (size_t i = 0; i < result->n_curves; i++)
		most += result->curves[i].n;
	halves = calloc(most + 1, sizeof(*halves));
	for (size_t i = 0; halves && i < result->n_curves; i++) {
		const struct curve *curve = &result->curves[i];

		for (size_t k = 0; k < curve->n; k++) {
			double half = (curve->high[k] - curve->low[k]) / 2 /
				      curve->median[k];

			if (!isnan(half))
				halves[n++] = half;
		}
	}
	noise = halves ? stat_median(halves, n) : NAN;
	free(halves);
	return noise;
}

static int find_noise(const struct cl_session *session, struct error *err)
{
	double noise = curves_noise(session->result);

	if (!(noise >= NOISY))
		return 0;
	return curve_finding(session, err,
		"half of the intervals are +-%.0f %% or wider: other programs "
		"run here, or other guests of the machine; measure again",
		noise * 100);
}

int curves_end(struct cl_session *session, bool failed, struct error *err)
{
	struct cl_point *all = session->points;
	size_t n = session->n_points;
	int rc = 0;

	if (session->point_lost && !failed)
		rc = error_no_memory(err, "the points of curves");
	if (n > 0)
		qsort(all, n, sizeof(*all), compare_points);
	for (size_t i = 0, end; i < n && rc == 0 && !failed; i = end) {
		for (end = i; end < n && all[end].curve == all[i].curve;)
			end++;
		rc = record_points(session, all + i, end - i, err);
		if (rc == 0 && session->options->sweep_groups && all[i].group)
			rc = add_groups(session, all + i, end - i, err);
	}
	if (rc == 0 && !failed)
		rc = find_few_runs(session, err);
	if (rc == 0 && !failed)
		rc = find_noise(session, err);
	free(all);
	session->points = NULL;
	session->n_points = 0;
	return rc;
}

static bool is_arithmetic(const struct ceiling *ceiling)
{
	return ceiling->what == NATIVE_FLOAT || ceiling->what == NATIVE_DOUBLE;
}

int ceiling_measure(const struct cl_session *session, struct ceiling *ceiling,
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

int ceiling_check(const struct cl_session *session, struct ceiling *ceiling,
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

int ceiling_record(const struct cl_session *session, const char *name,
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

/* The ceiling of that name in the panel of a curve; NULL: no memory. */
static struct curve *find_bound(
	const struct cl_session *session, size_t at, const char *name)
{
	struct result *result = session->result;
	struct curve_facts is = curve_at(session, at)->is;
	struct curve *bound;

	for (size_t i = at; i < result->n_curves; i++) {
		bound = &result->curves[i];
		if (bound->is.statistic == CURVE_CEILING &&
			curve_same_panel(bound, curve_at(session, at)) &&
			strcmp(bound->is.member, name) == 0)
			return bound;
	}
	is.member = name;
	is.variant = NULL;
	is.statistic = CURVE_CEILING;
	bound = result_add_curve(result, &is, curve_at(session, at)->n);
	if (bound)
		memcpy(bound->x, curve_at(session, at)->x,
			bound->n * sizeof(*bound->x));
	return bound;
}

int ceiling_draw(const struct cl_session *session, size_t at, const char *name,
	double from, double to, const struct ceiling *ceiling,
	struct error *err)
{
	struct curve *curve;

	if (isnan(ceiling->gib_per_s))
		return 0;
	curve = name ? find_bound(session, at, name) : curve_at(session, at);
	if (!curve || !curve_add_ceiling(curve))
		return error_no_memory(err, "a ceiling");
	for (size_t i = 0; i < curve->n; i++) {
		if (curve->x[i] >= from && curve->x[i] <= to)
			curve->ceiling[i] = ceiling->gib_per_s;
	}
	return 0;
}

/* Append a sentence to a list of the record. */
__attribute__((format(printf, 3, 0))) static int say(
	const struct cl_session *session, const char *name, const char *format,
	va_list args, struct error *err)
{
	json_t *list = json_object_get(session->record, name);
	char *text;
	int rc = 0;

	if (!list) {
		list = json_array();
		if (json_object_set_new(session->record, name, list))
			return error_no_memory(err, "the record");
	}
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	if (!text || json_array_append_new(list, json_string(text)))
		rc = error_no_memory(err, "the record");
	free(text);
	return rc;
}

int curve_reject(const struct cl_session *session, struct error *err,
	const char *format, ...)
{
	va_list args;
	int rc;

	va_start(args, format);
	rc = say(session, "rejected", format, args, err);
	va_end(args);
	return rc;
}

int curve_finding(const struct cl_session *session, struct error *err,
	const char *format, ...)
{
	va_list args;
	int rc;

	va_start(args, format);
	rc = say(session, "findings", format, args, err);
	va_end(args);
	return rc;
}
