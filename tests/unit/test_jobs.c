/*
 * How many pairs together, by what it costs pairs of every distance, on a
 * pretended machine of 32 CPUs whose visits take what the test says.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../case_group.h"
#include "../topo/pretend.h"
#include "engine/crew.h"

/* No thread runs: a busy machine would let pairs of a step miss each other. */
#define jobs_choose	   tested_jobs_choose
#define rehearsal_run	   run_made_up
#define crew_is_lost(crew) false
#include "engine/jobs.c" /* NOLINT(bugprone-suspicious-include) */

#define N_CPUS 32

/* CPUs 2k and 2k + 1 are siblings. */
#define MACHINE "package:2 l3:2 core:4 pu:2"

/* What company makes of a visit's ticks. */
static struct {
	double siblings, others;
	unsigned visits; /* of siblings, alone */
} company;

int run_made_up(struct crew *crew, const struct crew_program *program,
	const char *what, struct error *err)
{
	(void)crew;
	(void)what;
	(void)err;
	for (size_t step = 0; step < program->n_steps; step++) {
		size_t begin = crew_program_begin(program, step);
		size_t end = program->step_ends[step];

		for (size_t v = begin; v < end; v++) {
			struct crew_visit *visit = &program->visits[v];
			bool siblings = visit->first / 2 == visit->second / 2;
			double factor =
				siblings ? company.siblings : company.others;

			if (end - begin == 1 && siblings)
				company.visits++;
			visit->ticks[0] =
				10000 * (end - begin > 1 ? factor : 1);
			visit->ticks[1] = NAN;
		}
	}
	return 0;
}

/* Settle on a number of pairs where company costs so much. */
static size_t settle(double siblings, double others, double *bias)
{
	struct machine *machine = pretend_synthetic(MACHINE);
	struct cpu_list cpus = {NULL, 0};
	const struct lines_options lines_options = {.cpus = &cpus,
		.n_blocks = N_CPUS,
		.block_bytes = PROBE_SLOT_BYTES,
		.pages = MEMORY_PAGES_BASE};
	struct jobs_options jobs_options = {
		.machine = machine, .cpus = &cpus, .seed = 5, .limit = 0.02};
	struct schedule schedule;
	struct line_pools lines;
	size_t jobs = 0;

	company.siblings = siblings;
	company.others = others;
	company.visits = 0;
	for (unsigned cpu = 0; cpu < N_CPUS; cpu++)
		assert_int_equal(cpu_list_add(&cpus, cpu, NULL), 0);
	assert_int_equal(
		schedule_init_all(&schedule, N_CPUS, false, 3, NULL), 0);
	assert_int_equal(lines_init(&lines, &lines_options, NULL), 0);
	jobs_options.schedule = &schedule;
	jobs_options.lines = &lines;
	assert_int_equal(
		jobs_choose(&jobs_options, NULL, &jobs, bias, NULL), 0);
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
	assert_true(company.visits >= 2 * 15 * 2);
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
