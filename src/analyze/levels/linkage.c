/*
 * Average linkage: repeatedly joins the two clusters with the least mean
 * distance between their members. The nearest-neighbour chain takes O(n^2) time
 * (Murtagh, The Computer Journal 26, 1983).
 */
#include "analyze/levels/steps.h"

/* The clusters: a slot is a cluster until it is joined to another slot. */
struct cluster_slots {
	size_t n;
	float *distance; /* [n * n] */
	uint32_t *size;
	uint32_t *node;	 /* [n] node of the tree, by slot */
	uint32_t *live;	 /* [n_live] slots of clusters, in any order */
	uint32_t *place; /* [n] index of a slot in live[] */
	size_t n_live;
};

static size_t nearest_cluster(
	const struct cluster_slots *clusters, size_t slot, size_t preferred)
{
	const float *row = &clusters->distance[slot * clusters->n];
	size_t best = preferred;

	/* On a tie, prefer the previous cluster: else the chain never ends. */
	for (size_t k = 0; k < clusters->n_live; k++) {
		size_t other = clusters->live[k];

		if (other != slot &&
			(best == SIZE_MAX || row[other] < row[best]))
			best = other;
	}
	return best;
}

/*
 * Return the mean distance to the union of a and b; ignore unknown distances.
 */
static float joined_distance(float a, uint32_t size_a, float b, uint32_t size_b)
{
	if (isinf(a))
		return b;
	if (isinf(b))
		return a;
	return (a * (float)size_a + b * (float)size_b) /
	       (float)(size_a + size_b);
}

/* Join slot b to slot a. */
static void join_clusters(struct cluster_slots *clusters, size_t a, size_t b)
{
	size_t n = clusters->n;
	uint32_t last = clusters->live[--clusters->n_live];

	clusters->live[clusters->place[b]] = last;
	clusters->place[last] = clusters->place[b];
	for (size_t k = 0; k < clusters->n_live; k++) {
		size_t c = clusters->live[k];
		float mean;

		if (c == a)
			continue;
		mean = joined_distance(clusters->distance[a * n + c],
			clusters->size[a], clusters->distance[b * n + c],
			clusters->size[b]);
		clusters->distance[a * n + c] = mean;
		clusters->distance[c * n + a] = mean;
	}
	clusters->size[a] += clusters->size[b];
}

static void run_neighbour_chain(struct cluster_slots *clusters,
	struct cluster_merge *merges, uint32_t *chain)
{
	size_t n = clusters->n;
	size_t length = 0, found = 0;

	while (clusters->n_live > 1) {
		size_t end, next;

		if (length == 0)
			chain[length++] = clusters->live[0];
		end = chain[length - 1];
		next = nearest_cluster(clusters, end,
			length > 1 ? chain[length - 2] : SIZE_MAX);
		if (length < 2 || next != chain[length - 2]) {
			chain[length++] = (uint32_t)next;
			continue;
		}
		length -= 2;
		merges[found].left = clusters->node[next];
		merges[found].right = clusters->node[end];
		merges[found].height = clusters->distance[next * n + end];
		merges[found].size = clusters->size[next] + clusters->size[end];
		join_clusters(clusters, next, end);
		clusters->node[next] = (uint32_t)(n + found);
		found++;
	}
}

void linkage_build_tree(float *distance, size_t n, struct cluster_merge *merges,
	struct arena *arena)
{
	const struct arena_block *mark = arena->last;
	struct cluster_slots clusters = {.n = n,
		.distance = distance,
		.size = arena_alloc(arena, n, sizeof(uint32_t)),
		.node = arena_alloc(arena, n, sizeof(uint32_t)),
		.live = arena_alloc(arena, n, sizeof(uint32_t)),
		.place = arena_alloc(arena, n, sizeof(uint32_t)),
		.n_live = n};

	for (size_t i = 0; i < n; i++) {
		clusters.size[i] = 1;
		clusters.node[i] = clusters.live[i] = clusters.place[i] =
			(uint32_t)i;
	}
	run_neighbour_chain(
		&clusters, merges, arena_alloc(arena, n, sizeof(uint32_t)));
	arena_rewind(arena, mark);
}
