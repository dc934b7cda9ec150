/*
 * A probe that measures nothing: its ticks come from a function of the test.
 * The halves meet in the slot as real ones do, so that crew and campaign are
 * driven for real, on CPUs that need not exist.
 */
#ifndef C2C_TESTS_FAKE_PROBE_H
#define C2C_TESTS_FAKE_PROBE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "probe/probe.h"

/* What params->context points to. */
struct fake_world {
	/* Ticks of a visit; half 0 is the first CPU's. */
	double (*ticks)(
		unsigned first, unsigned second, uint32_t pass, int half);

	/* Called by the first half with both threads in the visit. */
	void (*during)(const struct probe_visit *visit);

	atomic_uint *busy; /* [cpu]: halves running there; may be NULL */
	atomic_uint twice; /* CPUs found busy with another half */
	atomic_uint visits;

	/* The second half of this visit hangs: 1 until abandoned, 2 for ever */
	int hang;
	unsigned hang_first, hang_second;
	uint32_t hang_pass;
};

/* One value a visit, symmetric; and one value for each direction. */
extern const struct probe fake_probe;
extern const struct probe fake_one_way_probe;

#endif
