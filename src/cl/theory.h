/*
 * What a device can do by its maker's documents: bounds of devices that have no
 * native rate beside them. Told and drawn, never a reason to reject a figure,
 * because clocks and memories of one name differ. Private to src/cl.
 *
 * All functions are pure.
 *
 * Another GPU is a row in theory.c with the maker's document, and the figures
 * of its data sheet in tests/unit/test_cl_theory.c.
 */
#ifndef C2C_THEORY_H
#define C2C_THEORY_H

#include <stdbool.h>
#include <stddef.h>

#include "util/text.h"

enum theory_what {
	THEORY_NOTHING,
	THEORY_FLOAT,  /* multiplications with additions, two operations each */
	THEORY_DOUBLE, /* the same */
	THEORY_LOCAL,  /* local memory */
	THEORY_MEMORY, /* global memory behind the caches */
};

enum theory_vendor {
	THEORY_UNKNOWN,
	THEORY_NVIDIA,
	THEORY_AMD,
};

/* Facts of a device; 0: it does not say. */
struct theory_device {
	enum theory_vendor vendor;
	const char *name, *board; /* NULL: it does not say; AMD has both */
	unsigned major, minor;	  /* NVIDIA: the compute capability */
	size_t units;
	double clock_ghz;
	/* AMD: SIMDs of a unit, their lanes, operations of one of these. */
	unsigned simds, lanes, operations;
	unsigned banks; /* AMD: of local memory */
};

struct theory {
	double giga; /* 10^9 operations or bytes a second; NaN: not known */
	double each; /* a clock and unit; 0: not computed by clocks */
	const char *source; /* static; the document that says so */
};

struct theory theory_of(
	const struct theory_device *device, enum theory_what what);

/* Whether a rate in GiB/s is above what is known of a memory. */
bool theory_is_exceeded(const struct theory_device *device,
	enum theory_what what, double gib_per_s);

/*
 * A power of two of work-items that fills all units, at least as many as they
 * hold at once. A unit holds 2,048 if the table does not say.
 */
size_t theory_items(const struct theory_device *device);

/* The work-items that a unit holds at once; 2,048 if the table does not say. */
size_t theory_unit_items(const struct theory_device *device);

#endif
