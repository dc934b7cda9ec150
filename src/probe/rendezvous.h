/*
 * How the CPUs of a visit meet before a timed region. Private to src/probe.
 */
#ifndef C2C_RENDEZVOUS_H
#define C2C_RENDEZVOUS_H

#include <stdatomic.h>

#include "arch/arch.h"
#include "probe/probe.h"

/*
 * Wait until all n CPUs of the visit are here, as the first word of its slot
 * counts; false if it is abandoned.
 */
static inline bool probe_wait_for_cpus(
	const struct probe_visit *visit, uint32_t n)
{
	_Atomic uint32_t *here = visit->slots;
	uint32_t seen =
		atomic_fetch_add_explicit(here, 1, memory_order_acq_rel) + 1;

	while (seen < n) {
		arch_spin_hint();
		seen = atomic_load_explicit(here, memory_order_acquire);
	}
	return seen == n;
}

#endif
