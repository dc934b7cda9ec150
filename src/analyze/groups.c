#include "analyze/groups.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/classes.h"
#include "analyze/levels.h"
#include "analyze/square.h"

static double cost_of(const struct groups_input *input, size_t i, size_t j)
{
	double value = input->values[i * input->n + j];

	if (!isfinite(value) || value < 0)
		return NAN;
	if (!input->higher_is_better)
		return value;
	return value > 0 ? 1 / value : NAN;
}

static void fill_costs(const struct groups_input *input, struct square *square)
{
	size_t n = input->n;

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < i; j++) {
			double there = cost_of(input, i, j);
			double back = cost_of(input, j, i);
			double cost = isnan(there) ? back
				: isnan(back)	   ? there
						   : (there + back) / 2;

			square->cost[i * n + j] = (float)cost;
			square->cost[j * n + i] = (float)cost;
		}
}

void groups_release(struct groups *groups)
{
	for (size_t k = 0; k < groups->n_levels; k++)
		free(groups->levels[k].group);
	free(groups->levels);
	free(groups->outliers);
	memset(groups, 0, sizeof(*groups));
}

/* Whether a and b divide the n CPUs alike; both are numbered by first CPU. */
static bool same_groups(const uint32_t *a, const uint32_t *b, size_t n)
{
	return memcmp(a, b, sizeof(*a) * n) == 0;
}

/*
 * Cores, as the innermost level shows them, may be of several classes. The
 * machine must be one place otherwise: rows of CPUs in different packages
 * differ for other reasons.
 */
static int add_classes(const struct square *square,
	const struct levels *levels, struct groups *groups, struct error *err)
{
	size_t n = square->n;
	struct partition cores = {0}, found = {0};
	struct square small = {0};
	struct groups_level *level = &groups->levels[groups->n_levels];
	uint32_t *sizes = NULL;
	float separation;
	int rc;

	rc = partition_init(&cores, n, err);
	if (rc)
		return rc;
	for (size_t i = 0; i < n; i++)
		cores.group[i] = levels->n
			? levels->levels[0].partition.group[i]
			: (uint32_t)i;
	cores.n_groups = levels->n ? levels->levels[0].partition.n_groups : n;
	sizes = calloc(cores.n_groups + 1, sizeof(*sizes));
	level->group = malloc(sizeof(*level->group) * n);
	if (!sizes || !level->group) {
		rc = error_no_memory(err, "classes of cores");
		goto out;
	}
	for (size_t i = 0; i < n; i++)
		sizes[cores.group[i]]++;
	rc = square_collapse(square, &cores, &small, err);
	if (!rc)
		rc = classes_find(
			&small, sizes, &found, &separation, NULL, err);
	if (rc || found.n_groups < 2)
		goto out;
	for (size_t i = 0; i < n; i++)
		level->group[i] = found.group[cores.group[i]];
	for (size_t k = 0; k < levels->n; k++)
		if (same_groups(level->group, groups->levels[k].group, n))
			goto out;
	level->kind = GROUPS_CLASS;
	level->nested = false;
	level->n_groups = found.n_groups;
	/* No surer than of the cores whose classes they are. */
	level->confidence = (double)separation *
		(levels->n ? levels->levels[0].confidence : 1);
	groups->n_levels++;
	level = NULL;
out:
	if (level) {
		free(level->group);
		level->group = NULL;
	}
	free(sizes);
	square_release(&small);
	partition_release(&cores);
	partition_release(&found);
	return rc;
}

int groups_find(const struct groups_input *input, struct groups *groups,
	struct error *err)
{
	struct square square = {0};
	struct levels levels = {0};
	int rc;

	memset(groups, 0, sizeof(*groups));
	rc = square_init(&square, input->n, err);
	if (rc)
		return rc;
	fill_costs(input, &square);
	rc = levels_find(&square, &levels, err);
	if (rc)
		goto out;
	groups->levels = calloc(levels.n + 4, sizeof(*groups->levels));
	for (size_t k = 0; k < levels.n; k++) {
		struct groups_level *level = &groups->levels[k];

		level->kind = GROUPS_GROUP;
		level->nested = true;
		level->n_groups = levels.levels[k].partition.n_groups;
		level->group = malloc(sizeof(*level->group) * input->n);
		memcpy(level->group, levels.levels[k].partition.group,
			sizeof(*level->group) * input->n);
		level->inside = (double)levels.levels[k].visibility.inside;
		level->between = (double)levels.levels[k].visibility.between;
		level->confidence = levels.levels[k].confidence;
		groups->n_levels++;
	}
	rc = add_classes(&square, &levels, groups, err);
out:
	levels_release(&levels);
	square_release(&square);
	return rc;
}
