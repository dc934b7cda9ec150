/*
 * What the same CPUs can do without OpenCL, which no rate of a kernel may
 * exceed. Private to src/cl.
 */
#ifndef C2C_CL_CEILING_H
#define C2C_CL_CEILING_H

#include "cl/session.h"
#include "native/native.h"

/*
 * What the CPUs can do natively with so many bytes, or with numbers. There is
 * none for other devices than CPUs: the rate is NaN.
 */
struct ceiling {
	enum native_what what;
	enum arch_operation operation; /* of arithmetic */
	bool alone;		       /* by one CPU, not by all */
	size_t bytes;		       /* but of arithmetic */
	double rate;		       /* GiB/s; of arithmetic GFLOP/s */
	unsigned rounds;	       /* of measuring it */
};

/* Measure it, or measure it again: the best counts. */
int ceiling_measure(struct session *session, struct ceiling *ceiling);

/*
 * Whether a rate, in the ceiling's unit, is below it. For one that is above it
 * is measured again, since that may have had bad luck.
 */
bool ceiling_bears(
	struct session *session, struct ceiling *ceiling, double rate);

/* The same; a rate that is above is no result, and the record says so of what.
 */
bool ceiling_holds(struct session *session, struct ceiling *ceiling,
	double rate, const char *what);

/* Where a ceiling is shown. */
struct ceiling_line {
	const char *name;   /* in the record; NULL: it is there */
	const char *member; /* in the panel of a curve; NULL: of the curve */
	size_t at;	    /* of that curve */
	double from, to;    /* in x */
};

/* Put it into the record and, where it is known, the picture. */
int ceiling_show(struct session *session, const struct ceiling *ceiling,
	const struct ceiling_line *line);

/* Put it into the record alone. */
int ceiling_record(struct session *session, const struct ceiling *ceiling,
	const char *name);

#endif
