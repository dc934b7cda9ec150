/* Synchronize the CPUs of a visit before timing. Private to src/probe. */
#ifndef C2C_RENDEZVOUS_H
#define C2C_RENDEZVOUS_H

#include "arch/arch.h"
#include "probe/probe.h"

/* The slot of a visit: the numbers of CPUs that have arrived and left. */
struct probe_rendezvous {
	_Atomic uint32_t here, gone;
	_Atomic uint32_t phase; /* for the probe */
};

static inline bool probe_is_abandoned(const struct probe_visit *visit)
{
	const _Atomic uint32_t *word = visit->slots;

	return atomic_load_explicit(word, memory_order_relaxed) ==
	       PROBE_ABANDONED;
}

/*
 * Wait for all n CPUs of the visit, counted in the first word of the slot.
 * Return false if the visit is abandoned.
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

/* Leave the visit. The last of n CPUs clears the slot for the next visit. */
static inline void probe_leave(const struct probe_visit *visit, uint32_t n)
{
	struct probe_rendezvous *rendezvous = visit->slots;
	uint32_t gone = atomic_fetch_add_explicit(
				&rendezvous->gone, 1, memory_order_acq_rel) +
			1;

	if (gone < n)
		return;
	atomic_store_explicit(&rendezvous->phase, 0, memory_order_relaxed);
	atomic_store_explicit(&rendezvous->here, 0, memory_order_relaxed);
	atomic_store_explicit(&rendezvous->gone, 0, memory_order_relaxed);
}

#endif
