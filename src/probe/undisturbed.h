/*
 * Detect whether the kernel took the CPU away from the calling thread in a
 * timed region. If other threads used the caches, a time is not valid.
 */
#ifndef C2C_UNDISTURBED_H
#define C2C_UNDISTURBED_H

#include <sys/resource.h>

/* Tries before a disturbed visit is dropped, or its best try used. */
#define PROBE_TRIES 3

/* Return the involuntary context switches so far; compare before and after. */
static inline long probe_switches(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nivcsw : 0;
}

#endif
