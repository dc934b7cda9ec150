/*
 * Peak rates from the vendors' documents, for devices without a native rate.
 * c2c reports and draws these rates, but rejects no figure because of them:
 * devices of one name may have different clocks and memories. Private to
 * src/cl.
 *
 * All functions are pure.
 *
 * To add a GPU, add a row in theory.c with the vendor's document, and the
 * figures of its data sheet in tests/unit/test_cl_theory.c.
 */
#ifndef C2C_THEORY_H
#define C2C_THEORY_H

#include <stdbool.h>
#include <stddef.h>

#include "util/text.h"

enum theory_what {
	THEORY_NOTHING,
	THEORY_FLOAT,  /* multiply-adds, two operations each */
	THEORY_DOUBLE, /* multiply-adds of double, two operations each */
	THEORY_LOCAL,  /* local memory */
	THEORY_MEMORY, /* global memory beyond the caches */
};

enum theory_vendor {
	THEORY_UNKNOWN,
	THEORY_NVIDIA,
	THEORY_AMD,
};

/* Facts of a device; 0: not reported. */
struct theory_device {
	enum theory_vendor vendor;
	const char *name, *board; /* NULL: unknown; AMD's devices have both */
	unsigned major, minor;	  /* NVIDIA: compute capability */
	size_t units;
	double clock_ghz;
	/* AMD: SIMDs of a unit, lanes of a SIMD, operations of a lane. */
	unsigned simds, lanes, operations;
	unsigned banks; /* AMD: banks of local memory */
};

struct theory {
	double giga; /* 10^9 operations or bytes a second; NaN: unknown */
	double each; /* per clock and unit; 0: unknown */
	const char *source; /* static; the document */
};

struct theory theory_of(
	const struct theory_device *device, enum theory_what what);

/* Return whether a rate in GiB/s exceeds the known rate of a memory. */
bool theory_is_exceeded(const struct theory_device *device, double gib_per_s);

/*
 * Return a power of two: at least the work-items that all units hold. A unit
 * that the table does not list holds 2,048.
 */
size_t theory_items(const struct theory_device *device);

/*
 * Return the largest number of work-items that a unit holds at a time. If the
 * tables lack the unit, return 0, or 2,048.
 */
size_t theory_listed_items(const struct theory_device *device);
size_t theory_unit_items(const struct theory_device *device);

#endif
