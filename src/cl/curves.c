#include "cl/curves.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* How often the ceiling is measured before a rate above it is given up. */
#define MOST_ROUNDS 5

/* Medians of two things that run at one limit scatter so far. */
#define TOLERANCE 1.10

static const char *const statistics[] = {"median", "ci_low", "ci_high"};

int curve_add_single(struct cl_session *session, const char *name,
	const struct curve_axes *axes, const char *statistic, size_t n,
	struct series **series, struct error *err)
{
	*series = result_add_series(session->result, name, axes->x_name,
		axes->x_unit, axes->y_name, axes->y_unit, statistic, n);
	return *series ? 0 : error_no_memory(err, "a curve");
}

int curve_add(struct cl_session *session, const char *name,
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

static void put(struct cl_session *session, size_t at, size_t i, double x,
	double median, double low, double high)
{
	struct series *series = session->result->series + at;
	double y[3] = {median, low, high};

	for (size_t k = 0; k < 3; k++) {
		series[k].x[i] = x;
		series[k].y[i] = y[k];
	}
}

void curve_put_rate(struct cl_session *session, size_t at, size_t i, double x,
	double bytes, const struct cl_timing *timing)
{
	put(session, at, i, x, bytes / timing->median_s / CL_GIB,
		bytes / timing->high_s / CL_GIB,
		bytes / timing->low_s / CL_GIB);
}

void curve_put_giga(struct cl_session *session, size_t at, size_t i, double x,
	double count, const struct cl_timing *timing)
{
	put(session, at, i, x, count / timing->median_s * 1e-9,
		count / timing->high_s * 1e-9, count / timing->low_s * 1e-9);
}

void curve_put_step(struct cl_session *session, size_t at, size_t i, double x,
	double steps, const struct cl_timing *timing)
{
	put(session, at, i, x, timing->median_s * 1e9 / steps,
		timing->low_s * 1e9 / steps, timing->high_s * 1e9 / steps);
}

void curve_put_time(struct cl_session *session, size_t at, size_t i, double x,
	const struct cl_timing *timing)
{
	put(session, at, i, x, timing->median_s * 1e3, timing->low_s * 1e3,
		timing->high_s * 1e3);
}

static bool is_arithmetic(const struct ceiling *ceiling)
{
	return ceiling->what == NATIVE_FLOAT || ceiling->what == NATIVE_DOUBLE;
}

int ceiling_measure(const struct cl_session *session, struct ceiling *ceiling,
	struct error *err)
{
	double rate;
	int rc;

	ceiling->rounds++;
	if (!session->is_cpu) {
		ceiling->gib_per_s = NAN;
		return 0;
	}
	if (is_arithmetic(ceiling))
		rc = native_peak(session->machine, session->options->cpus,
			ceiling->what, &rate, err);
	else
		rc = native_rate(session->machine, session->options->cpus,
			ceiling->what, ceiling->bytes, &rate, err);
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

int ceiling_record(const struct cl_session *session, const char *name,
	const struct ceiling *ceiling, struct error *err)
{
	static const char *const whats[] = {
		[NATIVE_READ] = "native read",
		[NATIVE_WRITE] = "native write",
		[NATIVE_FLOAT] = "native arithmetic",
		[NATIVE_DOUBLE] = "native arithmetic",
	};
	json_t *ceilings = json_object_get(session->record, "ceilings");

	if (!ceilings) {
		ceilings = json_array();
		if (json_object_set_new(session->record, "ceilings", ceilings))
			return error_no_memory(err, "the record");
	}
	if (json_array_append_new(
		    ceilings, json_pack("{s:s, s:s, s:I, s:o}", "name", name,
				      "what", whats[ceiling->what], "bytes",
				      (json_int_t)ceiling->bytes,
				      is_arithmetic(ceiling) ? "gflop_per_s"
							     : "gib_per_s",
				      isnan(ceiling->gib_per_s)
					      ? json_null()
					      : json_real(ceiling->gib_per_s))))
		return error_no_memory(err, "the record");
	return 0;
}

/* Append a sentence to a list of the record. */
static int say(const struct cl_session *session, const char *name,
	const char *format, va_list args, struct error *err)
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
