/* Plan c2c contend: the CPUs, their order, and every point. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/contend/cmd_contend.h"
#include "cmd/cpu_counts.h"
#include "machine/memory.h"
#include "util/array.h"

/*
 * Find the place of each CPU in the order of its core, its LLC and so on. A
 * domain takes CPUs alternately from its inner domains. The place of a CPU is
 * the number of CPUs of the domain before it.
 */
void contend_order_joining(const unsigned char *distance, uint32_t n,
	enum cpu_distance level, uint32_t *places)
{
	uint32_t *before = calloc(n, sizeof(*before));

	memset(places, 0, n * sizeof(*places));
	/* Without memory CPUs join in the order of the topology. */
	for (int part = before ? 0 : (int)level; part <= (int)level; part++) {
		if (before)
			memcpy(before, places, n * sizeof(*before));
		for (uint32_t i = 0; i < n; i++) {
			places[i] = 0;
			for (uint32_t j = 0; j < n; j++) {
				if (i == j || distance[i * n + j] > part)
					continue;
				places[i] += !before || before[i] == before[j]
						     ? j < i
						     : before[j] < before[i];
			}
		}
	}
	free(before);
}

/* Return the distances of the CPUs, [n * n]; NULL without memory. */
static unsigned char *list_cpu_distances(
	const struct machine *machine, const struct cpu_list *cpus)
{
	size_t n = cpus->n;
	unsigned char *distance = calloc(n, n);

	for (size_t i = 0; distance && i < n; i++) {
		for (size_t j = i + 1; j < n; j++) {
			distance[i * n + j] = (unsigned char)distance_of_cpus(
				machine, cpus->cpus[i], cpus->cpus[j]);
			distance[j * n + i] = distance[i * n + j];
		}
	}
	return distance;
}

/* Add a domain: CPUs up to this distance, unless a nearer domain has them. */
static int add_domain(struct contend_plan *own, const unsigned char *distance,
	enum cpu_distance level, struct error *err)
{
	struct contend_domain *domain = &own->domains[own->n_domains];
	uint32_t n = (uint32_t)own->cpus.n, found = 0;
	uint32_t *places;

	for (uint32_t i = 0; i < n; i++)
		found += distance[i] <= level;
	if (own->n_domains && own->domains[own->n_domains - 1].n == found)
		return 0;
	/* Skip a domain of one CPU, unless it is the only CPU. */
	if (found == 1 && n > 1)
		return 0;
	places = calloc(n, sizeof(*places));
	*domain = (struct contend_domain){.distance = level,
		.order = calloc(n, sizeof(*domain->order)),
		.n = found};
	own->n_domains++;
	if (!places || !domain->order) {
		free(places);
		return error_no_memory(err, "the CPUs");
	}
	contend_order_joining(distance, n, level, places);
	for (uint32_t i = 0; i < n; i++) {
		if (distance[i] <= level)
			domain->order[places[i]] = i;
	}
	free(places);
	return 0;
}

/* Find domains from near to far. Store their orders one after the other. */
static int find_domains(struct contend_plan *own,
	struct measure_selection *selection, struct error *err)
{
	unsigned char *distance =
		list_cpu_distances(selection->machine, &own->cpus);
	size_t n = own->cpus.n;
	uint32_t at = 0;
	int rc = 0;

	if (!distance)
		return error_no_memory(err, "the CPUs");
	for (int level = 0; rc == 0 && level < DISTANCES; level++)
		rc = add_domain(own, distance, (enum cpu_distance)level, err);
	free(distance);
	selection->others = calloc(DISTANCES * n, sizeof(uint32_t));
	if (rc == 0 && !selection->others)
		rc = error_no_memory(err, "the CPUs");
	for (size_t d = 0; rc == 0 && d < own->n_domains; d++) {
		struct contend_domain *domain = &own->domains[d];

		domain->at = at;
		memcpy(selection->others + at, domain->order,
			domain->n * sizeof(uint32_t));
		at += domain->n;
	}
	return rc;
}

static int add_contend_point(struct contend_plan *own,
	const struct contend_curve *curve, uint32_t n_cpus,
	struct measure_selection *selection, struct error *err)
{
	const struct contend_domain *domain = curve->domain;

	if (!array_grow(&own->points, own->n_points, sizeof(*own->points)))
		return error_no_memory(err, "the points");
	own->points[own->n_points] = (struct contend_point){
		.operation = curve->operation,
		.sharing = curve->sharing,
		.with_spin_hint = curve->spin_hint,
		.n_cpus = n_cpus,
		.order = domain->order,
	};
	return measure_add_pair(selection,
		(struct schedule_pair){.first = domain->order[0],
			.second = domain->order[0],
			.variant = (uint32_t)own->n_points++,
			.n_others = n_cpus - 1,
			.others_at = domain->at + 1},
		err);
}

static int plan_contend_curve(struct contend_plan *own,
	struct contend_curve curve, struct measure_selection *selection,
	struct error *err)
{
	uint32_t most = curve.domain->n;
	size_t words = own->options->line_bytes / sizeof(uint64_t);
	int rc = 0;

	if (curve.sharing == CONTEND_LINE && most > words)
		most = (uint32_t)words;
	curve.first = own->n_points;
	for (uint32_t n = 1; rc == 0 && n <= most; n = next_cpu_count(n, most))
		rc = add_contend_point(own, &curve, n, selection, err);
	curve.n = own->n_points - curve.first;
	if (rc < 0)
		return rc;
	if (!array_grow(&own->curves, own->n_curves, sizeof(*own->curves)))
		return error_no_memory(err, "the points");
	own->curves[own->n_curves++] = curve;
	return 0;
}

/* Return whether an operation has a curve with this sharing and hint. */
static bool contend_curve_is_wanted(const struct contend_options *options,
	const struct contend_curve *curve)
{
	const struct contend_operation *operation = curve->operation;

	if (curve->sharing != CONTEND_WORD)
		return operation->stores && !operation->needs_word &&
		       !curve->spin_hint;
	/* The words of CONTEND_SPIN_HINTS are both, none, pause. */
	if (curve->spin_hint)
		return operation->run_with_hint && options->spin_hint != 1;
	return !operation->run_with_hint || options->spin_hint != 2;
}

static int plan_domain_curves(struct contend_plan *own,
	const struct contend_domain *domain,
	struct measure_selection *selection, struct error *err)
{
	const struct contend_options *options = own->options;
	const struct option_list *sharings = &options->sharings;
	size_t n = options->operations.n * sharings->n * 2;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < n; i++) {
		size_t operation =
			options->operations.items[i / 2 / sharings->n];
		struct contend_curve curve = {
			.domain = domain,
			.operation = &contend_operations[operation],
			.sharing = (enum contend_sharing)
					   sharings->items[i / 2 % sharings->n],
			.spin_hint = i % 2,
		};

		if (contend_curve_is_wanted(options, &curve))
			rc = plan_contend_curve(own, curve, selection, err);
	}
	return rc;
}

int contend_select(struct measure_plan *plan,
	const struct measure_options *options,
	struct measure_selection *selection, struct error *err)
{
	struct contend_plan *own = plan->context;
	unsigned line_bytes = machine_facts(selection->machine)->line_bytes;
	int rc = measure_select_cpus(options, selection, err);

	if (rc < 0)
		return rc;
	own->options->line_bytes = line_bytes >= 64 ? line_bytes : 64;
	if (own->options->line_bytes > PROBE_LINE_STRIDE)
		own->options->line_bytes = PROBE_LINE_STRIDE;
	machine_sort_by_topology(selection->machine, &selection->cpus);
	for (size_t i = 0; rc == 0 && i < selection->cpus.n; i++)
		rc = cpu_list_add(&own->cpus, selection->cpus.cpus[i], err);
	if (rc == 0)
		rc = find_domains(own, selection, err);
	for (size_t d = 0; rc == 0 && d < own->n_domains; d++)
		rc = plan_domain_curves(own, &own->domains[d], selection, err);
	if (rc == 0 && own->n_points == 0)
		rc = error_set(err, ERROR_USAGE, EINVAL,
			"nothing is left to measure: load and lock need "
			"--share word");
	return rc;
}

int contend_prepare(struct measure_plan *plan,
	const struct measure_selection *selection, struct error *err)
{
	struct contend_plan *own = plan->context;

	(void)selection;
	plan->campaign.block_bytes = contend_block_bytes(own->cpus.n);
	own->context.points = own->points;
	own->context.n_points = own->n_points;
	own->context.cpus = &own->cpus;
	own->context.line_bytes = (unsigned)own->options->line_bytes;
	return contend_init(&own->context, err);
}

void contend_plan_release(void *context)
{
	struct contend_plan *own = context;

	contend_release(&own->context);
	for (size_t d = 0; d < own->n_domains; d++)
		free(own->domains[d].order);
	cpu_list_release(&own->cpus);
	free(own->points);
	free(own->curves);
}
