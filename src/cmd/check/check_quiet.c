/*
 * c2c check --isolated and --quiet-cpus: check whether the kernel keeps work
 * away from CPUs, and whether anything disturbs CPUs while c2c sleeps.
 */
#include <errno.h>
#include <time.h>

#include "cmd/check/cmd_check.h"
#include "cmd/cli.h"
#include "machine/disturbance.h"
#include "machine/timebase.h"

#define LOOK_S 1.0
#define NAP_S  0.05

/*
 * A CPU without a timer tick has a few interrupts a second, a CPU with a tick
 * 100 to 1,000. Stolen time is counted in steps of 10 ms.
 */
#define MOST_INTERRUPTS_PER_S 100
#define MOST_STOLEN_PCT	      1.5

/* Add a finding with the CPUs of the task that are not in `within`. */
static void add_outside(struct check_task *task, const struct cpu_list *within,
	const char *code, const char *what, struct arena *arena)
{
	const struct cpu_list *cpus = &task->cpus;
	unsigned *outside = arena_alloc(arena, cpus->n, sizeof(*outside));
	struct cpu_list list = {outside, 0};
	struct check_finding *finding;

	for (size_t i = 0; i < cpus->n; i++) {
		if (cpu_list_find(within, cpus->cpus[i]) < 0)
			outside[list.n++] = cpus->cpus[i];
	}
	finding = check_add(&task->check, arena,
		list.n > 0 ? CHECK_FAILS : CHECK_HOLDS, code,
		list.n > 0 ? "CPU%s %s %s not in %s" : "CPU%s %s %s in %s",
		(list.n > 0 ? list.n : cpus->n) > 1 ? "s" : "",
		arena_adopt(arena, cpu_list_format(list.n > 0 ? &list : cpus)),
		(list.n > 0 ? list.n : cpus->n) > 1 ? "are" : "is", what);
	if (list.n > 0)
		check_name_cpus(finding, outside, list.n, arena);
	else
		check_name_cpus(finding, cpus->cpus, cpus->n, arena);
}

int check_isolated(
	struct check_task *task, struct arena *arena, struct error *err)
{
	struct cpu_list tickless = {NULL, 0};
	int rc = machine_list_tickless(
		task->machine, &task->cpus, &tickless, err);

	if (rc == 0) {
		add_outside(task, &machine_facts(task->machine)->isolated,
			"isolated", "isolcpus=", arena);
		add_outside(task, &tickless, "nohz-full", "nohz_full=", arena);
	}
	cpu_list_release(&tickless);
	return rc;
}

/* Wait asleep, so that c2c disturbs little. -EINTR: the user stopped it. */
static int look_on(double *seconds, struct error *err)
{
	const struct timespec nap = {0, (long)(NAP_S * 1e9)};
	double begin_s = timebase_raw_s();

	cli_catch_signals();
	while ((*seconds = timebase_raw_s() - begin_s) < LOOK_S) {
		if (cli_stop_was_requested())
			return error_set(
				err, ERROR_FAILURE, EINTR, "interrupted");
		nanosleep(&nap, NULL);
	}
	return 0;
}

/* Find the largest value and its CPU. */
static void add_most(struct check_task *task, const double *values,
	double limit, const char *code, const char *unit, const char *what,
	struct arena *arena)
{
	const struct cpu_list *cpus = &task->cpus;
	struct check_finding *finding;
	size_t most = 0;

	for (size_t i = 1; i < cpus->n; i++) {
		if (values[i] > values[most])
			most = i;
	}
	finding = check_add(&task->check, arena,
		values[most] > limit ? CHECK_FAILS : CHECK_HOLDS, code,
		"at most %.3g %s, on CPU %u", values[most], what,
		cpus->cpus[most]);
	check_name_cpus(finding, &cpus->cpus[most], 1, arena);
	finding->value = values[most];
	finding->limit = limit;
	finding->unit = unit;
}

void check_judge_disturbance(struct check_task *task,
	const struct cpu_disturbance *before,
	const struct cpu_disturbance *after, double seconds,
	struct arena *arena)
{
	size_t n = task->cpus.n;
	double *interrupts = arena_alloc(arena, n, sizeof(*interrupts));
	double *stolen = arena_alloc(arena, n, sizeof(*stolen));
	bool counted = true, timed = true;

	for (size_t i = 0; i < n; i++) {
		double ticks = after[i].ticks - before[i].ticks;

		counted &=
			before[i].interrupts >= 0 && after[i].interrupts >= 0;
		timed &= before[i].ticks >= 0 && after[i].ticks >= 0;
		interrupts[i] =
			(after[i].interrupts - before[i].interrupts) / seconds;
		if (ticks > 0)
			stolen[i] = 100 * (after[i].stolen - before[i].stolen) /
				    ticks;
	}
	if (counted)
		add_most(task, interrupts, MOST_INTERRUPTS_PER_S, "interrupts",
			"1/s", "interrupts a second", arena);
	else
		check_add(&task->check, arena, CHECK_UNKNOWN, "interrupts",
			"/proc/interrupts has no counts for the checked CPUs");
	if (timed)
		add_most(task, stolen, MOST_STOLEN_PCT, "stolen", "%",
			"% of the time stolen", arena);
	else
		check_add(&task->check, arena, CHECK_UNKNOWN, "stolen",
			"/proc/stat has no times for the checked CPUs");
}

int check_quiet(struct check_task *task, struct arena *arena, struct error *err)
{
	size_t n = task->cpus.n;
	struct cpu_disturbance *before = arena_alloc(arena, n, sizeof(*before));
	struct cpu_disturbance *after = arena_alloc(arena, n, sizeof(*after));
	double seconds = 0;
	int rc = machine_count_disturbance(
		task->machine, &task->cpus, before, err);

	if (rc == 0)
		rc = look_on(&seconds, err);
	if (rc == 0)
		rc = machine_count_disturbance(
			task->machine, &task->cpus, after, err);
	if (rc == 0)
		check_judge_disturbance(task, before, after, seconds, arena);
	return rc;
}
