/*
 * Curves with their intervals, and the ceiling that none may exceed. Private
 * to src/cl.
 */
#ifndef C2C_CL_CURVES_H
#define C2C_CL_CURVES_H

#include "cl/session.h"
#include "cl/verdict.h"
#include "native/native.h"

/*
 * Append a curve that is named member with n points; *at is its place in the
 * result. Of the facts the member is not looked at.
 */
int curve_add(struct cl_session *session, const char *member,
	const struct curve_facts *facts, size_t n, size_t *at,
	struct error *err);

/* The curve at that place: good until the next is added. */
struct curve *curve_at(const struct cl_session *session, size_t at);

/* Point i of a curve as a figure. */
struct figure curve_figure(
	const struct cl_session *session, size_t at, size_t i);

/*
 * Point i of the curve at at is at x: points that are never reached have their
 * places all the same.
 */
void curve_place(struct cl_session *session, size_t at, size_t i, double x);

/* Point i of the curve at *at: a rate of so many bytes in a time. */
void curve_put_rate(struct cl_session *session, size_t at, size_t i, double x,
	double bytes, const struct cl_timing *timing);

/* The same: so many times 10^9 of something a second. */
void curve_put_giga(struct cl_session *session, size_t at, size_t i, double x,
	double count, const struct cl_timing *timing);

/* The same: the time in ns of one of so many steps. */
void curve_put_step(struct cl_session *session, size_t at, size_t i, double x,
	double steps, const struct cl_timing *timing);

/* The same: the time in ms. */
void curve_put_time(struct cl_session *session, size_t at, size_t i, double x,
	const struct cl_timing *timing);

/*
 * The test is at an end: unless it failed, record for each point its runs and
 * the size of its work-groups; of a sweep add, for each curve of kernels, one
 * of these sizes; find where runs were few and intervals wide.
 */
int curves_end(struct cl_session *session, bool failed, struct error *err);

/*
 * Half of an interval as a share of its median, by the median of all points
 * that have one; NaN: none has.
 */
double curves_noise(const struct result *result);

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

int ceiling_measure(const struct cl_session *session, struct ceiling *ceiling,
	struct error *err);

/*
 * Whether a rate, in the ceiling's unit, is below it. One above it has the
 * ceiling measured again, since that may have had bad luck; *holds is false for
 * one that is above then too: it is no result, and the caller leaves it out.
 */
int ceiling_check(const struct cl_session *session, struct ceiling *ceiling,
	double rate, bool *holds, struct error *err);

/* Into the record, under "ceilings". */
int ceiling_record(const struct cl_session *session, const char *name,
	const struct ceiling *ceiling, struct error *err);

/*
 * For pictures, the ceiling of the points from x = from to to: of the curve at
 * at, or, with a name, of its whole panel. Nothing where no ceiling is known.
 */
int ceiling_draw(const struct cl_session *session, size_t at, const char *name,
	double from, double to, const struct ceiling *ceiling,
	struct error *err);

/* Say in the record, under "rejected", which figure is none, and why. */
int curve_reject(const struct cl_session *session, struct error *err,
	const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Add what a reader of the curves wants to know to the record's findings. */
int curve_finding(const struct cl_session *session, struct error *err,
	const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
