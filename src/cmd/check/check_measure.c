/*
 * Measure the latencies that c2c check needs: run c2c latency as a child
 * process.
 */
#include "cmd/check/cmd_check.h"
#include "cmd/latencies.h"
#include "util/array.h"

/* Budgets in seconds: for the CPUs of --cpus, and for a machine. */
#define CPUS_BUDGET_S	 "1"
#define MACHINE_BUDGET_S "2.5"

/* CPUs to measure, so that levels show: those of --cpus and others. */
#define CPUS_MEASURED 64

/*
 * List the CPUs of --cpus and others to compare them with: pairs of neighbours
 * in the topology, spread over the machine.
 */
static int add_other_cpus(const struct machine *machine,
	const struct cpu_list *asked, struct cpu_list *cpus, struct error *err)
{
	struct cpu_list all = {NULL, 0};
	size_t wanted = CPUS_MEASURED > asked->n ? CPUS_MEASURED - asked->n : 2;
	size_t pairs;
	int rc = machine_select(machine, NULL, MACHINE_PER_PU, &all, err);

	for (size_t i = 0; rc == 0 && i < asked->n; i++)
		rc = cpu_list_add(cpus, asked->cpus[i], err);
	if (rc == 0)
		machine_sort_by_topology(machine, &all);
	pairs = (all.n + 1) / 2;
	for (size_t k = 0; rc == 0 && k < wanted / 2; k++) {
		size_t at = 2 * (k * pairs / (wanted / 2));

		rc = cpu_list_add(cpus, all.cpus[at], err);
		if (rc == 0 && at + 1 < all.n)
			rc = cpu_list_add(cpus, all.cpus[at + 1], err);
	}
	cpu_list_sort(cpus);
	cpu_list_release(&all);
	return rc;
}

/* List the CPUs of the reference; if this machine lacks any, list all CPUs. */
static int add_same_cpus(const struct machine *machine,
	const struct cpu_list *reference, struct cpu_list *cpus,
	struct error *err)
{
	const struct cpu_list *allowed = &machine_facts(machine)->allowed;
	const struct cpu_list *from = reference;
	int rc = 0;

	for (size_t i = 0; i < reference->n; i++) {
		if (cpu_list_find(allowed, reference->cpus[i]) < 0)
			from = allowed;
	}
	for (size_t i = 0; rc == 0 && i < from->n; i++)
		rc = cpu_list_add(cpus, from->cpus[i], err);
	return rc;
}

/* Use the method of the reference, so that values are comparable. */
static size_t add_methods(const struct result *reference, char **argv, size_t n,
	struct arena *arena)
{
	static const char *const keys[] = {"method", "spin_hint"};
	static const char *const names[] = {"method", "spin-hint"};

	for (size_t i = 0; i < N_OF(keys); i++) {
		const char *value = facts_text(&reference->options, keys[i]);

		if (value)
			argv[n++] =
				arena_format(arena, "--%s=%s", names[i], value);
	}
	if (facts_flag(&reference->options, "round_trip"))
		argv[n++] = "--round-trip";
	return n;
}

int check_measure(
	struct check_task *task, struct arena *arena, struct error *err)
{
	const struct result *reference =
		task->has_reference ? &task->reference : NULL;
	struct cpu_list cpus = {NULL, 0};
	char *list, *argv[LATENCIES_ARGUMENTS + 1];
	size_t n = 0;
	int rc = reference ? add_same_cpus(task->machine, &reference->cpus,
				     &cpus, err)
			   : add_other_cpus(
				     task->machine, &task->cpus, &cpus, err);

	if (rc < 0) {
		cpu_list_release(&cpus);
		return rc;
	}
	list = arena_adopt(arena, cpu_list_format(&cpus));
	cpu_list_release(&cpus);
	argv[n++] = arena_format(arena, "--cpus=%s", list);
	argv[n++] = "--budget=" CPUS_BUDGET_S;
	if (reference)
		argv[n - 1] = "--budget=" MACHINE_BUDGET_S;
	/* c2c latency measures a single pair after a sleep only with --rest. */
	if (machine_facts(task->machine)->hypervisor)
		argv[n++] = "--rest=1";
	if (reference)
		n = add_methods(reference, argv, n, arena);
	argv[n] = NULL;
	rc = latencies_measure(argv, &task->result, err);
	if (rc == 0) {
		task->has_result = true;
		task->name = "this machine";
	}
	return rc;
}
