/*
 * Matrices between units, and what is made of them by medians.
 */
#include "analyze/square.h"

#include <math.h>
#include <stdlib.h>

int square_init(struct square *square, size_t n, struct error *err)
{
	square->n = n;
	square->cost = malloc(sizeof(*square->cost) * (n ? n * n : 1));
	if (!square->cost)
		return error_no_memory(err, "a matrix to analyse");
	for (size_t k = 0; k < n * n; k++)
		square->cost[k] = NAN;
	return 0;
}

void square_release(struct square *square)
{
	free(square->cost);
	square->cost = NULL;
}

static void swap(float *a, float *b)
{
	float t = *a;

	*a = *b;
	*b = t;
}

/* Put the value of rank k at its place, smaller ones before it (Hoare). */
static float select_rank(float *values, size_t n, size_t k)
{
	size_t low = 0, high = n - 1;

	while (low < high) {
		float pivot = values[low + (high - low) / 2];
		size_t i = low, j = high;

		for (;;) {
			while (i < high && values[i] < pivot)
				i++;
			while (j > low && pivot < values[j])
				j--;
			if (i >= j)
				break;
			swap(&values[i++], &values[j--]);
		}
		/* values[low..j] <= pivot <= values[j + 1..high]; j < high */
		if (k <= j)
			high = j;
		else
			low = j + 1;
	}
	return values[k];
}

float quantile_of(float *values, size_t n, double q)
{
	if (n == 0)
		return NAN;
	return select_rank(values, n, (size_t)(q * (double)(n - 1)));
}

float median_of(float *values, size_t n)
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

int partition_init(struct partition *partition, size_t n, struct error *err)
{
	partition->n_units = n;
	partition->n_groups = n ? 1 : 0;
	partition->group = calloc(n ? n : 1, sizeof(*partition->group));
	if (!partition->group)
		return error_no_memory(err, "a partition");
	return 0;
}

void partition_release(struct partition *partition)
{
	free(partition->group);
	partition->group = NULL;
}

int partition_number(struct partition *partition, struct error *err)
{
	uint32_t most = 0;
	uint32_t *number;
	uint32_t next = 0;

	for (size_t i = 0; i < partition->n_units; i++)
		if (partition->group[i] > most)
			most = partition->group[i];
	number = malloc(sizeof(*number) * ((size_t)most + 1));
	if (!number)
		return error_no_memory(err, "numbers of groups");
	for (size_t g = 0; g <= most; g++)
		number[g] = UINT32_MAX;
	for (size_t i = 0; i < partition->n_units; i++) {
		uint32_t *at = &number[partition->group[i]];

		if (*at == UINT32_MAX)
			*at = next++;
		partition->group[i] = *at;
	}
	partition->n_groups = next;
	free(number);
	return 0;
}

int roster_init(struct roster *roster, const struct partition *partition,
	struct error *err)
{
	size_t n = partition->n_units;
	size_t n_groups = partition->n_groups;

	roster->members = malloc(sizeof(*roster->members) * (n ? n : 1));
	roster->starts = calloc(n_groups + 2, sizeof(*roster->starts));
	if (!roster->members || !roster->starts) {
		roster_release(roster);
		return error_no_memory(err, "the members of groups");
	}
	/* Count one place further on, so that filling moves starts home. */
	for (size_t i = 0; i < n; i++)
		roster->starts[partition->group[i] + 2]++;
	for (size_t g = 2; g < n_groups + 2; g++)
		roster->starts[g] += roster->starts[g - 1];
	for (size_t i = 0; i < n; i++)
		roster->members[roster->starts[partition->group[i] + 1]++] =
			(uint32_t)i;
	return 0;
}

void roster_release(struct roster *roster)
{
	free(roster->members);
	free(roster->starts);
	roster->members = NULL;
	roster->starts = NULL;
}

static float block_median(const struct square *square,
	const struct roster *roster, size_t g, size_t h, float *scratch)
{
	size_t count = 0;

	for (size_t a = roster->starts[g]; a < roster->starts[g + 1]; a++) {
		const float *row =
			&square->cost[roster->members[a] * square->n];

		for (size_t b = roster->starts[h]; b < roster->starts[h + 1];
			b++) {
			float cost = row[roster->members[b]];

			if (!isnan(cost))
				scratch[count++] = cost;
		}
	}
	/* Of an even number the lower: what disturbs a cell makes it dearer. */
	return quantile_of(scratch, count, 0.5);
}

int square_collapse(const struct square *square,
	const struct partition *partition, struct square *small,
	struct error *err)
{
	size_t n_groups = partition->n_groups;
	struct roster roster = {NULL, NULL};
	float *scratch = NULL;
	size_t largest = 0;
	int rc;

	small->cost = NULL;
	rc = roster_init(&roster, partition, err);
	if (rc)
		return rc;
	rc = square_init(small, n_groups, err);
	if (rc)
		goto out;
	for (size_t g = 0; g < n_groups; g++) {
		size_t size = roster.starts[g + 1] - roster.starts[g];

		largest = size > largest ? size : largest;
	}
	scratch = calloc(largest * largest + 1, sizeof(*scratch));
	if (!scratch) {
		rc = error_no_memory(err, "the cells of a block");
		goto out;
	}
	for (size_t g = 0; g < n_groups; g++)
		for (size_t h = 0; h < g; h++) {
			float cost =
				block_median(square, &roster, g, h, scratch);

			small->cost[g * n_groups + h] = cost;
			small->cost[h * n_groups + g] = cost;
		}
out:
	if (rc)
		square_release(small);
	free(scratch);
	roster_release(&roster);
	return rc;
}
