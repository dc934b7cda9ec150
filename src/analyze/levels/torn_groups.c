/*
 * The machine's groups of a level are mostly of one size, and one bad
 * cell cuts a CPU off its group. So a group of another size goes to the
 * nearest one (without rows), if that is of another size, too, both together
 * are no larger than the commonest, and no third one is nearly as near. Twice,
 * for groups in three.
 */
#include "analyze/levels/candidates.h"

#define ROUNDS 2

struct torn_search {
	const struct level_units *cpus;
	const float *row; /* [n] the median log of each CPU's cells */
	const struct partition *groups;
	const struct group_members *members;
	size_t commonest; /* size of group: that most CPUs are in */
	double margin;
	double *sum; /* [n] */
	uint32_t *cells;
};

/* The size of group that most CPUs are in, and how many are in others. */
static size_t find_commonest_size(const struct group_members *members,
	size_t n_groups, size_t n, size_t *others, struct arena *arena)
{
	uint32_t *of_size = arena_alloc(arena, n + 1, sizeof(*of_size));
	size_t best = 0;

	for (size_t g = 0; g < n_groups; g++)
		of_size[members[g].n] += (uint32_t)members[g].n;
	for (size_t size = 2; size <= n; size++)
		if (of_size[size] > of_size[best])
			best = size;
	*others = n - of_size[best];
	return best;
}

/* The group that group g was torn from, or g. */
static size_t find_rest_of_group(struct torn_search *search, size_t g)
{
	const struct group_members *own = &search->members[g];
	size_t n = search->cpus->n, best = g;
	size_t n_groups = search->groups->n_groups;
	double near = INFINITY, next = INFINITY;

	for (size_t h = 0; h < n_groups; h++)
		search->sum[h] = search->cells[h] = 0;
	for (size_t a = 0; a < own->n; a++)
		for (size_t j = 0; j < n; j++) {
			size_t i = own->unit[a];
			size_t h = search->groups->group[j];
			float cell = search->cpus->log[i * n + j];

			if (h == g || isnan(cell))
				continue;
			search->sum[h] += (double)(cell - search->row[i] -
						   search->row[j]);
			search->cells[h]++;
		}
	for (size_t h = 0; h < n_groups; h++) {
		double mean = search->sum[h] / search->cells[h];

		if (search->cells[h] == 0)
			continue;
		if (mean < near) {
			next = near;
			near = mean;
			best = h;
		} else if (mean < next) {
			next = mean;
		}
	}
	if (best != g && search->members[best].n != search->commonest &&
		own->n + search->members[best].n <= search->commonest &&
		next - near > search->margin)
		return best;
	return g;
}

/* Join what was torn; false if nothing was. */
static bool join_torn_groups(
	struct torn_search *search, struct partition *groups, size_t *to)
{
	size_t n_groups = groups->n_groups;
	bool joined = false;

	for (size_t g = 0; g < n_groups; g++)
		to[g] = search->members[g].n == search->commonest
				? g
				: find_rest_of_group(search, g);
	for (size_t g = 0; g < n_groups; g++) {
		size_t h = to[g];

		if (h == g || h == SIZE_MAX || to[h] == SIZE_MAX)
			continue;
		if (search->members[g].n >= search->members[h].n && to[h] != g)
			continue;
		for (size_t a = 0; a < search->members[g].n; a++)
			groups->group[search->members[g].unit[a]] =
				groups->group[search->members[h].unit[0]];
		to[g] = to[h] = SIZE_MAX;
		joined = true;
	}
	return joined;
}

static const float *find_median_rows(
	const struct level_units *cpus, struct arena *arena)
{
	size_t n = cpus->n;
	float *row = arena_alloc(arena, n, sizeof(*row));
	float *scratch = arena_alloc(arena, n, sizeof(*scratch));

	for (size_t i = 0; i < n; i++) {
		size_t count = 0;

		for (size_t j = 0; j < n; j++)
			append_known(scratch, &count, cpus->log[i * n + j]);
		row[i] = count ? median_of_floats(scratch, count) : 0;
	}
	return row;
}

void torn_groups_propose(struct level_candidates *candidates,
	const struct level_units *cpus, const struct level_constants *constants,
	struct arena *arena)
{
	size_t n = cpus->n, n_before = candidates->n;
	size_t *to = arena_alloc(arena, n, sizeof(*to));
	struct torn_search search = {.cpus = cpus,
		.row = find_median_rows(cpus, arena),
		.margin = constants->least_margin,
		.sum = arena_alloc(arena, n, sizeof(double)),
		.cells = arena_alloc(arena, n, sizeof(uint32_t))};

	for (size_t k = 0; k < n_before; k++) {
		struct partition groups = candidates->all[k].partition;
		bool joined = false;

		groups.group = arena_copy(
			arena, groups.group, n, sizeof(*groups.group));
		for (int round = 0; round < ROUNDS; round++) {
			size_t others;

			search.groups = &groups;
			search.members = partition_members(&groups, arena);
			if (round == 0)
				search.commonest = find_commonest_size(
					search.members, groups.n_groups, n,
					&others, arena);
			if (round == 0 &&
				(search.commonest < 2 || others == 0 ||
					(double)others > constants->odd_share *
								 (double)n))
				break;
			if (!join_torn_groups(&search, &groups, to))
				break;
			partition_number(&groups, arena);
			joined = true;
		}
		if (joined)
			candidates_add(candidates, &groups, NULL, arena);
	}
}
