/*
 * Visits before the campaign, which decide how it measures: how many pairs
 * together (jobs.h), by which waiting loop (spin_hint.h).
 */
#ifndef C2C_REHEARSAL_H
#define C2C_REHEARSAL_H

#include "engine/crew.h"
#include "util/error.h"

/* Ticks of a visit: of whichever halves measure; NaN when it did not count. */
double rehearsal_ticks(const struct crew_visit *visit);

/*
 * Run a program, so that `what` may be chosen ("--jobs"). -EINTR when *stop
 * was seen, -EBUSY when a visit did not end in time; the crew can go on after
 * these two. -ETIMEDOUT when a member is lost, and others.
 */
int rehearsal_run(struct crew *crew, const struct crew_program *program,
	const char *what, struct error *err);

#endif
