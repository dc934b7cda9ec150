/*
 * Rates that the same CPUs reach without OpenCL: the ceilings of a kernel's
 * rates. Private to src/cl.
 */
#ifndef C2C_CEILING_H
#define C2C_CEILING_H

#include "cl/cl_verdict.h"
#include "cl/session.h"
#include "native/native.h"

/* A ceiling; its rate is NaN on devices other than CPUs, which have none. */
struct ceiling {
	enum native_what what;
	enum arch_operation operation; /* for arithmetic */
	bool alone;		       /* one CPU works, not all */
	bool shared;		       /* each CPU uses all of the memory */
	size_t bytes;		       /* memory used; 0 for arithmetic */
	double counted;	  /* how often the rate counts each byte; 0 means 1 */
	double rate;	  /* GiB/s, or GFLOP/s for arithmetic: a median */
	double low, high; /* its interval */
	unsigned rounds;  /* measurements so far */
};

/*
 * Measure a ceiling, or measure it again; the best median counts. The tests of
 * one run share their ceilings, and measure one again if a rate exceeds it.
 */
void ceiling_measure(struct session *session, struct ceiling *ceiling);

/*
 * Return whether a rate, in the ceiling's unit, is possible: its median is at
 * most a fifth above the ceiling's, or both intervals overlap.
 *
 * Other programs may have disturbed a ceiling. So c2c measures the ceiling
 * again while the rate is above it, up to `tries` times, with pauses that grow
 * to 0.4 seconds. If both intervals overlap, three measurements are enough.
 * With --quick there are at most two tries, and none after eight measurements.
 * A ceiling never gets lower.
 */
#define CEILING_TRIES 5
bool ceiling_allows_rate(struct session *session, struct ceiling *ceiling,
	struct median_interval rate, unsigned tries);

/*
 * Return whether a rate is possible below either of two ceilings. The first is
 * measured again only if the second, as measured so far, excludes the rate.
 */
bool ceiling_either_allows(struct session *session, struct ceiling *first,
	struct ceiling *other, struct median_interval rate, unsigned tries);

/* Do ceiling_allows_rate(); if it is impossible, record `what` as rejected. */
bool ceiling_check_rate(struct session *session, struct ceiling *ceiling,
	struct median_interval rate, const char *what);

/* A ceiling's line in a picture. */
struct ceiling_line {
	const char *name;   /* name in the record; NULL: already recorded */
	const char *member; /* its name in the panel; NULL: the curve's */
	size_t at;	    /* the curve's index in the result */
	double from, to;    /* range of x */
};

/* Put a ceiling into the record and, if it is known, into the picture. */
int ceiling_show(struct session *session, const struct ceiling *ceiling,
	const struct ceiling_line *line);

/*
 * Put the vendor's figure into the record and into the picture of the panel
 * with curve at. All curves of the panel must have been measured.
 */
void ceiling_show_theory(
	struct session *session, struct theory theory, size_t at);

/*
 * Put a bound for each of n points of curve at into the picture: the native
 * rate of the CPUs (CURVE_CEILING), or theory. NaN: none.
 */
void ceiling_show_roof(struct session *session, size_t at,
	enum curve_statistic statistic, const double *values);

/* Put a ceiling into the record only. */
void ceiling_record(struct session *session, const struct ceiling *ceiling,
	const char *name);

#endif
