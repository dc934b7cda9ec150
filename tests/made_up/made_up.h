/*
 * c2c on a machine that is not there: two packages of four CPUs, SMT siblings
 * side by side, each package with a last-level cache and a NUMA node. Time,
 * too, is made up: it is that of the visits. So a run takes its decisions by
 * numbers that a test knows, and ends with the same record on any machine.
 *
 * The environment variable C2C_MADE_UP has what a test chooses: words
 * NAME=VALUE with blanks between them. Each file here says which names it
 * knows.
 */
#ifndef C2C_TESTS_MADE_UP_H
#define C2C_TESTS_MADE_UP_H

#include <stdint.h>

#include "probe/probe.h"

/* Let hwloc see that machine. A test may choose another one before. */
void made_up_pretend(void);

/* The number of that name, or the other one. */
double made_up(const char *name, double otherwise);

/* The text of that name up to the next blank, for free(); NULL: none. */
char *made_up_text(const char *name);

/* Whether a CPU is sibling of the other, or only below the same cache. */
enum made_up_distance {
	MADE_UP_SAME,
	MADE_UP_SIBLINGS,
	MADE_UP_CACHE,
	MADE_UP_ACROSS,
};

/*
 * A visit begins: the first half calls this. With end=N the Nth one interrupts
 * c2c, by signal=NUMBER if that is named, and by SIGTERM again_ms=N later; with
 * parent=1 the process that started it. False: it measures nothing, and drop=N
 * says that of every Nth, slow_us=N that each really takes so long, hang=N of
 * the Nth, which ends only when it is abandoned (or never, with deaf=1), and
 * fail=N of the Nth, which ends the run with a message.
 */
bool made_up_visit(const struct probe_visit *visit);

/*
 * Send this process a signal, and wait until its first thread takes it: the
 * others block all signals.
 */
void made_up_interrupt(int signal);

/* The second half calls this: the CPU of the Nth is moved with move=N. */
void made_up_second_visit(void);

/* In [-1, 1], of this visit and this run. */
double made_up_noise(const struct probe_visit *visit);

/*
 * All samples of a half are this value, as a whole number of its millionths;
 * more=N % more of it for each campaign before this one, and up to noise=N %
 * away from it.
 */
bool made_up_put(const struct probe_visit *visit, double value, int64_t *ticks);

double made_up_scale(
	const struct probe_params *params, uint32_t variant, double ticks);

/* Of every probe here. */
void made_up_abandon(void *slot);

/* Of machine.c: where the CPUs of a visit are. */
enum made_up_distance made_up_distance_of(const struct probe_visit *visit);

/* Time passes; a half hangs, or does so no more; this thread's CPU is moved. */
void made_up_pass_time(double s);
void made_up_hang(bool hangs);
void made_up_move(void);

#endif
