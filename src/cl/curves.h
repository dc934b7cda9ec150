/*
 * Curves with their intervals, and the ceiling that none may exceed. Private
 * to src/cl.
 */
#ifndef C2C_CL_CURVES_H
#define C2C_CL_CURVES_H

#include "cl/timing.h"
#include "native/native.h"

/* What a curve is drawn over and what it shows. */
struct curve_axes {
	const char *x_name, *x_unit;
	const char *y_name, *y_unit;
};

/*
 * Append the series median, ci_low and ci_high of that name with n points, of
 * which the first is *at in the result.
 */
int curve_add(struct session *session, const char *name,
	const struct curve_axes *axes, size_t n, size_t *at, struct error *err);

/*
 * Point i of the curve at at is at x: points that are never reached have their
 * places all the same.
 */
void curve_place(struct session *session, size_t at, size_t i, double x);

/* Point i of the curve at *at: a rate of so many bytes in a time. */
void curve_put_rate(struct session *session, size_t at, size_t i, double x,
	double bytes, const struct timing *timing);

/* The same: so many times 10^9 of something a second. */
void curve_put_giga(struct session *session, size_t at, size_t i, double x,
	double count, const struct timing *timing);

/* The same: the time in ns of one of so many steps. */
void curve_put_step(struct session *session, size_t at, size_t i, double x,
	double steps, const struct timing *timing);

/* The same: the time in ms. */
void curve_put_time(struct session *session, size_t at, size_t i, double x,
	const struct timing *timing);

/*
 * The test is at an end: unless it failed, record for each point its runs and
 * the size of its work-groups; of a sweep add, for each curve of kernels, one
 * of these sizes; find where runs were few and intervals wide.
 */
int curves_end(struct session *session);

/*
 * Half of an interval as a share of its median, by the median of all points
 * that have one; NaN: none has.
 */
double curves_noise(const struct result *result);

/* The curve of one statistic alone: 0 and *series with n points, all NaN. */
int curve_add_single(struct session *session, const char *name,
	const struct curve_axes *axes, const char *statistic, size_t n,
	struct series **series, struct error *err);

/*
 * What the CPUs can do natively with so many bytes, or with numbers. Of devices
 * that are no CPUs there is none: the rate is NaN.
 */
struct ceiling {
	enum native_what what;
	enum arch_operation operation; /* of arithmetic */
	bool alone;		       /* by one CPU, not by all */
	size_t bytes;		       /* but of arithmetic */
	union {
		double gib_per_s;
		double gflop_per_s; /* of NATIVE_FLOAT and NATIVE_DOUBLE */
	};
	unsigned rounds; /* of measuring it */
};

int ceiling_measure(const struct session *session, struct ceiling *ceiling,
	struct error *err);

/*
 * Whether a rate, in the ceiling's unit, is below it. One above it has the
 * ceiling measured again, since that may have had bad luck; *holds is false for
 * one that is above then too: it is no result, and the caller leaves it out.
 */
int ceiling_check(const struct session *session, struct ceiling *ceiling,
	double rate, bool *holds, struct error *err);

/* Into the record, under "ceilings". */
int ceiling_record(const struct session *session, const char *name,
	const struct ceiling *ceiling, struct error *err);

/*
 * For pictures, among the curves that show y_name: what is drawn at the points
 * from x = from to to of the series of that name and the statistic "ceiling",
 * which is made when there is none. Nothing where no ceiling is known.
 */
int ceiling_draw(const struct session *session, const char *y_name,
	const char *name, double from, double to, const struct ceiling *ceiling,
	struct error *err);

#endif
