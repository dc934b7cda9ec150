/*
 * The few things that C11 cannot express: the cycle counter with its ordering,
 * the spin-wait hint, flushing memory. Each instruction set has a header that
 * defines the same names; everything else uses C11 and clock_gettime(). All are
 * inline, because they are in timed loops.
 *
 *   ARCH_COUNTER_NAME          "tsc", "cntvct", or NULL without a counter
 *   arch_counter_begin()       read before a timed region: later memory
 *                              operations do not start earlier
 *   arch_counter_end()         read after it: earlier loads have completed
 *   arch_counter_hz()          the rate if the CPU states it, else 0
 *   arch_counter_invariant()   constant rate, never stopping
 *   arch_clocks(sum)           a chain of ARCH_CLOCKS additions. Each waits for
 *                              the one before it and takes a clock of the
 *                              core. Pass the result to the next call.
 *                              ARCH_CLOCKS is 0 if no chain is known
 *   ARCH_L1_INDEX_BYTES        lines that are a multiple of it apart share a
 *                              set of L1
 *   arch_spin_hint()               spin-wait hint
 *   arch_align_loop()          the code that follows begins at a multiple of 64
 *                              bytes; for the head of a short loop, outside it
 *   arch_flush_works()         whether arch_flush() does anything
 *   arch_flush(p, bytes, line_bytes)
 *                              write the lines of p[bytes] back, evict them
 *                              from every cache of every CPU, and wait for it;
 *                              line_bytes if the CPU does not report it;
 *                              under a hypervisor a call may cost microseconds
 *                              whatever the size
 *   arch_flush_line(p)         do so for the line of p, without waiting
 *   arch_fence()               wait until stores and flushes before it are done
 *   arch_hypervisor(name)      13 bytes: the hypervisor's own signature, or ""
 *
 * vector.c uses vector registers: it includes vector_kernels.h for each width.
 */
#ifndef C2C_ARCH_H
#define C2C_ARCH_H

/* ARCH_GENERIC lets tests use the code for other instruction sets. */
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
