/*
 * Two things that took turns, since what a machine gives changes from moment to
 * moment: only what was measured in the same round may be compared. Private to
 * src/cl.
 */
#ifndef C2C_CL_TURNS_H
#define C2C_CL_TURNS_H

#include <stddef.h>

#define TURNS_ROUNDS	   5
#define TURNS_QUICK_ROUNDS 3

struct turns {
	double one, other;	 /* medians of the rounds */
	double ratio, low, high; /* one over other within a round; its range */
};

/* Of n rounds, at most TURNS_ROUNDS; both arrays are put in order. */
struct turns turns_of(double *one, double *other, size_t n);

#endif
