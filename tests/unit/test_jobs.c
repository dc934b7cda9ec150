/*
 * How many pairs together, by what it costs pairs of every distance: threads
 * bound nowhere, on a pretended machine of 32 CPUs.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "../case_group.h"
#include "../topo/pretend.h"
#include "engine/jobs.h"
#include "fake_probe.h"

#define N_CPUS 32

/* CPUs 2k and 2k + 1 are siblings. */
#define MACHINE "package:2 l3:2 core:4 pu:2"

/* What company makes of a visit's ticks. */
static struct {
	double siblings, others;
	atomic_uint active;
	atomic_uint visits; /* of siblings, alone */
} company;

static _Thread_local bool has_company;

/* Long enough that the other pairs of a step begin meanwhile. */
static void look_around(const struct probe_visit *visit)
{
	const struct timespec time = {.tv_nsec = 500000};

	has_company = atomic_fetch_add(&company.active, 1) > 0;
	nanosleep(&time, NULL);
	if (atomic_load(&company.active) > 1)
		has_company = true;
	atomic_fetch_sub(&company.active, 1);
	if (!has_company && visit->first_cpu / 2 == visit->second_cpu / 2)
		atomic_fetch_add(&company.visits, 1);
}

static double in_company(
	unsigned first, unsigned second, uint32_t pass, int half)
{
	double factor =
		first / 2 == second / 2 ? company.siblings : company.others;

	(void)pass;
	(void)half;
	return 10000 * (has_company ? factor : 1);
}

/* Settle on a number of pairs where company costs so much. */
static size_t settle(double siblings, double others, double *bias)
{
	static atomic_bool stop;
	struct machine *machine = pretend_synthetic(MACHINE);
	struct fake_world world = {.ticks = in_company, .during = look_around};
	struct cpu_list cpus = {NULL, 0};
	const struct campaign_options options =
		fake_options(&world, &cpus, &stop);
	const struct crew_options crew_options = {.cpus = &cpus,
		.probe = options.probe,
		.params = &options.params,
		.idle = CREW_PARK,
		.patience_s = 30,
		.stop = &stop};
	const struct lines_options lines_options = {.cpus = &cpus,
		.n_blocks = N_CPUS,
		.block_bytes = PROBE_SLOT_BYTES,
		.pages = MEMORY_PAGES_BASE};
	struct jobs_options jobs_options = {
		.machine = machine, .cpus = &cpus, .seed = 5, .limit = 0.02};
	struct schedule schedule;
	struct lines lines;
	struct crew *crew;
	size_t jobs = 0;

	company.siblings = siblings;
	company.others = others;
	atomic_store(&company.visits, 0);
	for (unsigned cpu = 0; cpu < N_CPUS; cpu++)
		assert_int_equal(cpu_list_add(&cpus, cpu, NULL), 0);
	assert_int_equal(
		schedule_init_all(&schedule, N_CPUS, false, 3, NULL), 0);
	assert_int_equal(lines_init(&lines, &lines_options, NULL), 0);
	assert_int_equal(crew_new(&crew, &crew_options, NULL), 0);
	jobs_options.schedule = &schedule;
	jobs_options.lines = &lines;
	assert_int_equal(
		jobs_settle(&jobs_options, crew, &jobs, bias, NULL), 0);
	crew_free(crew);
	lines_release(&lines);
	schedule_release(&schedule);
	cpu_list_release(&cpus);
	machine_free(machine);
	return jobs;
}

static void company_without_cost_is_the_largest(void **state)
{
	double bias;

	(void)state;
	assert_int_equal(settle(1, 1.01, &bias), N_CPUS / 2);
	assert_true(fabs(bias) <= 0.02);
	/* A run by chance alone would have none in most rounds. */
	assert_true(atomic_load(&company.visits) >= 2 * 15 * 2);
}

/* The mean over all pairs stays within 2 %. */
static void siblings_that_suffer_decide(void **state)
{
	double bias;

	(void)state;
	assert_int_equal(settle(1.06, 1, &bias), 1);
	assert_true(isnan(bias));
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(company_without_cost_is_the_largest),
	cmocka_unit_test(siblings_that_suffer_decide),
};

CASE_GROUP(cases);
