#include "cl/clock.h"

#include <math.h>
#include <stdlib.h>

#include "cl/clock_cl.h"
#include "cl/session.h"
#include "machine/frequency.h"
#include "stat/stat.h"
#include "util/array.h"

/* A kernel counts clocks for this time: some hundred steps of its timer. */
#define COUNT_NS 200000

/* Range of plausible clock frequencies. */
#define LEAST_GHZ 0.01
#define MOST_GHZ  10

void clock_open(struct session *session)
{
	struct device_clock *clock = session->clock;
	cl_kernel kernel = NULL;

	if (session->theory.vendor == THEORY_NVIDIA)
		kernel = session_try_kernel(session, clock_cl, "count_clocks");
	if (!kernel)
		return;
	clock->out = session_buffer(session, 2 * sizeof(cl_ulong));
	session_arguments(session, kernel, 0, memory_argument(clock->out),
		word_argument(COUNT_NS));
	clock->kernel = session_ok(session) ? kernel : NULL;
}

double clock_ghz(uint64_t clocks, uint64_t ns)
{
	double ghz = (double)clocks / (double)ns;

	/* The comparisons are false for NaN (0 / 0). */
	return ghz >= LEAST_GHZ && ghz <= MOST_GHZ ? ghz : NAN;
}

static double measure_cpu_ghz(struct session *session)
{
	const struct cpu_list *cpus = session->options->cpus;
	size_t i = session->clock->n % cpus->n;
	double ghz;

	if (machine_set_affinity(0, &cpus->cpus[i], 1, NULL) < 0)
		return NAN;
	ghz = frequency_ghz();
	machine_set_affinity(0, cpus->cpus, cpus->n, NULL);
	return ghz;
}

/* Return the clock that a kernel measured; NaN after a failure. */
static double measure_kernel_ghz(struct session *session)
{
	const struct device_clock *clock = session->clock;
	const size_t one = 1;
	cl_ulong counted[2];

	if (clEnqueueNDRangeKernel(session->queue, clock->kernel, 1, NULL, &one,
		    &one, 0, NULL, NULL) ||
		clEnqueueReadBuffer(session->queue, clock->out, CL_TRUE, 0,
			sizeof(counted), counted, 0, NULL, NULL))
		return NAN;
	return clock_ghz(counted[0], counted[1]);
}

double clock_measure(struct session *session)
{
	struct device_clock *clock = session->clock;
	double ghz = NAN;

	if (session->rc || !clock)
		return NAN;
	if (session->is_cpu)
		ghz = measure_cpu_ghz(session);
	else if (clock->kernel)
		ghz = measure_kernel_ghz(session);
	if (isnan(ghz))
		return NAN;
	if (array_grow(&clock->ghz, clock->n, sizeof(*clock->ghz)))
		clock->ghz[clock->n++] = ghz;
	else
		session_no_memory(session, "the clock");
	return ghz;
}

static double clock_reported_ghz(const struct session *session)
{
	const struct facts *facts = &session->record->facts;

	return facts_number(facts, "device.clock_mhz") / 1e3;
}

double clock_median_ghz(const struct session *session)
{
	const struct device_clock *clock = session->clock;
	double reported_ghz = clock_reported_ghz(session);

	if (clock && clock->n > 0)
		return stat_median(clock->ghz, clock->n);
	return reported_ghz > 0 ? reported_ghz : NAN;
}

void clock_record(struct session *session)
{
	struct facts *facts = &session->record->facts;
	const struct device_clock *clock = session->clock;
	double median = clock_median_ghz(session),
	       least = clock_reported_ghz(session);

	if (clock->n > 0) {
		stat_sort(clock->ghz, clock->n);
		least = clock->ghz[0];
	}
	facts_set_number(
		facts, "core_clock.least_ghz", least > 0 ? least : NAN);
	facts_set_number(facts, "core_clock.median_ghz", median);
	facts_set_text(facts, "core_clock.by", clock->n > 0 ? "c2c" : "device");
}

void clock_release(struct device_clock *clock)
{
	free(clock->ghz);
	*clock = (struct device_clock){0};
}
