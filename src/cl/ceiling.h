/*
 * Rates that the same CPUs reach without OpenCL: the ceilings of a kernel's
 * rates. Private to src/cl.
 */
#ifndef C2C_CEILING_H
#define C2C_CEILING_H

#include "cl/cl_verdict.h"
#include "cl/session.h"
#include "native/native.h"

/* A ceiling; its rate is NaN on devices other than CPUs. */
struct ceiling {
	enum native_what what;
	enum arch_operation operation; /* for arithmetic */
	bool alone;		       /* one CPU works alone */
	bool shared;		       /* each CPU reads all of the memory */
	size_t bytes;		       /* memory used; 0 for arithmetic */
	double counted;	  /* times that the rate counts each byte; 0: 1 */
	double rate;	  /* median in GiB/s, or in GFLOP/s for arithmetic */
	double low, high; /* its interval */
	unsigned rounds;  /* measurements so far */
};

/*
 * Measure a ceiling, or measure it again; the best median counts. The tests of
 * one run share their ceilings, and measure a ceiling again if a rate exceeds
 * it.
 */
void ceiling_measure(struct session *session, struct ceiling *ceiling);

/*
 * Return whether a rate, in the ceiling's unit, is possible: its median is at
 * most a fifth above the ceiling's median, or their intervals overlap.
 *
 * Other programs may have disturbed a ceiling. c2c therefore measures the
 * ceiling again while the rate is above it, up to `tries` times, with pauses
 * that grow to 0.4 seconds. If their intervals overlap, three measurements are
 * enough. With --quick, c2c makes at most two tries for a rate, and no try
 * after eight measurements. The ceiling is the best measurement.
 */
#define CEILING_TRIES 5
bool ceiling_allows_rate(struct session *session, struct ceiling *ceiling,
	struct median_interval rate, unsigned tries);

/*
 * Return whether a rate is possible below at least one of two ceilings. The
 * first ceiling is measured again only if the second ceiling, as stored,
 * excludes the rate.
 */
bool ceiling_either_allows(struct session *session, struct ceiling *first,
	struct ceiling *other, struct median_interval rate, unsigned tries);

/*
 * Do ceiling_allows_rate(); if it is impossible, record `what` as rejected.
 * what NULL: make one try, and record nothing.
 */
bool ceiling_check_rate(struct session *session, struct ceiling *ceiling,
	struct median_interval rate, const char *what);

/* A ceiling as a line in a picture. */
struct ceiling_line {
	const char *name;   /* name in the record; NULL: already recorded */
	const char *member; /* name in the panel; NULL: the curve's name */
	size_t at;	    /* the curve's index in the result */
	double from, to;    /* range of x */
};

/* Put a ceiling into the record and, if it is known, into the picture. */
int ceiling_show(struct session *session, const struct ceiling *ceiling,
	const struct ceiling_line *line);

/*
 * Put a limit, or the vendor's figure, into the record and into the picture of
 * the panel with curve at. Call it after all curves of the panel are measured.
 */
void ceiling_show_limit(
	struct session *session, struct theory theory, size_t at);
void ceiling_show_theory(
	struct session *session, enum theory_what what, size_t at);

/*
 * Add a bound to the picture for each of n points of curve at: the native rate
 * of the CPUs (CURVE_CEILING), or theory. NaN: none.
 */
void ceiling_show_roof(struct session *session, size_t at,
	enum curve_statistic statistic, const double *values);

/* Put a ceiling into the record only. */
void ceiling_record(struct session *session, const struct ceiling *ceiling,
	const char *name);

#endif
