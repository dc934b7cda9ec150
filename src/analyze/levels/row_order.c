/*
 * Units with the lowest mean row come first, so that near units win ties. The
 * mean is over the bits of the floats, which approximate logarithms, because a
 * sum of integers does not depend on the order. Units with equal means are
 * ordered by the sum over the row of hash(cell, the other unit's sum of the
 * previous round).
 */
#include "analyze/levels/row_order.h"

#include <stdlib.h>
#include <string.h>

#define ROUNDS 3

struct row_number {
	uint64_t mean; /* mean over the bits of the costs */
	uint64_t number;
	uint32_t unit;
};

/* The finalizer of SplitMix64 (Steele, Lea and Flood, 2014). */
static uint64_t mix_bits(uint64_t x)
{
	x += 0x9e3779b97f4a7c15U;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
	x = (x ^ x >> 27) * 0x94d049bb133111ebU;
	return x ^ x >> 31;
}

static uint64_t cell_bits(float cost)
{
	uint32_t bits = UINT32_MAX;

	if (!isnan(cost))
		memcpy(&bits, &cost, sizeof(bits));
	return bits;
}

static int compare_row_numbers(const void *a, const void *b)
{
	const struct row_number *x = a, *y = b;

	if (x->mean != y->mean)
		return x->mean < y->mean ? -1 : 1;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return x->unit < y->unit ? -1 : x->unit > y->unit;
}

void row_order_find(
	const struct cost_matrix *matrix, uint32_t *order, struct arena *arena)
{
	const struct arena_block *mark = arena->last;
	size_t n = matrix->n;
	struct row_number *rows = arena_alloc(arena, n, sizeof(*rows));
	uint64_t *before = arena_alloc(arena, n, sizeof(*before));

	for (int round = 0; round < ROUNDS; round++) {
		for (size_t i = 0; i < n; i++) {
			uint64_t known = 0;

			rows[i] = (struct row_number){.unit = (uint32_t)i};
			for (size_t j = 0; j < n; j++) {
				float cost = cost_matrix_at(matrix, i, j);

				if (j == i)
					continue;
				rows[i].number +=
					mix_bits(before[j] ^ cell_bits(cost));
				rows[i].mean +=
					isnan(cost) ? 0 : cell_bits(cost);
				known += !isnan(cost);
			}
			rows[i].mean /= known ? known : 1;
		}
		for (size_t i = 0; i < n; i++)
			before[i] = mix_bits(rows[i].number);
	}
	qsort(rows, n, sizeof(*rows), compare_row_numbers);
	for (size_t i = 0; i < n; i++)
		order[i] = rows[i].unit;
	arena_rewind(arena, mark);
}

void row_order_apply(const struct cost_matrix *matrix, const uint32_t *order,
	struct cost_matrix *ordered)
{
	size_t n = ordered->n;

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			ordered->cost[i * n + j] =
				cost_matrix_at(matrix, order[i], order[j]);
}
