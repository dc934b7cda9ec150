/*
 * c2c queue --readers: one writer, and a growing number of readers of the same
 * chunks.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/queue/cmd_queue.h"

/* List the candidates in the writer's group, in the order of the topology. */
static int list_group_readers(const struct machine *machine, const char *which,
	unsigned writer, const struct cpu_list *candidates,
	struct cpu_list *readers, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; i < candidates->n && rc == 0; i++) {
		unsigned cpu = candidates->cpus[i];
		bool in = cpu != writer;

		if (strcmp(which, "llc") == 0)
			in = in && machine_share_llc(machine, writer, cpu);
		else if (strcmp(which, "node") == 0)
			in = in && machine_node_of(machine, writer) ==
					   machine_node_of(machine, cpu);
		if (in)
			rc = cpu_list_add(readers, cpu, err);
	}
	machine_sort_by_topology(machine, readers);
	if (rc < 0 || readers->n)
		return rc;
	if (strcmp(which, "all") == 0)
		return error_set(err, ERROR_USAGE, EINVAL,
			"--readers: only the writer, CPU %u, is left", writer);
	return error_set(err, ERROR_UNAVAILABLE, ENODEV,
		"--readers: no CPU shares the %s of CPU %u; see the caches and "
		"nodes in 'c2c info'",
		strcmp(which, "llc") == 0 ? "last-level cache" : "NUMA node",
		writer);
}

static int list_named_readers(const struct machine *machine, const char *text,
	unsigned writer, struct cpu_list *readers, struct error *err)
{
	int rc = machine_select(machine, text, MACHINE_PER_PU, readers, err);

	if (rc == 0 && cpu_list_find(readers, writer) >= 0)
		rc = error_set(err, ERROR_USAGE, EINVAL,
			"CPU %u is the writer; choose another with --from",
			writer);
	if (rc < 0)
		error_prefix(err, "--readers");
	return rc;
}

/* Add a pair for each number of readers, of the writer and the first reader. */
static int add_reader_counts(struct measure_selection *selection,
	const struct cpu_list *readers, struct error *err)
{
	int rc = 0;

	selection->others = calloc(readers->n, sizeof(*selection->others));
	if (!selection->others)
		return error_no_memory(err, "the readers");
	for (uint32_t i = 0; i < readers->n && rc == 0; i++) {
		rc = cpu_list_add(&selection->cpus, readers->cpus[i], err);
		selection->others[i] = i + 2;
		if (rc == 0)
			rc = measure_add_pair(selection,
				(struct schedule_pair){
					.second = 1, .n_others = i},
				err);
	}
	return rc;
}

int queue_select_readers(struct measure_plan *plan,
	const struct measure_options *options,
	struct measure_selection *selection, struct error *err)
{
	const struct queue_plan *own = plan->context;
	const char *which = own->options->readers;
	struct measure_selection all = {.machine = selection->machine};
	struct cpu_list readers = {NULL, 0};
	unsigned writer = 0;
	int rc = measure_select_cpus(options, &all, err);

	if (rc == 0)
		writer = all.cpus.cpus[0];
	if (rc == 0 && options->pairs == MEASURE_FROM)
		rc = measure_select_one(
			selection->machine, options->pair_text, &writer, err);
	if (rc == 0 &&
		(strcmp(which, "llc") == 0 || strcmp(which, "node") == 0 ||
			strcmp(which, "all") == 0))
		rc = list_group_readers(selection->machine, which, writer,
			&all.cpus, &readers, err);
	else if (rc == 0)
		rc = list_named_readers(
			selection->machine, which, writer, &readers, err);
	if (rc == 0)
		rc = cpu_list_add(&selection->cpus, writer, err);
	if (rc == 0)
		rc = add_reader_counts(selection, &readers, err);
	cpu_list_release(&readers);
	cpu_list_release(&all.cpus);
	return rc;
}

/* Set a point to the median and the interval of value k. */
static void put_value(const struct campaign *campaign, struct curve *curve,
	size_t i, size_t pair, size_t k)
{
	double out[SUMMARY_STATISTICS];

	summary_of_pair(campaign, pair, k, out);
	summary_set_point(curve, i, (double)pair + 1, out);
}

/* Set a point to the summary of the mean over the readers in each pass. */
static void put_mean(
	const struct campaign *campaign, struct curve *curve, size_t pair)
{
	double *scratch = campaign->scratch;
	size_t n_readers = pair + 1, found = 0;
	double out[SUMMARY_STATISTICS];

	for (size_t pass = 0; pass < campaign->n_passes; pass++) {
		double sum = 0;

		for (size_t r = 1; r <= n_readers; r++)
			sum += campaign_value(campaign, pass, pair, r);
		if (!isnan(sum))
			scratch[found++] = sum / (double)n_readers;
	}
	summary_of(scratch, found, out);
	summary_set_point(curve, pair, (double)n_readers, out);
}

int queue_finish_readers(struct measure_plan *plan, struct campaign *campaign,
	struct result *result, struct error *err)
{
	struct curve_facts facts = {
		.member = "writer", .x_name = "readers", .x_unit = "CPUs"};
	const unsigned *cpus = result->cpus.cpus;
	size_t n = campaign->schedule.n_pairs;
	struct curve *curve;

	(void)plan;
	curve = queue_add_curve(result, &facts, n, cpus, 1, err);
	for (size_t p = 0; curve && p < n; p++)
		put_value(campaign, curve, p, p, 0);
	facts.member = "reader";
	facts.statistic = CURVE_MEAN;
	if (curve)
		curve = queue_add_curve(result, &facts, n, cpus + 1, n, err);
	for (size_t p = 0; curve && p < n; p++)
		put_mean(campaign, curve, p);
	facts.statistic = CURVE_MEDIAN;
	for (size_t r = 0; curve && r < n; r++) {
		/* Reader r, counted from 0, works with more than r readers. */
		curve = queue_add_curve(
			result, &facts, n - r, cpus + 1 + r, 1, err);
		for (size_t p = r; curve && p < n; p++)
			put_value(campaign, curve, p - r, p, 1 + r);
	}
	return curve ? 0 : -ENOMEM;
}
