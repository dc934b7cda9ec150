/*
 * What the same CPUs reach without OpenCL, which no rate of a kernel may
 * exceed. Private to src/cl.
 */
#ifndef C2C_CEILING_H
#define C2C_CEILING_H

#include "cl/session.h"
#include "native/native.h"

/* The rate is NaN for devices other than CPUs: they have no ceiling. */
struct ceiling {
	enum native_what what;
	enum arch_operation operation; /* of arithmetic */
	bool alone;		       /* by one CPU, not by all */
	bool shared;		       /* each CPU has all of the memory */
	size_t bytes;		       /* of memory; 0 for arithmetic */
	double counted;	 /* how often the rate has each byte; 0 is 1 */
	double rate;	 /* GiB/s; of arithmetic GFLOP/s */
	unsigned rounds; /* how often it was measured */
};

/*
 * Measure it, or measure it again: the best counts. The tests of c2c cl all
 * take what another one measured, and measure it again where a rate is above.
 */
void ceiling_measure(struct session *session, struct ceiling *ceiling);

/*
 * Whether a rate, in the ceiling's unit, is below it. A ceiling is a
 * measurement too, and others may have disturbed it: while the rate is above,
 * it is measured again, so many times at most, with pauses that grow up to 0.4
 * seconds between the last of CEILING_TRIES. With --quick two tries are the
 * most, and none once it was measured eight times. A ceiling never sinks.
 */
#define CEILING_TRIES 5
bool ceiling_allows_rate(struct session *session, struct ceiling *ceiling,
	double rate, unsigned tries);

/*
 * Whether a rate is below either of two: the first is measured again only if
 * the other one, as it was measured, does not bear the rate.
 */
bool ceiling_either_allows(struct session *session, struct ceiling *first,
	struct ceiling *other, double rate, unsigned tries);

/* ceiling_allows_rate(); if it is above, the record lists what as rejected. */
bool ceiling_check_rate(struct session *session, struct ceiling *ceiling,
	double rate, const char *what);

/* Where a ceiling is shown. */
struct ceiling_line {
	const char *name;   /* in the record; NULL: it is there already */
	const char *member; /* a line of the panel; NULL: of the curve */
	size_t at;	    /* the curve's place in the result */
	double from, to;    /* in x */
};

/* Put it into the record and, if it is known, the picture. */
int ceiling_show(struct session *session, const struct ceiling *ceiling,
	const struct ceiling_line *line);

/*
 * Put what the maker promises into the record and the picture: for the panel of
 * the curve at that place, whose curves have all been measured.
 */
void ceiling_show_theory(
	struct session *session, struct theory theory, size_t at);

/*
 * Put a bound of each point, n of them, into the picture: what the CPUs do
 * natively (CURVE_CEILING) or theory, of the curve at that place. NaN: none.
 */
void ceiling_show_roof(struct session *session, size_t at,
	enum curve_statistic statistic, const double *values);

/* Put it into the record only. */
void ceiling_record(struct session *session, const struct ceiling *ceiling,
	const char *name);

#endif
