#include "cl/clock.h"

#include <math.h>
#include <stdlib.h>

#include "cl/session.h"
#include "machine/frequency.h"
#include "stat/stat.h"
#include "util/array.h"

void clock_measure(struct session *session)
{
	const struct cpu_list *cpus = session->options->cpus;
	struct clock *clock = session->clock;
	double ghz;

	if (session->rc || !session->is_cpu || !clock ||
		machine_set_affinity(
			0, &cpus->cpus[clock->n % cpus->n], 1, NULL) < 0)
		return;
	ghz = frequency_ghz();
	machine_set_affinity(0, cpus->cpus, cpus->n, NULL);
	if (isnan(ghz))
		return;
	if (array_grow(&clock->ghz, clock->n, sizeof(*clock->ghz)))
		clock->ghz[clock->n++] = ghz;
	else
		session->rc = error_no_memory(session->err, "the clock");
}

void clock_record(struct session *session)
{
	struct facts *facts = &session->record->facts;
	const struct clock *clock = session->clock;
	double said = facts_number(facts, "device.clock_mhz") / 1e3;
	double median = stat_median(clock->ghz, clock->n), least = said;

	/* stat_median() sorts. */
	if (clock->n > 0)
		least = clock->ghz[0];
	else
		median = said > 0 ? said : NAN;
	facts_set_number(
		facts, "core_clock.least_ghz", least > 0 ? least : NAN);
	facts_set_number(facts, "core_clock.median_ghz", median);
	facts_set_text(facts, "core_clock.by", clock->n > 0 ? "c2c" : "device");
}

void clock_release(struct clock *clock)
{
	free(clock->ghz);
	*clock = (struct clock){0};
}
