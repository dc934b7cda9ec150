#include "engine/rehearsal.h"

#include <errno.h>
#include <math.h>

double rehearsal_ticks(const struct crew_visit *visit)
{
	if (isnan(visit->ticks[1]))
		return visit->ticks[0];
	if (isnan(visit->ticks[0]))
		return visit->ticks[1];
	return (visit->ticks[0] + visit->ticks[1]) / 2;
}

int rehearsal_run(struct crew *crew, const struct crew_program *program,
	const char *what, struct error *err)
{
	struct crew_report report;
	enum crew_outcome outcome = crew_run(crew, program, &report);

	switch (outcome) {
	case CREW_DONE:
		return 0;
	case CREW_STOPPED:
		return error_set(err, ERROR_FAILURE, EINTR,
			"interrupted before anything was measured");
	case CREW_FAILED:
		if (err)
			*err = report.error;
		return -report.error.code;
	case CREW_MOVED:
		return error_set(err, ERROR_FAILURE, EIO,
			"the thread of CPU %u was moved to CPU %d while %s was "
			"chosen: the CPU went offline or left this process's "
			"cpuset",
			report.cpu, report.ran_on, what);
	default:
		return error_set(err, ERROR_FAILURE,
			outcome == CREW_LOST ? ETIMEDOUT : EBUSY,
			"CPUs %u and %u did not finish a visit while %s was "
			"chosen: another program occupies one of them; try "
			"again, or leave that CPU out with --cpus",
			report.cpu, report.partner, what);
	}
}
