#include "result/pair_list.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "result/result.h"
#include "util/array.h"

bool pair_list_add(struct pair_list *list, const struct pair_line *line)
{
	if (!array_grow(&list->lines, list->n, sizeof(*line)))
		return false;
	list->all_explicit =
		line->is_explicit && (list->all_explicit || list->n == 0);
	list->of_nodes |= line->of_nodes;
	list->lines[list->n++] = *line;
	return true;
}

bool pair_list_is_complete(
	const struct pair_list *list, const struct cpu_list *cpus)
{
	size_t n = cpus->n, pairs = n * (n - 1) / 2;

	if (n == 2)
		return list->n >= 2 && cpus->cpus[0] == 0 && cpus->cpus[1] == 1;
	return list->n == pairs || list->n == 2 * pairs ||
	       list->n == pairs + n || list->n == 2 * pairs + n;
}

int pair_list_cpus(
	const struct pair_list *list, struct cpu_list *cpus, struct error *err)
{
	size_t n = 2 * list->n;
	unsigned *all = calloc(n, sizeof(*all));
	int rc = all ? 0 : error_no_memory(err, "the pairs of the file");

	for (size_t i = 0; i < list->n && all; i++) {
		all[2 * i] = list->lines[i].a;
		all[2 * i + 1] = list->lines[i].b;
	}
	if (all)
		qsort(all, n, sizeof(*all), cpu_list_compare_numbers);
	for (size_t i = 0; i < n && rc == 0; i++) {
		if (i > 0 && all[i] == all[i - 1])
			continue;
		rc = cpus->n < RESULT_MAX_CPUS
			     ? cpu_list_add(cpus, all[i], err)
			     : error_set(err, ERROR_FAILURE, EINVAL,
				       "found more than %d CPUs",
				       RESULT_MAX_CPUS);
	}
	free(all);
	return rc;
}

int pair_list_check(
	const struct pair_list *list, size_t n_cpus, struct error *err)
{
	size_t pairs = n_cpus * (n_cpus - 1) / 2;

	if (list->n >= pairs / 2)
		return 0;
	return error_set(err, ERROR_FAILURE, EINVAL,
		"line %zu: found %zu pairs of %zu %s, expected at least half "
		"of all %zu",
		list->first_line, list->n, n_cpus,
		list->of_nodes ? "nodes" : "CPUs", pairs);
}

static size_t pair_cpu_position(const struct cpu_list *cpus, unsigned cpu)
{
	const unsigned *found = bsearch(&cpu, cpus->cpus, cpus->n,
		sizeof(*cpus->cpus), cpu_list_compare_numbers);

	return (size_t)(found - cpus->cpus);
}

int pair_list_fill(const struct pair_list *list, const struct cpu_list *cpus,
	double *values, struct error *err)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct pair_line *line = &list->lines[i];
		double *value =
			&values[pair_cpu_position(cpus, line->a) * cpus->n +
				pair_cpu_position(cpus, line->b)];

		if (!isnan(*value))
			return error_set(err, ERROR_FAILURE, EINVAL,
				"line %zu: found %s %u and %u for the second "
				"time, expected every pair once in each "
				"direction",
				line->line, list->of_nodes ? "nodes" : "CPUs",
				line->a, line->b);
		/* c2c ignores the time of a CPU with itself. */
		*value = line->own && !list->of_nodes ? NAN : line->value;
	}
	return 0;
}
