/*
 * Before the campaign, c2c makes visits to choose the number of parallel pairs
 * (jobs.h) and the waiting loop (spin_hint.h).
 */
#ifndef C2C_REHEARSAL_H
#define C2C_REHEARSAL_H

#include "engine/crew.h"
#include "util/error.h"

/* Return the ticks of a visit's measuring halves; NaN if not valid. */
double rehearsal_ticks(const struct crew_visit *visit);

/*
 * Run a program that chooses `what` ("--jobs"). Return -EINTR if *stop is set,
 * -EBUSY if a visit did not end in time, -ETIMEDOUT if a member is lost, or
 * another negative errno. After -EINTR and -EBUSY the crew is usable.
 */
int rehearsal_run(struct crew *crew, const struct crew_program *program,
	const char *what, struct error *err);

#endif
