/* Matrices between units, partitions, and their medians. */
#include "analyze/cost_matrix.h"

#include <stdlib.h>

void cost_matrix_init(struct cost_matrix *matrix, size_t n, struct arena *arena)
{
	matrix->n = n;
	matrix->step = 0;
	matrix->cost = arena_alloc(arena, n * n, sizeof(*matrix->cost));
	for (size_t k = 0; k < n * n; k++)
		matrix->cost[k] = NAN;
}

/*
 * Move the values below the pivot (if equal: not above it) to the front of
 * values[n]; return their number. The loop has no branch to mispredict.
 */
static size_t move_to_front(float *values, size_t n, float pivot, bool equal)
{
	size_t front = 0;

	for (size_t i = 0; i < n; i++) {
		float value = values[i];

		values[i] = values[front];
		values[front] = value;
		front += equal ? !(value > pivot) : value < pivot;
	}
	return front;
}

/* Move the value of rank k to index k, and smaller values before it. */
static float select_rank(float *values, size_t n, size_t k)
{
	for (;;) {
		float pivot = values[n / 2];
		size_t below = move_to_front(values, n, pivot, false);
		size_t equal;

		if (k < below) {
			n = below;
			continue;
		}
		values += below;
		n -= below;
		k -= below;
		equal = move_to_front(values, n, pivot, true);
		if (k < equal)
			return pivot;
		values += equal;
		n -= equal;
		k -= equal;
	}
}

static int compare_floats(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return (x > y) - (x < y);
}

void sort_floats(float *values, size_t n)
{
	qsort(values, n, sizeof(*values), compare_floats);
}

float quantile_of_floats(float *values, size_t n, double q)
{
	if (n == 0)
		return NAN;
	return select_rank(values, n, (size_t)(q * (double)(n - 1)));
}

float median_of_floats(float *values, size_t n)
{
	float middle, below;

	if (n == 0)
		return NAN;
	middle = select_rank(values, n, n / 2);
	if (n % 2)
		return middle;
	below = values[0];
	for (size_t i = 1; i < n / 2; i++)
		if (values[i] > below)
			below = values[i];
	return (below + middle) / 2;
}

float trimean_of_floats(float *values, size_t n)
{
	size_t half = n / 2, low = (n - 1) / 4, high = 3 * (n - 1) / 4;
	float middle = median_of_floats(values, n);

	if (n < 3)
		return middle;
	return (select_rank(values, half, low) + 2 * middle +
		       select_rank(values + half, n - half, high - half)) /
	       4;
}

void partition_init(struct partition *partition, size_t n, struct arena *arena)
{
	partition->n_units = n;
	partition->n_groups = n ? 1 : 0;
	partition->group = arena_alloc(arena, n, sizeof(*partition->group));
}

void partition_number(struct partition *partition, struct arena *arena)
{
	const struct arena_block *mark = arena->last;
	uint32_t most = 0, next = 0, *number;

	for (size_t i = 0; i < partition->n_units; i++)
		if (partition->group[i] > most)
			most = partition->group[i];
	/* 0 marks a group without a number. */
	number = arena_alloc(arena, (size_t)most + 1, sizeof(*number));
	for (size_t i = 0; i < partition->n_units; i++) {
		uint32_t *at = &number[partition->group[i]];

		if (*at == 0)
			*at = ++next;
		partition->group[i] = *at - 1;
	}
	partition->n_groups = next;
	arena_rewind(arena, mark);
}

uint32_t *partition_sizes(
	const struct partition *partition, struct arena *arena)
{
	uint32_t *sizes =
		arena_alloc(arena, partition->n_groups, sizeof(*sizes));

	for (size_t i = 0; i < partition->n_units; i++)
		sizes[partition->group[i]]++;
	return sizes;
}

size_t partition_commonest_size(const struct partition *partition,
	uint32_t *of_size, struct arena *arena)
{
	const uint32_t *sizes = partition_sizes(partition, arena);
	size_t best = 0;

	for (size_t g = 0; g < partition->n_groups; g++)
		of_size[sizes[g]] += sizes[g];
	for (size_t size = 1; size <= partition->n_units; size++)
		if (of_size[size] > of_size[best])
			best = size;
	return best;
}

struct group_members *partition_members(
	const struct partition *partition, struct arena *arena)
{
	size_t n = partition->n_units;
	uint32_t *units = arena_alloc(arena, n, sizeof(*units));
	uint32_t *sizes = partition_sizes(partition, arena);
	struct group_members *members =
		arena_alloc(arena, partition->n_groups, sizeof(*members));

	for (size_t g = 0; g < partition->n_groups; g++) {
		members[g].unit = units;
		units += sizes[g];
	}
	for (size_t i = 0; i < n; i++) {
		struct group_members *own = &members[partition->group[i]];

		own->unit[own->n++] = (uint32_t)i;
	}
	return members;
}

static float block_median(const struct cost_matrix *matrix,
	const struct group_members *g, const struct group_members *h,
	float *scratch)
{
	size_t count = 0;

	for (size_t a = 0; a < g->n; a++) {
		const float *row = &matrix->cost[g->unit[a] * matrix->n];

		for (size_t b = 0; b < h->n; b++)
			append_known(scratch, &count, row[h->unit[b]]);
	}
	/* Use the lower median, because disturbances only add cost. */
	return quantile_of_floats(scratch, count, 0.5);
}

float cost_matrix_median(const struct cost_matrix *matrix, float *scratch)
{
	size_t count = 0;

	for (size_t u = 0; u < matrix->n; u++)
		for (size_t v = 0; v < u; v++)
			append_known(
				scratch, &count, cost_matrix_at(matrix, u, v));
	return median_of_floats(scratch, count);
}

size_t cost_matrix_cells_where(const struct cost_matrix *matrix,
	const uint32_t *group, const uint32_t *parent, bool between,
	float *cells)
{
	size_t count = 0;

	for (size_t u = 0; u < matrix->n; u++)
		for (size_t v = 0; v < u; v++)
			if ((group[u] != group[v]) == between &&
				(!parent || parent[u] == parent[v]))
				append_known(cells, &count,
					cost_matrix_at(matrix, u, v));
	return count;
}

float cost_matrix_median_where(const struct cost_matrix *matrix,
	const uint32_t *group, const uint32_t *parent, bool between,
	float *scratch)
{
	return median_of_floats(scratch, cost_matrix_cells_where(matrix, group,
						 parent, between, scratch));
}

void cost_matrix_collapse(const struct cost_matrix *matrix,
	const struct partition *partition, struct cost_matrix *small,
	struct arena *arena)
{
	size_t n = partition->n_groups, largest = 0;
	const struct arena_block *mark;
	const struct group_members *members;
	float *scratch;

	cost_matrix_init(small, n, arena);
	small->step = matrix->step;
	mark = arena->last;
	members = partition_members(partition, arena);
	for (size_t g = 0; g < n; g++)
		largest = members[g].n > largest ? members[g].n : largest;
	scratch = arena_alloc(arena, largest * largest, sizeof(*scratch));
	for (size_t g = 0; g < n; g++)
		for (size_t h = 0; h < g; h++)
			small->cost[g * n + h] = small->cost[h * n + g] =
				block_median(matrix, &members[g], &members[h],
					scratch);
	arena_rewind(arena, mark);
}
