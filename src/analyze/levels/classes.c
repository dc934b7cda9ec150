/*
 * A class shows in the rows, not in the blocks: its cores have a constant
 * offset to all other CPUs. CPUs at the edge of a mesh or with a slower clock
 * have one too, and a gradient of rows is no class. Two signs count.
 *
 * - Kind: some cores have SMT siblings and some have none, the rows of the two
 *   differ, and those without siblings are alike. A core whose sibling is
 *   offline has the same row as the others. A vCPU may have its sibling in
 *   another virtual machine, which slows it down whenever that one is busy. So
 *   on a virtual machine a missing SMT sibling proves nothing.
 * - A gap: the rows form clusters with gaps that are wider than any cluster,
 *   and the cells within a class, across to the next, and within the next do
 * not overlap. Rows drawn from one normal distribution do that less than one
 * time in a hundred with eight cores, more seldom with more. Where levels other
 * than siblings are found, groups explain the rows: a group may be near to the
 * home of all lines. No gap counts then.
 */
#include "analyze/levels/groups.h"
#include "analyze/levels/steps.h"

#include <stdlib.h>
#include <string.h>

/* Passes of the fit, fewer of a large machine. */
#define FIT_PASSES	 16
#define FIT_PASSES_LARGE 3
#define LARGE_MACHINE	 512

/* The rank test of kinds: the share of pairs of cores in the expected order. */
#define LEAST_SEPARATION 0.85F
#define LEAST_Z		 1.8F

/*
 * Two CPUs without a sibling may be one core, whose only cell is a bad one.
 * They have one row then, and no other core need have it.
 */
#define LEAST_SINGLE 3

/* What is left of the confidence if a row is like those of the other kind. */
#define KIND_DOUBT 0.45F
#define CLEARLY	   2

/* The least distance between two kinds, as a share of the median cost. */
#define LEAST_DIFFERENCE 0.02F
#define FEW_SINGLE	 4
#define FEW_DIFFERENCE	 0.15F

/* Kinds differ by so many typical deviations of cores without siblings. */
#define MIN_KIND_DEVIATIONS 5

/*
 * The gap between clusters, as a share of the median cost; and the share of the
 * cores, and the cores, that a cluster has at least.
 */
#define LEAST_GAP	  0.02F
#define CLASSES_MAX	  4
#define MIN_CLUSTER_SHARE 0.2F
#define MIN_CLUSTER_CORES 2
#define LEAST_CORES	  6

/* The share of pairs of cells, of two neighbouring kinds, in their order. */
#define LEAST_APART 0.95F

/*
 * If one node was home to all lines, CPUs far from it pay two trips more with
 * each other, and the rows of their dies look like kinds of cores. Both add up
 * by rows, and only the size tells them apart. Of 400 made-up machines with one
 * home, 14 had classes, which differed by a factor of 1.83 to 3.94 inside. Of
 * 300 buses 168 had, and those differed by 1.7 at most, as they were made to:
 * no kinds of cores are known to differ by more. Such classes are doubted, not
 * dropped.
 */
#define MOST_SPAN  1.75F
#define HOME_DOUBT 0.5F

/*
 * The same home, seen from cores that are alike: the rows of a cache or a tile
 * differ from those of others by some per cent. Classes that differ by less
 * than this factor inside may be that, if they are more than there are kinds of
 * cores on most machines, and each is as many times the smallest, which has so
 * many at least. Two classes cannot be told from two kinds on a bus.
 */
#define LEAST_SPAN 1.25F
#define MOST_KINDS 2
#define LEAST_SIZE 2

/* The confidence of a gap whose cells do not overlap. */
#define GAP_SEPARATION 0.9F

/* The typical excess of the cells of line u over less[]. */
static float class_row_excess(const struct cost_matrix *matrix, size_t u,
	const float *less, float *scratch)
{
	size_t count = 0;

	for (size_t k = 0; k < matrix->n; k++)
		append_known(scratch, &count,
			cost_matrix_at(matrix, u, k) - less[k]);
	return count ? trimean_of_floats(scratch, count) : 0;
}

/*
 * row[u]: how much more u costs with another unit than the middle unit does, as
 * a share of the median cost.
 */
static void fit_rows(
	const struct cost_matrix *matrix, float *row, struct arena *arena)
{
	const struct arena_block *mark = arena->last;
	size_t n = matrix->n;
	float *middle = arena_alloc(arena, n, sizeof(*middle));
	float *scratch = arena_alloc(arena, n * n, sizeof(*scratch));
	float typical = cost_matrix_median(matrix, scratch);

	for (size_t pass = 0;
		pass < (n > LARGE_MACHINE ? FIT_PASSES_LARGE : FIT_PASSES);
		pass++) {
		for (size_t k = 0; k < n; k++)
			middle[k] = class_row_excess(matrix, k, row, scratch);
		for (size_t u = 0; u < n; u++)
			row[u] = class_row_excess(matrix, u, middle, scratch);
	}
	for (size_t u = 0; u < n; u++)
		row[u] = typical > 0 ? row[u] / typical : 0;
	arena_rewind(arena, mark);
}

/* The share of pairs (one unit of either kind) where the single is higher. */
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

/* How far from one half the share is, in standard deviations of chance. */
static float rank_z(float share, size_t a, size_t b)
{
	return (share - 0.5F) /
	       sqrtf((float)(a + b + 1) / (12 * (float)a * (float)b));
}

/*
 * Whether the median rows of the two kinds are far enough apart, and cores
 * without siblings alike enough. Cores with an offline sibling are few, so a
 * few cores must differ by more.
 */
static bool kinds_differ(const float *row, const uint32_t *sizes, size_t n,
	size_t single, float *scratch)
{
	float middle[2], difference, deviation;

	for (int kind = 0; kind < 2; kind++) {
		size_t count = 0;

		for (size_t u = 0; u < n; u++)
			if ((sizes[u] == 1) == kind)
				scratch[count++] = row[u];
		middle[kind] = median_of_floats(scratch, count);
		/* The last one: cores without siblings. */
		for (size_t k = 0; k < count; k++)
			scratch[k] = fabsf(scratch[k] - middle[kind]);
		deviation = median_of_floats(scratch, count);
	}
	difference = fabsf(middle[1] - middle[0]);
	return difference >= MIN_KIND_DEVIATIONS * deviation &&
	       difference >= (single < FEW_SINGLE ? FEW_DIFFERENCE
						  : LEAST_DIFFERENCE);
}

/*
 * How many times as wide as the clusters their gaps must be. Rows drawn from
 * one distribution do that one time in fifty to a hundred.
 */
static float least_gap_to_width(size_t n)
{
	return n < 8 ? 2.5F : n < 10 ? 1.6F : n < 12 ? 1.4F : 1.2F;
}

/* The widest gap that leaves least rows on both sides to the next cut, or 0. */
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

/* The width of the widest cluster between cuts, and the narrowest cut. */
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
 * Cut the rows, which increase, at their widest gaps into as many clusters as
 * lie apart: the least row of each from the second on. Returns the cuts.
 */
static size_t find_cuts(
	const float *sorted, size_t n, float *from, struct arena *arena)
{
	bool *cut = arena_alloc(arena, n + 1, sizeof(*cut));
	size_t least = (size_t)ceilf(MIN_CLUSTER_SHARE * (float)n), found = 0;

	if (least < MIN_CLUSTER_CORES)
		least = MIN_CLUSTER_CORES;
	if (n < LEAST_CORES)
		return 0;
	for (size_t cuts = 1; cuts < CLASSES_MAX; cuts++) {
		size_t at = find_widest_gap(sorted, cut, n, least), kept = 0;
		float width, gap;

		if (at == 0)
			break;
		cut[at] = true;
		find_cluster_widths(sorted, cut, n, &width, &gap);
		if (gap < LEAST_GAP || gap < least_gap_to_width(n) * width)
			continue;
		for (size_t k = 1; k < n; k++)
			if (cut[k])
				from[kept++] = sorted[k];
		found = kept;
	}
	return found;
}

/* The share of pairs where a value of low[] is under one of high[]. */
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
 * How far the cells within a class, across to the next one, and within that one
 * lie apart: 1 if they do not overlap.
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

			/* Classes before this one are far above 1, unsigned. */
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

/* How many times as much the dearest class costs inside as the cheapest. */
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
 * Whether the row of each core without siblings is nearer to the middle of its
 * own kind: a core whose sibling is elsewhere is of the other kind.
 */
static bool rows_know_kinds(
	const float *row, const uint32_t *sizes, size_t n, float *scratch)
{
	float middle[2];

	for (int kind = 0; kind < 2; kind++) {
		size_t count = 0;

		for (size_t u = 0; u < n; u++)
			if ((sizes[u] == 1) == kind)
				scratch[count++] = row[u];
		middle[kind] = median_of_floats(scratch, count);
	}
	for (size_t u = 0; u < n; u++) {
		if (sizes[u] == 1 &&
			fabsf(row[u] - middle[1]) >
				CLEARLY * fabsf(row[u] - middle[0]))
			return false;
	}
	return true;
}

/* Whether some cores have siblings and those without are of another kind. */
static bool differ_by_siblings(const float *row, const uint32_t *sizes,
	size_t n, float *share, float *scratch)
{
	size_t single = count_single(sizes, n);

	*share = rank_share(row, sizes, n);
	if (*share < 0.5F)
		*share = 1 - *share;
	return single >= LEAST_SINGLE && n - single >= 2 &&
	       *share >= LEAST_SEPARATION &&
	       rank_z(*share, single, n - single) >= LEAST_Z &&
	       kinds_differ(row, sizes, n, single, scratch);
}

/* Whether caches of one size may be what the classes are. */
static bool may_be_caches(const struct partition *classes, struct arena *arena)
{
	const uint32_t *sizes = partition_sizes(classes, arena);
	uint32_t least = sizes[0];

	for (size_t k = 1; k < classes->n_groups; k++)
		least = sizes[k] < least ? sizes[k] : least;
	for (size_t k = 0; k < classes->n_groups; k++)
		if (sizes[k] % least != 0)
			return false;
	return classes->n_groups > MOST_KINDS && least >= LEAST_SIZE;
}

/*
 * Divide the units, of sizes[n] CPUs each. Returns the separation: 1 if no unit
 * of one class lies among those of another, 0 if there is one class.
 */
static float divide_into_classes(const struct cost_matrix *matrix,
	const uint32_t *sizes, bool siblings, bool gap, struct partition *found,
	const char **doubt, struct arena *arena)
{
	size_t n = matrix->n;
	float *row = arena_alloc(arena, n, sizeof(*row));
	float *sorted = arena_alloc(arena, n, sizeof(*sorted));
	float from[CLASSES_MAX], share, span;
	size_t cuts, single;

	fit_rows(matrix, row, arena);
	if (siblings && differ_by_siblings(row, sizes, n, &share, sorted)) {
		for (size_t u = 0; u < n; u++)
			found->group[u] = sizes[u] == 1;
		if (rows_know_kinds(row, sizes, n, sorted))
			return share;
		*doubt = "one without a sibling is like those that have one";
		return KIND_DOUBT * share;
	}
	memcpy(sorted, row, sizeof(*row) * n);
	sort_floats(sorted, n);
	/* Strangers slow down those without siblings, or two are a core. */
	single = count_single(sizes, n);
	if ((!siblings || single < LEAST_SINGLE) && single > 0 && single < n)
		gap = false;
	cuts = gap ? find_cuts(sorted, n, from, arena) : 0;
	if (cuts == 0)
		return 0;
	for (size_t u = 0; u < n; u++)
		for (size_t k = 0; k < cuts; k++)
			found->group[u] += row[u] >= from[k];
	found->n_groups = cuts + 1;
	share = 1;
	for (uint32_t k = 0; k < cuts; k++)
		share = fminf(share, class_separation(matrix, found, k, arena));
	if (share < LEAST_APART)
		return 0;
	span = class_cost_span(matrix, found, arena);
	if (span > MOST_SPAN ||
		(span < LEAST_SPAN && may_be_caches(found, arena))) {
		*doubt = "equal cores at other distances from the home of the "
			 "lines look the same";
		share *= HOME_DOUBT;
	}
	return GAP_SEPARATION * share;
}

bool classes_find(const struct cost_matrix *matrix,
	const struct cost_levels *levels, bool is_virtual,
	struct cost_level *classes, struct arena *arena)
{
	const struct cost_level *inner = levels->n ? &levels->levels[0] : NULL;
	size_t n = matrix->n;
	struct partition cores, found;
	struct cost_matrix small;
	const uint32_t *sizes;
	float separation, *scratch;
	const char *doubt = "the classes lie close to each other";

	/* Whose cores are in doubt, so are their kinds. */
	if (inner && inner->confidence < ANALYSIS_LEAST)
		return false;
	partition_init(&cores, n, arena);
	for (size_t i = 0; i < n; i++)
		cores.group[i] =
			inner ? inner->partition.group[i] : (uint32_t)i;
	cores.n_groups = inner ? inner->partition.n_groups : n;
	cost_matrix_collapse(matrix, &cores, &small, arena);
	partition_init(&found, small.n, arena);
	sizes = partition_sizes(&cores, arena);
	/* Only siblings, which share a core, come in pairs and no more. */
	separation = divide_into_classes(&small, sizes, !is_virtual,
		levels->n <= 1 && levels_only_pairs(&cores, arena), &found,
		&doubt, arena);
	if (separation <= 0)
		return false;
	*classes = (struct cost_level){
		.reason = inner && inner->confidence < (double)separation
				  ? inner->reason
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
	/* No more certain than the cores themselves. */
	classes->confidence =
		(double)separation * (inner ? inner->confidence : 1);
	return true;
}
