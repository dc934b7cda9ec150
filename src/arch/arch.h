/*
 * Operations that C11 cannot express: ordered reads of the cycle counter, the
 * spin-wait hint, flushing memory. Each instruction set has a header that
 * defines the same names; everything else uses C11 and clock_gettime(). All are
 * inline, because they are in timed loops.
 *
 *   ARCH_COUNTER_NAME          "tsc", "cntvct", or NULL without a counter
 *   arch_counter_begin()       read the counter before a timed region, and
 *                              before all later memory operations
 *   arch_counter_end()         read the counter after all earlier loads
 *   arch_counter_hz()          the rate if the CPU states it, or 0
 *   arch_counter_invariant()   whether the counter has a constant rate
 *   arch_clocks(sum)           make ARCH_CLOCKS dependent additions, one clock
 *                              each. Pass the result to the next call.
 *                              ARCH_CLOCKS is 0 if no chain is known
 *   ARCH_L1_INDEX_BYTES        distance of two lines in the same set of L1
 *   arch_spin_hint()           execute the spin-wait hint
 *   arch_align_loop()          align the code that follows to 64 bytes, before
 *                              a short loop
 *   arch_flush_works()         whether arch_flush() has an effect
 *   arch_flush(p, bytes, line_bytes)
 *                              write the lines of p[bytes] back, evict them
 *                              from all caches of all CPUs, and wait; a call
 *                              may take microseconds under a hypervisor
 *   arch_flush_line(p)         write back and evict the line of p; do not wait
 *   arch_fence()               wait until stores and flushes before it are done
 *   arch_hypervisor(name)      13 bytes: the hypervisor's own signature, or ""
 *
 * vector.c uses vector registers: it includes vector_kernels.h for each width.
 */
#ifndef C2C_ARCH_H
#define C2C_ARCH_H

/* With ARCH_GENERIC, tests use the code for other instruction sets. */
#if defined(ARCH_GENERIC)
#include "arch/generic.h"
#elif defined(__x86_64__)
#include "arch/x86_64.h"
#elif defined(__aarch64__)
#include "arch/aarch64.h"
#else
#include "arch/generic.h"
#endif

#endif
