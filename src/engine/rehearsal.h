/*
 * Visits before the campaign, which decide how it measures: how many pairs run
 * together (jobs.h), and which waiting loop they use (spin_hint.h).
 */
#ifndef C2C_REHEARSAL_H
#define C2C_REHEARSAL_H

#include "engine/crew.h"
#include "util/error.h"

/* Return the ticks of a visit's halves that measure; NaN: not valid. */
double rehearsal_ticks(const struct crew_visit *visit);

/*
 * Run a program that chooses `what` ("--jobs"). After -EINTR (*stop is set) and
 * -EBUSY (a visit did not end in time) the crew is usable. After -ETIMEDOUT a
 * member is lost. There are other errors.
 */
int rehearsal_run(struct crew *crew, const struct crew_program *program,
	const char *what, struct error *err);

#endif
