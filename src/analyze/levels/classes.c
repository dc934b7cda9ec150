/*
 * Finds classes of cores. A class affects whole rows, not blocks: its cores
 * have a constant offset to all other CPUs. CPUs at the edge of a mesh or with
 * a slower clock also have an offset, and a gradient of rows is no class. One
 * of two signs has to show a class.
 *
 * - Kind: some cores have SMT siblings and some have none, the rows of these
 *   two kinds differ, and cores without siblings are alike. A core whose
 *   sibling is offline has the same row as other cores. In a part of a hybrid
 *   machine, two or more cores without siblings may be like cores with
 *   siblings, if a gap separates them from other cores: their siblings were not
 *   measured. A vCPU's sibling may belong to another virtual machine, whose
 *   load slows the vCPU down. On a virtual machine, a missing SMT sibling
 *   therefore proves nothing.
 * - A gap: the rows form clusters, the gaps are wider than any cluster, and
 *   three sets of cells do not overlap: cells within a class, cells to the next
 *   class, and cells within the next class. If all rows come from one normal
 *   distribution, this test passes by chance for 1 of 40 machines with up to
 *   ten cores, and for fewer machines with more cores. Gaps do not count if
 *   levels other than siblings are found, because a group near the home node of
 *   all lines would explain the rows.
 *
 * If one node is the home of all lines, two CPUs far from it need two more
 * transfers, and the rows of their dies look like types of cores. Home nodes
 * and types of cores both add row offsets, which differ only in size. Of 400
 * simulated machines with one home node, 14 showed classes, whose costs inside
 * differed by a factor of 1.83 to 3.94. Of 300 simulated buses, 168 showed
 * classes, which differed by at most 1.7, because no types of cores are known
 * to differ by more. Larger differences lower the confidence of classes, but do
 * not reject them.
 *
 * With equal cores, a home node makes the rows of a cache or a tile differ from
 * other rows by some per cent. Classes that differ so little may be caches if
 * they are more than two, and each size is a multiple of the smallest. Two such
 * classes could be types of cores on a bus.
 */
#include "analyze/levels/groups.h"
#include "analyze/levels/steps.h"

#include <stdlib.h>
#include <string.h>

#define FIT_PASSES 3

/* Largest number of classes. No machine has so many. */
#define CLASSES_MAX 8

/* Return the typical difference of the cells of row u and less[]. */
static float class_row_excess(const struct cost_matrix *matrix, size_t u,
	const float *less, float *scratch)
{
	size_t count = 0;

	for (size_t k = 0; k < matrix->n; k++)
		append_known(scratch, &count,
			cost_matrix_at(matrix, u, k) - less[k]);
	return count ? trimean_of_floats(scratch, count) : 0;
}

/* Fill row[u] with the excess of u over the median unit, in median costs. */
static void fit_rows(
	const struct cost_matrix *matrix, float *row, struct arena *arena)
{
	const struct arena_block *mark = arena->last;
	size_t n = matrix->n;
	float *middle = arena_alloc(arena, n, sizeof(*middle));
	float *scratch = arena_alloc(arena, n * n, sizeof(*scratch));
	float typical = cost_matrix_median(matrix, scratch);

	for (size_t pass = 0; pass < FIT_PASSES; pass++) {
		for (size_t k = 0; k < n; k++)
			middle[k] = class_row_excess(matrix, k, row, scratch);
		for (size_t u = 0; u < n; u++)
			row[u] = class_row_excess(matrix, u, middle, scratch);
	}
	for (size_t u = 0; u < n; u++)
		row[u] = typical > 0 ? row[u] / typical : 0;
	arena_rewind(arena, mark);
}

/* Return how often a core without siblings costs more than one with them. */
static float rank_share(const float *row, const uint32_t *sizes, size_t n)
{
	size_t pairs = 0;
	float higher = 0;

	for (size_t u = 0; u < n; u++)
		for (size_t v = 0; v < n; v++) {
			if (sizes[u] != 1 || sizes[v] == 1)
				continue;
			pairs++;
			if (row[u] > row[v])
				higher += 1;
			else if (row[u] == row[v])
				higher += 0.5F;
		}
	return pairs ? higher / (float)pairs : 0.5F;
}

/* Copy the rows of cores without siblings, or of cores with siblings. */
static size_t take_kind_rows(const float *row, const uint32_t *sizes, size_t n,
	bool single, float *rows)
{
	size_t count = 0;

	for (size_t u = 0; u < n; u++)
		if ((sizes[u] == 1) == single)
			rows[count++] = row[u];
	return count;
}

/*
 * Whether the median rows of cores with and without siblings differ enough, and
 * the rows without siblings are similar enough.
 */
static bool kinds_differ(const float *row, const uint32_t *sizes, size_t n,
	const struct level_constants *constants, float *scratch)
{
	float middle[2], difference, deviation;

	for (int kind = 0; kind < 2; kind++) {
		size_t count = take_kind_rows(row, sizes, n, kind, scratch);

		middle[kind] = median_of_floats(scratch, count);
		/* The last deviation is of cores without siblings. */
		for (size_t k = 0; k < count; k++)
			scratch[k] = fabsf(scratch[k] - middle[kind]);
		deviation = median_of_floats(scratch, count);
	}
	difference = fabsf(middle[1] - middle[0]);
	return (double)difference >=
		       constants->deviations * (double)deviation &&
	       (double)difference >= constants->class_gap;
}

/*
 * Return the row after the widest gap with at least `least` rows on each side
 * up to the next cut; 0 if no gap has so many.
 */
static size_t find_widest_gap(
	const float *sorted, const bool *cut, size_t n, size_t least)
{
	size_t at = 0, begin = 0;

	for (size_t k = 1; k < n; k++) {
		size_t end = k;

		if (cut[k]) {
			begin = k;
			continue;
		}
		while (end < n && !cut[end])
			end++;
		if (k - begin < least || end - k < least)
			continue;
		if (at == 0 ||
			sorted[k] - sorted[k - 1] > sorted[at] - sorted[at - 1])
			at = k;
	}
	return at;
}

/* Find the width of the widest cluster, and the narrowest gap at a cut. */
static void find_cluster_widths(const float *sorted, const bool *cut, size_t n,
	float *width, float *gap)
{
	size_t begin = 0;

	*width = 0;
	*gap = INFINITY;
	for (size_t k = 1; k <= n; k++) {
		if (k < n && !cut[k])
			continue;
		*width = fmaxf(*width, sorted[k - 1] - sorted[begin]);
		if (k < n)
			*gap = fminf(*gap, sorted[k] - sorted[k - 1]);
		begin = k;
	}
}

/*
 * Cut the increasing rows at their widest gaps into as many separate clusters
 * as possible. Return the number of cuts; from[] gets the lowest row of each
 * cluster except the first.
 */
static size_t find_cuts(const float *sorted, size_t n,
	const struct level_constants *constants, float *from,
	struct arena *arena)
{
	bool *cut = arena_alloc(arena, n + 1, sizeof(*cut));
	size_t least = (size_t)ceil(constants->class_share * (double)n);
	double ratio = fmax(1, constants->class_rows / (double)n);
	size_t found = 0;

	if ((double)n < constants->known_rows)
		return 0;
	for (size_t cuts = 1; cuts < CLASSES_MAX; cuts++) {
		size_t at = find_widest_gap(sorted, cut, n, least), kept = 0;
		float width, gap;

		if (at == 0)
			break;
		cut[at] = true;
		find_cluster_widths(sorted, cut, n, &width, &gap);
		if ((double)gap < constants->class_gap ||
			(double)gap < ratio * (double)width)
			continue;
		for (size_t k = 1; k < n; k++)
			if (cut[k])
				from[kept++] = sorted[k];
		found = kept;
	}
	return found;
}

/* Pair each low[] with each high[]; return the share of pairs in order. */
static float share_under(
	const float *low, size_t n_low, const float *high, size_t n_high)
{
	float under = 0;
	size_t at = 0;

	for (size_t k = 0; k < n_high; k++) {
		while (at < n_low && low[at] < high[k])
			at++;
		under += (float)at / (float)n_low;
	}
	return under / (float)n_high;
}

/*
 * Return how well three sets of cells are separated: within a class, to the
 * next class, and within the next class. 1: the sets do not overlap.
 */
static float class_separation(const struct cost_matrix *matrix,
	const struct partition *found, uint32_t class, struct arena *arena)
{
	const struct arena_block *mark = arena->last;
	size_t n = matrix->n, count[3] = {0};
	float *cells[3], share;

	for (int kind = 0; kind < 3; kind++)
		cells[kind] = arena_alloc(arena, n * n / 2 + 1, sizeof(float));
	for (size_t u = 0; u < n; u++)
		for (size_t v = 0; v < u; v++) {
			uint32_t own = found->group[u] - class;
			uint32_t other = found->group[v] - class;

			/* Earlier classes are far above 1 (unsigned). */
			if (own <= 1 && other <= 1)
				append_known(cells[own + other],
					&count[own + other],
					cost_matrix_at(matrix, u, v));
		}
	for (int kind = 0; kind < 3; kind++)
		sort_floats(cells[kind], count[kind]);
	share = count[0] && count[1] && count[2]
			? fminf(share_under(
					cells[0], count[0], cells[1], count[1]),
				  share_under(cells[1], count[1], cells[2],
					  count[2]))
			: 0;
	arena_rewind(arena, mark);
	return share;
}

/* Return the cost inside the dearest class / the cost inside the cheapest. */
static float class_cost_span(const struct cost_matrix *matrix,
	const struct partition *found, struct arena *arena)
{
	const struct arena_block *mark = arena->last;
	const struct group_members *classes = partition_members(found, arena);
	float *cells = arena_alloc(
		arena, matrix->n * matrix->n / 2 + 1, sizeof(*cells));
	float least = INFINITY, most = 0;

	for (size_t c = 0; c < found->n_groups; c++) {
		size_t count = 0;
		float middle;

		for (size_t a = 0; a < classes[c].n; a++)
			for (size_t b = 0; b < a; b++)
				append_known(cells, &count,
					cost_matrix_at(matrix,
						classes[c].unit[a],
						classes[c].unit[b]));
		middle = median_of_floats(cells, count);
		least = fminf(least, middle);
		most = fmaxf(most, middle);
	}
	arena_rewind(arena, mark);
	return most / least;
}

static size_t count_single(const uint32_t *sizes, size_t n)
{
	size_t single = 0;

	for (size_t u = 0; u < n; u++)
		single += sizes[u] == 1;
	return single;
}

/*
 * Give two CPUs to each core without siblings whose row is clearly nearer to
 * the cores with siblings: its sibling was not measured. Return their number.
 */
static size_t find_hidden_siblings(const float *row, uint32_t *sizes, size_t n,
	const struct level_constants *constants, float *scratch)
{
	float middle[2];
	size_t hidden = 0;

	for (int kind = 0; kind < 2; kind++) {
		size_t count = take_kind_rows(row, sizes, n, kind, scratch);

		if (count < 2)
			return 0;
		middle[kind] = median_of_floats(scratch, count);
	}
	for (size_t u = 0; u < n; u++) {
		if (sizes[u] != 1 ||
			(double)fabsf(row[u] - middle[1]) <=
				constants->class_clear *
					(double)fabsf(row[u] - middle[0]))
			continue;
		sizes[u] = 2;
		hidden++;
	}
	return hidden;
}

/* Whether a gap divides the kinds that is wider than the rows of siblings. */
static bool has_kind_gap(const float *row, const uint32_t *sizes, size_t n,
	const struct level_constants *constants)
{
	float low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
	float gap;

	for (size_t u = 0; u < n; u++) {
		bool single = sizes[u] == 1;

		low[single] = fminf(low[single], row[u]);
		high[single] = fmaxf(high[single], row[u]);
	}
	gap = fmaxf(low[1] - high[0], low[0] - high[1]);
	return (double)gap >
	       constants->class_clear * (double)(high[0] - low[0]);
}

/* Whether cores without siblings differ in type from cores with siblings. */
static bool differ_by_siblings(const float *row, const uint32_t *sizes,
	size_t n, const struct level_constants *constants, float *share,
	float *scratch)
{
	size_t single = count_single(sizes, n);

	*share = rank_share(row, sizes, n);
	if (*share < 0.5F)
		*share = 1 - *share;
	return (double)single >= constants->class_single && n - single >= 2 &&
	       (double)*share >= 1 - constants->bad_share &&
	       kinds_differ(row, sizes, n, constants, scratch);
}

/* Whether the classes may be caches of one size. */
static bool may_be_caches(const struct partition *classes,
	const struct level_constants *constants, struct arena *arena)
{
	const uint32_t *sizes = partition_sizes(classes, arena);
	uint32_t least = sizes[0];

	for (size_t k = 1; k < classes->n_groups; k++)
		least = sizes[k] < least ? sizes[k] : least;
	for (size_t k = 0; k < classes->n_groups; k++)
		if (sizes[k] % least != 0)
			return false;
	return (double)classes->n_groups > constants->class_kinds;
}

/*
 * Divide the units into classes; unit u has sizes[u] CPUs. Return the
 * separation: 1 if no classes overlap, 0 for a single class.
 */
static double divide_into_classes(const struct cost_matrix *matrix,
	const uint32_t *sizes, bool siblings, bool gap,
	const struct level_constants *constants, struct partition *found,
	const char **doubt, struct arena *arena)
{
	size_t n = matrix->n;
	float *row = arena_alloc(arena, n, sizeof(*row));
	float *sorted = arena_alloc(arena, n, sizeof(*sorted));
	float from[CLASSES_MAX], share;
	uint32_t *kinds = arena_copy(arena, sizes, n, sizeof(*sizes));
	double span;
	size_t cuts, single, hidden;

	fit_rows(matrix, row, arena);
	hidden = find_hidden_siblings(row, kinds, n, constants, sorted);
	/*
	 * A single hidden core may be a slow or fast core of the other type. If
	 * cells are missing, two hidden cores may be siblings.
	 */
	if (siblings && hidden > 1 && measured_missing(matrix) == 0 &&
		differ_by_siblings(row, kinds, n, constants, &share, sorted) &&
		has_kind_gap(row, kinds, n, constants)) {
		for (size_t u = 0; u < n; u++)
			found->group[u] = kinds[u] == 1;
		*doubt = "cores without an SMT sibling are like cores with one";
		return fmin((double)share, constants->inferred_cap);
	}
	if (siblings &&
		differ_by_siblings(row, sizes, n, constants, &share, sorted)) {
		for (size_t u = 0; u < n; u++)
			found->group[u] = sizes[u] == 1;
		if (hidden == 0)
			return (double)share;
		*doubt = "a core without an SMT sibling is like cores with one";
		return fmin((double)share, constants->doubt_cap);
	}
	memcpy(sorted, row, sizeof(*row) * n);
	sort_floats(sorted, n);
	/* Other guests may slow single units down. */
	single = count_single(sizes, n);
	if ((!siblings || (double)single < constants->class_single) &&
		single > 0 && single < n)
		gap = false;
	cuts = gap ? find_cuts(sorted, n, constants, from, arena) : 0;
	if (cuts == 0)
		return 0;
	for (size_t u = 0; u < n; u++)
		for (size_t k = 0; k < cuts; k++)
			found->group[u] += row[u] >= from[k];
	found->n_groups = cuts + 1;
	share = 1;
	for (uint32_t k = 0; k < cuts; k++)
		share = fminf(share, class_separation(matrix, found, k, arena));
	if ((double)share < 1 - constants->bad_share)
		return 0;
	span = (double)class_cost_span(matrix, found, arena);
	if (span > constants->class_span ||
		(span < constants->class_step &&
			may_be_caches(found, constants, arena))) {
		*doubt = "equal cores at different distances from the home "
			 "node of the lines also look like classes";
		return fmin((double)share, constants->doubt_cap);
	}
	return fmin((double)share, constants->alone_cap);
}

bool classes_find(const struct cost_matrix *matrix,
	const struct cost_levels *levels, bool is_virtual,
	const struct level_constants *constants, struct cost_level *classes,
	struct arena *arena)
{
	const struct cost_level *inner = levels->n ? &levels->levels[0] : NULL;
	size_t n = matrix->n;
	struct partition cores, found;
	struct cost_matrix small = *matrix;
	const uint32_t *sizes;
	bool only_pairs = true;
	double separation;
	float *scratch;
	const char *doubt = "the values of the classes are close together";

	/* If cores are uncertain, classes of cores are also uncertain. */
	if (inner && inner->confidence < ANALYSIS_LEAST)
		return false;
	partition_init(&cores, n, arena);
	for (size_t i = 0; i < n; i++)
		cores.group[i] =
			inner ? inner->partition.group[i] : (uint32_t)i;
	cores.n_groups = inner ? inner->partition.n_groups : n;
	if (inner)
		cost_matrix_collapse(matrix, &cores, &small, arena);
	partition_init(&found, small.n, arena);
	sizes = partition_sizes(&cores, arena);
	for (size_t g = 0; g < cores.n_groups; g++)
		only_pairs &= sizes[g] <= 2;
	/* Only SMT siblings form groups of at most two. */
	separation = divide_into_classes(&small, sizes, !is_virtual,
		levels->n <= 1 && only_pairs, constants, &found, &doubt, arena);
	if (separation <= 0)
		return false;
	*classes = (struct cost_level){
		.reason = inner && inner->confidence < separation
				  ? "the sibling pairs are uncertain"
				  : doubt};
	partition_init(&classes->partition, n, arena);
	for (size_t i = 0; i < n; i++)
		classes->partition.group[i] = found.group[cores.group[i]];
	partition_number(&classes->partition, arena);
	if (levels_have(levels, &classes->partition))
		return false;
	partition_number(&found, arena);
	scratch = arena_alloc(arena, small.n * small.n, sizeof(*scratch));
	classes->inside = (double)cost_matrix_median_where(
		&small, found.group, NULL, false, scratch);
	classes->between = (double)cost_matrix_median_where(
		&small, found.group, NULL, true, scratch);
	/* The confidence of classes is at most that of the cores. */
	classes->confidence = separation * (inner ? inner->confidence : 1);
	return true;
}
