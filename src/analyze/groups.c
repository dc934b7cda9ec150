#include "analyze/groups.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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
		level->group = levels.levels[k].partition.group;
		levels.levels[k].partition.group = NULL;
		level->inside = (double)levels.levels[k].visibility.inside;
		level->between = (double)levels.levels[k].visibility.between;
		level->confidence = levels.levels[k].confidence;
		groups->n_levels++;
	}
out:
	levels_release(&levels);
	square_release(&square);
	return rc;
}
