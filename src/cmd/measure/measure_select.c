/* Choose the CPUs and the pairs of a measuring command. */
#include <errno.h>
#include <stdlib.h>

#include "cmd/measure/measure_run.h"
#include "util/array.h"

int measure_add_pair(struct measure_selection *selection,
	struct schedule_pair pair, struct error *err)
{
	if (!array_grow(&selection->pairs, selection->n_pairs, sizeof(pair)))
		return error_no_memory(err, "the pairs");
	selection->pairs[selection->n_pairs++] = pair;
	return 0;
}

int measure_select_one(const struct machine *machine, const char *text,
	unsigned *cpu, struct error *err)
{
	struct cpu_list one = {NULL, 0};
	int rc = machine_select(machine, text, MACHINE_PER_PU, &one, err);

	if (rc == 0 && one.n != 1)
		rc = error_set(err, ERROR_USAGE, EINVAL,
			"'%s' names %zu CPUs; expected one", text, one.n);
	if (rc < 0)
		error_prefix(err, "--from");
	else
		*cpu = one.cpus[0];
	cpu_list_release(&one);
	return rc;
}

int measure_select_cpus(const struct measure_options *options,
	struct measure_selection *selection, struct error *err)
{
	int rc = machine_select(selection->machine, options->cpus_text,
		options->per, &selection->cpus, err);

	if (rc < 0)
		error_prefix(err, "--cpus");
	return rc;
}

/*
 * Add the pairs of a CPU with each CPU from index `from` on, and with itself if
 * plan->diagonal.
 */
static int add_row(const struct measure_plan *plan,
	struct measure_selection *selection, uint32_t first, uint32_t from,
	struct error *err)
{
	int rc = 0;

	for (uint32_t i = from; i < selection->cpus.n && rc == 0; i++) {
		if (i != first || plan->diagonal)
			rc = measure_add_pair(selection,
				(struct schedule_pair){
					.first = first, .second = i},
				err);
	}
	return rc;
}

int measure_list_pairs(const struct measure_plan *plan,
	struct measure_selection *selection, struct error *err)
{
	int rc = 0;

	if (selection->pairs)
		return 0;
	selection->n_pairs = 0;
	for (uint32_t i = 0; i < selection->cpus.n && rc == 0; i++)
		rc = add_row(plan, selection, i,
			plan->campaign.both_ways ? 0 : i + 1, err);
	return rc;
}

/* --pair A,B: select only these two CPUs. */
int measure_select_pair(const struct measure_options *options,
	struct measure_selection *selection, struct error *err)
{
	const char *text = options->pair_text;
	int rc = machine_select(selection->machine, text, MACHINE_PER_PU,
		&selection->cpus, err);

	if (rc == 0 && selection->cpus.n != 2)
		rc = error_set(err, ERROR_USAGE, EINVAL,
			"'%s' names %zu CPU%s; a pair is two different CPUs "
			"(write for instance 0,1)",
			text, selection->cpus.n,
			selection->cpus.n == 1 ? "" : "s");
	if (rc < 0)
		error_prefix(err, "--pair");
	return rc;
}

/* --from A: pair A, even if --cpus omits it, with each of the CPUs. */
static int select_from(const struct measure_plan *plan,
	const struct measure_options *options,
	struct measure_selection *selection, struct error *err)
{
	unsigned cpu;
	int rc = measure_select_one(
		selection->machine, options->pair_text, &cpu, err);

	if (rc == 0 && cpu_list_find(&selection->cpus, cpu) < 0)
		rc = cpu_list_add(&selection->cpus, cpu, err);
	if (rc == 0)
		rc = add_row(plan, selection,
			(uint32_t)cpu_list_find(&selection->cpus, cpu), 0, err);
	return rc;
}

/* A pair needs two CPUs, unless a CPU with itself is a pair. */
static int check_enough(const struct measure_plan *plan,
	const struct measure_options *options,
	const struct measure_selection *selection, struct error *err)
{
	size_t needed = plan->diagonal ? 1 : 2;

	if (selection->cpus.n >= needed)
		return 0;
	if (options->cpus_text)
		return error_set(err, ERROR_USAGE, EINVAL,
			"--cpus: '%s' is one CPU, and a pair needs two",
			options->cpus_text);
	return error_set(err, ERROR_UNAVAILABLE, ENODEV,
		"%s selects one CPU, and a pair needs two",
		options->per == MACHINE_PER_CORE ? "--cores" : "--per");
}

static int select_usually(const struct measure_plan *plan,
	const struct measure_options *options,
	struct measure_selection *selection, struct error *err)
{
	int rc = options->pairs == MEASURE_PAIR
			 ? measure_select_pair(options, selection, err)
			 : measure_select_cpus(options, selection, err);

	if (rc == 0 && options->pairs == MEASURE_FROM)
		rc = select_from(plan, options, selection, err);
	if (rc == 0)
		rc = check_enough(plan, options, selection, err);
	if (rc == 0 && plan->diagonal && options->pairs != MEASURE_FROM)
		rc = measure_list_pairs(plan, selection, err);
	if (rc == 0 && !selection->pairs) {
		size_t n = selection->cpus.n;

		selection->n_pairs =
			n * (n - 1) / (plan->campaign.both_ways ? 1 : 2);
	}
	return rc;
}

int measure_select_pairs(const struct measure_plan *plan,
	const struct measure_options *options,
	struct measure_selection *selection, struct error *err)
{
	int rc = select_usually(plan, options, selection, err);

	return rc < 0 ? rc : measure_list_pairs(plan, selection, err);
}

int measure_select(struct measure_state *run, struct error *err)
{
	const struct machine_facts *facts = machine_facts(run->machine);
	struct measure_selection *selection = &run->selection;

	selection->machine = run->machine;
	if (facts->allowed.n < 2 && !run->plan->diagonal)
		return error_set(err, ERROR_UNAVAILABLE, ENODEV,
			"this process may use only one CPU, and a pair needs "
			"two; 'c2c info' explains why (cpuset, affinity, "
			"offline CPUs)");
	if (run->plan->select)
		return run->plan->select(
			run->plan, run->options, selection, err);
	return select_usually(run->plan, run->options, selection, err);
}
