#include "analyze/levels/candidates.h"

#include <string.h>

static bool has_equal_groups(
	const struct partition *partition, struct arena *arena)
{
	const uint32_t *sizes = partition_sizes(partition, arena);

	for (size_t g = 1; g < partition->n_groups; g++)
		if (sizes[g] != sizes[0])
			return false;
	return true;
}

/* Whether nearly all CPUs are in groups of about the commonest size. */
static bool has_even_groups(const struct partition *partition,
	const struct level_constants *constants, struct arena *arena)
{
	size_t n = partition->n_units, about = 0;
	uint32_t *of_size = arena_alloc(arena, n + 1, sizeof(*of_size));
	size_t best = partition_commonest_size(partition, of_size, arena);
	size_t off = (size_t)(constants->odd_share * (double)best);

	for (size_t size = best - off; size <= best + off; size++)
		about += size <= n ? of_size[size] : 0;
	return (double)about >= (1 - constants->bad_share) * (double)n;
}

void candidates_add(struct level_candidates *candidates,
	struct partition *partition, bool *inferred, struct arena *arena)
{
	size_t n = partition->n_units;

	partition_number(partition, arena);
	if (candidates->n == CANDIDATES_MAX || partition->n_groups < 2 ||
		partition->n_groups == n)
		return;
	for (size_t k = 0; k < candidates->n; k++) {
		const struct level_candidate *other = &candidates->all[k];

		if (!other->inferred == !inferred &&
			other->partition.n_groups == partition->n_groups &&
			memcmp(other->partition.group, partition->group,
				n * sizeof(*partition->group)) == 0)
			return;
	}
	candidates->all[candidates->n++] = (struct level_candidate){*partition,
		has_equal_groups(partition, arena),
		has_even_groups(partition, candidates->constants, arena),
		inferred};
}
