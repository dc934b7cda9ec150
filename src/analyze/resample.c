/*
 * Would another run show the same levels? A level that is there is found again
 * if the same machine is measured with other noise, by a clock that ticks at
 * other moments, and without some of the CPUs. A level made of noise is not.
 *
 * So the search is repeated, each time
 *
 * - without one in eight of the innermost groups;
 * - with each cell moved by what another cell of the same level differs from
 *   its level and its rows, within the cell's interval, and within half a step
 *   of the clock.
 *
 * The confidence is lowered by how often a level is not found again.
 */
#include "analyze/steps.h"

#include <string.h>

#include "stat/stat.h"

/* The most repeats, and the cells of all of them. */
#define REPEATS_MAX 19
#define REPEATED    300000
#define REPEATS_MIN 5

/* One group of so many is left out; smaller machines keep all. */
#define LEFT_OUT   8
#define LEAST_CPUS 12

/* Of a larger machine, a part of so many CPUs is repeated. */
#define CPUS_MAX 256

/* Differences beyond so many typical ones are of bad cells. */
#define BAD 3

/* Passes of the fit of rows. */
#define PASSES 6

/* A block with fewer cells has no median of its own. */
#define LEAST_CELLS 4

/* A fixed seed: repeating an analysis must not change it. */
#define SEED 20150102

struct resampling {
	const struct repeated *of;
	const struct square *square;
	const struct levels *levels;
	struct partition units; /* the innermost groups, or the CPUs */
	struct partition whole; /* the outermost groups, or one */
	unsigned char *level;	/* [n * n] of each cell */
	float *row;		/* [n] offsets in the cells of one level */
	float *fit; /* [n * n] the typical cell of each one's block */
	float middle[LEVELS_MAX + 1];
	float *difference[LEVELS_MAX + 1]; /* of cells from their level */
	size_t n_differences[LEVELS_MAX + 1];
	struct stat_random random;
	struct arena *arena;
};

static float uniform(struct stat_random *random, float low, float high)
{
	return low + (high - low) * (float)(stat_random_next(random) >> 40) *
			     0x1p-24F;
}

/* The level of each cell: the innermost one that joins both CPUs. */
static void find_levels(struct resampling *resampling)
{
	size_t n = resampling->square->n;

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			resampling->level[i * n + j] =
				(unsigned char)levels_joining(
					resampling->levels, i, j);
}

static size_t level_of(const struct resampling *resampling, size_t i, size_t j)
{
	return resampling->level[i * resampling->square->n + j];
}

/*
 * The typical cell of each block in fit[]: a group's cells of a level, or those
 * between two of the outermost groups. A block with few cells has the median of
 * its level.
 */
static void fit_block(struct resampling *resampling, const struct members *g,
	const struct members *h, size_t k, float *scratch)
{
	const struct square *square = resampling->square;
	float middle;
	size_t count = 0;

	for (size_t a = 0; a < g->n; a++)
		for (size_t b = 0; b < (g == h ? a : h->n); b++)
			if (level_of(resampling, g->unit[a], h->unit[b]) == k)
				append_known(scratch, &count,
					square_at(square, g->unit[a],
						h->unit[b]));
	middle = count < LEAST_CELLS ? resampling->middle[k]
				     : median_of(scratch, count);
	for (size_t a = 0; a < g->n; a++)
		for (size_t b = 0; b < (g == h ? a : h->n); b++) {
			size_t i = g->unit[a], j = h->unit[b];

			if (level_of(resampling, i, j) == k)
				resampling->fit[i * square->n + j] =
					resampling->fit[j * square->n + i] =
						middle;
		}
}

static void find_fit(struct resampling *resampling, float *scratch)
{
	const struct square *square = resampling->square;
	const struct levels *levels = resampling->levels;

	for (size_t k = 0; k <= levels->n; k++) {
		const struct partition *partition =
			k < levels->n ? &levels->levels[k].partition
				      : &resampling->whole;
		bool own = k < levels->n || levels->n == 0;
		const struct members *groups =
			roster_new(partition, resampling->arena);
		size_t count = 0;

		for (size_t i = 0; i < square->n; i++)
			for (size_t j = 0; j < i; j++)
				if (level_of(resampling, i, j) == k)
					append_known(scratch, &count,
						square_at(square, i, j));
		resampling->middle[k] = median_of(scratch, count);
		for (size_t g = 0; g < partition->n_groups; g++)
			for (size_t h = own ? g : 0; h < g + own; h++)
				fit_block(resampling, &groups[g], &groups[h], k,
					scratch);
	}
}

static float away(const struct resampling *resampling, size_t i, size_t j)
{
	return square_at(resampling->square, i, j) -
	       resampling->fit[i * resampling->square->n + j];
}

/* Append what the cells of row i have beyond their blocks and their columns. */
static void append_row(const struct resampling *resampling, size_t i, size_t k,
	float *values, size_t *count)
{
	for (size_t j = 0; j < resampling->square->n; j++)
		if (j != i && level_of(resampling, i, j) == k)
			append_known(values, count,
				away(resampling, i, j) - resampling->row[j]);
}

/*
 * The offsets of the rows in the cells of level k: what is left of each row is
 * zero in the median. A row of few cells has none.
 */
static void find_rows(struct resampling *resampling, size_t k, float *scratch)
{
	size_t n = resampling->square->n;
	float *row = resampling->row;

	memset(row, 0, sizeof(*row) * n);
	for (int pass = 0; pass < PASSES; pass++)
		for (size_t i = 0; i < n; i++) {
			size_t count = 0;

			append_row(resampling, i, k, scratch, &count);
			if (count >= LEAST_CELLS)
				row[i] = (row[i] + median_of(scratch, count)) /
					 2;
		}
}

/*
 * Bring the differences of bad cells to the edge of the others, and take out
 * what the step of the clock makes, which is drawn separately.
 */
static void trim(float *values, size_t n, float step, float *scratch)
{
	float deviation, limit, rest;

	for (size_t k = 0; k < n; k++)
		scratch[k] = fabsf(values[k]);
	deviation = 1.4826F * median_of(scratch, n);
	limit = BAD * deviation;
	rest = deviation * deviation - step * step / 12;
	rest = rest > 0 ? sqrtf(rest) / deviation : 0;
	for (size_t k = 0; k < n; k++)
		values[k] = rest * fminf(fmaxf(values[k], -limit), limit);
}

static void find_differences(struct resampling *resampling, float *scratch)
{
	const struct square *square = resampling->square;
	const float *row = resampling->row;
	size_t n = square->n;

	for (size_t k = 0; k <= resampling->levels->n; k++) {
		size_t *count = &resampling->n_differences[k];
		float *values =
			arena_take(resampling->arena, n * n / 2, sizeof(float));

		find_rows(resampling, k, scratch);
		for (size_t i = 0; i < n; i++)
			for (size_t j = 0; j < i; j++)
				if (level_of(resampling, i, j) == k)
					append_known(values, count,
						away(resampling, i, j) -
							row[i] - row[j]);
		trim(values, *count, square->step, scratch);
		resampling->difference[k] = values;
	}
}

/*
 * Leave out some of the innermost groups, whole, so that what is left has the
 * same structure. Returns how many CPUs take part.
 */
static size_t choose_cpus(struct resampling *resampling, uint32_t *cpus)
{
	const struct partition *inner = &resampling->units;
	struct stat_random *random = &resampling->random;
	const struct arena_block *mark = resampling->arena->last;
	size_t n = inner->n_units, kept = 0;
	bool *out =
		arena_take(resampling->arena, inner->n_groups, sizeof(*out));

	for (size_t g = 0; g < inner->n_groups; g++)
		out[g] = stat_random_below(random, LEFT_OUT) == 0;
	for (size_t i = 0; i < n; i++)
		if (n < LEAST_CPUS || !out[inner->group[i]])
			cpus[kept++] = (uint32_t)i;
	arena_back(resampling->arena, mark);
	return kept;
}

/* The cost of a cell, or one within its interval. */
static float redrawn(const struct repeated *of, size_t i, size_t j,
	struct stat_random *random)
{
	size_t n = of->square->n, u = i < j ? i : j, v = i < j ? j : i;
	float low = of->bounds ? of->bounds[v * n + u] : NAN;
	float high = of->bounds ? of->bounds[u * n + v] : NAN;
	float cost = square_at(of->square, i, j);

	return low <= high && !isnan(cost) ? uniform(random, low, high) : cost;
}

static void draw_cells(struct resampling *resampling, const uint32_t *cpus,
	struct square *drawn)
{
	const struct square *square = resampling->square;
	struct stat_random *random = &resampling->random;
	size_t n = drawn->n;

	drawn->step = square->step;
	for (size_t a = 0; a < n; a++)
		for (size_t b = 0; b < a; b++) {
			size_t i = cpus[a], j = cpus[b];
			size_t k = level_of(resampling, i, j);
			size_t count = resampling->n_differences[k];
			float cost = redrawn(resampling->of, i, j, random);

			cost += uniform(
				random, -square->step / 4, square->step / 4);
			if (count > 0)
				cost += resampling->difference
						[k][stat_random_below(
							random, count)];
			drawn->cost[a * n + b] = drawn->cost[b * n + a] =
				isnan(cost) ? NAN : fmaxf(cost, 0);
		}
}

/* The partition of the chosen CPUs. */
static void restrict_to(const struct partition *whole, const uint32_t *cpus,
	struct partition *part, struct arena *arena)
{
	for (size_t a = 0; a < part->n_units; a++)
		part->group[a] = whole->group[cpus[a]];
	partition_number(part, arena);
}

/* The share of the units in groups of a that are in the same group in b. */
static double likeness(const struct partition *a, const struct partition *b,
	struct arena *arena)
{
	const struct arena_block *mark = arena->last;
	const uint32_t *size_a = partition_sizes(a, arena);
	const uint32_t *size_b = partition_sizes(b, arena);
	uint32_t *first = arena_take(arena, a->n_groups, sizeof(*first));
	uint32_t *met = arena_take(arena, a->n_groups, sizeof(*met));
	size_t same = 0, grouped = 0;

	for (size_t i = 0; i < a->n_units; i++) {
		uint32_t g = a->group[i];

		if (met[g] == 0)
			first[g] = b->group[i];
		met[g] += first[g] == b->group[i];
	}
	for (size_t g = 0; g < a->n_groups; g++) {
		if (size_a[g] < 2)
			continue;
		grouped += size_a[g];
		if (met[g] == size_a[g] && size_b[first[g]] == size_a[g])
			same += size_a[g];
	}
	arena_back(arena, mark);
	return (double)same / (double)grouped;
}

/* How like the likest of the levels is. */
static double likest(const struct levels *levels, const struct partition *own,
	struct arena *arena)
{
	double best = 0;

	for (size_t k = 0; k < levels->n; k++)
		best = fmax(best,
			likeness(own, &levels->levels[k].partition, arena));
	return best;
}

/* The sum over repeats, and how many there were. */
struct tally {
	double asked, again;
};

/* Add a repeat of a level, unless nothing of it is left to be found. */
static void add_repeat(struct tally *tally, const struct partition *whole,
	const uint32_t *cpus, struct partition *own, const struct levels *found,
	struct arena *arena)
{
	restrict_to(whole, cpus, own, arena);
	if (own->n_groups == own->n_units || own->n_groups == 1)
		return;
	tally->asked++;
	tally->again += likest(found, own, arena);
}

/* The last tally is of the classes. */
static void repeat(struct resampling *resampling, struct tally *tallies)
{
	const struct repeated *of = resampling->of;
	struct arena *arena = resampling->arena;
	const struct arena_block *mark = arena->last;
	const struct levels *levels = of->levels;
	uint32_t *cpus = arena_take(arena, of->square->n, sizeof(*cpus));
	size_t n = choose_cpus(resampling, cpus);
	struct partition own;
	struct square drawn;
	struct levels found;

	square_init(&drawn, n, arena);
	draw_cells(resampling, cpus, &drawn);
	levels_find(&drawn, false, &found, arena);
	partition_init(&own, n, arena);
	for (size_t k = 0; k < levels->n; k++)
		add_repeat(&tallies[k], &levels->levels[k].partition, cpus,
			&own, &found, arena);
	if (of->classes) {
		struct levels classes = {.n = 0};

		classes.n = classes_find(&drawn, &found, of->is_virtual,
			&classes.levels[0], arena);
		add_repeat(&tallies[LEVELS_MAX], &of->classes->partition, cpus,
			&own, &classes, arena);
	}
	arena_back(arena, mark);
}

static double share_of(const struct tally *tally)
{
	return (1 + tally->again) / (1 + tally->asked);
}

static void prepare(struct resampling *resampling)
{
	const struct square *square = resampling->square;
	const struct levels *levels = resampling->levels;
	struct arena *arena = resampling->arena;
	size_t n = square->n;
	float *scratch = arena_take(arena, n * n, sizeof(*scratch));

	stat_random_init(&resampling->random, SEED);
	resampling->row = arena_take(arena, n, sizeof(float));
	resampling->fit = arena_take(arena, n * n, sizeof(float));
	partition_init(&resampling->units, n, arena);
	partition_init(&resampling->whole, n, arena);
	for (size_t i = 0; i < n; i++)
		resampling->units.group[i] = (uint32_t)i;
	resampling->units.n_groups = n;
	if (levels->n > 0) {
		resampling->units = levels->levels[0].partition;
		resampling->whole = levels->levels[levels->n - 1].partition;
	}
	resampling->level = arena_take(arena, n * n, 1);
	find_levels(resampling);
	find_fit(resampling, scratch);
	find_differences(resampling, scratch);
}

static void resample_all(const struct repeated *repeated, struct arena *arena)
{
	struct levels *levels = repeated->levels;
	size_t n = repeated->square->n, repeats = REPEATED / (n * n + 1);
	struct tally tallies[LEVELS_MAX + 1] = {{0}};
	struct resampling resampling = {.of = repeated,
		.square = repeated->square,
		.levels = levels,
		.arena = arena};

	repeats = repeats < REPEATS_MIN	  ? REPEATS_MIN
		  : repeats > REPEATS_MAX ? REPEATS_MAX
					  : repeats;
	prepare(&resampling);
	for (size_t r = 0; r < repeats; r++)
		repeat(&resampling, tallies);
	for (size_t k = 0; k < levels->n; k++)
		levels->levels[k].again = share_of(&tallies[k]);
	if (repeated->classes)
		repeated->classes->again = share_of(&tallies[LEVELS_MAX]);
}

/* Keep in[] at most so many groups of partition in each of parents' groups. */
static void keep_some(bool *in, const struct partition *partition,
	const uint32_t *parent, size_t most, struct stat_random *random,
	struct arena *arena)
{
	const struct arena_block *mark = arena->last;
	size_t n = partition->n_units;
	uint32_t *order = arena_take(arena, n, sizeof(*order));
	size_t *kept = arena_take(arena, n, sizeof(*kept));
	signed char *stays = arena_take(arena, n, 1);

	stat_shuffle(random, order, n);
	for (size_t a = 0; a < n; a++) {
		size_t i = order[a], g = partition->group[i];
		size_t p = parent ? parent[i] : 0;

		if (stays[g] == 0)
			stays[g] = in[i] && kept[p]++ < most ? 1 : -1;
		in[i] = in[i] && stays[g] > 0;
	}
	arena_back(arena, mark);
}

/* The CPUs of a part that has a few groups of each level. */
static size_t choose_part(const struct levels *levels, size_t n, uint32_t *cpus,
	struct arena *arena)
{
	bool *in = arena_take(arena, n, sizeof(*in));
	struct partition single;
	struct stat_random random;
	size_t kept = n;

	partition_init(&single, n, arena);
	for (size_t i = 0; i < n; i++)
		single.group[i] = (uint32_t)i;
	stat_random_init(&random, SEED);
	for (size_t most = CPUS_MAX; kept > CPUS_MAX && most > 1;
		most = most * 3 / 4) {
		const uint32_t *parent = NULL;

		memset(in, 1, n);
		for (size_t k = levels->n; k-- > 0;) {
			keep_some(in, &levels->levels[k].partition, parent,
				most, &random, arena);
			parent = levels->levels[k].partition.group;
		}
		keep_some(in, &single, parent, most, &random, arena);
		kept = 0;
		for (size_t i = 0; i < n; i++)
			if (in[i])
				cpus[kept++] = (uint32_t)i;
	}
	return kept;
}

static void restrict_level(const struct level *whole, const uint32_t *cpus,
	size_t n, struct level *part, struct arena *arena)
{
	*part = *whole;
	partition_init(&part->partition, n, arena);
	restrict_to(&whole->partition, cpus, &part->partition, arena);
}

/* Repeat a part of a large machine. */
static void resample_part(const struct repeated *repeated, struct arena *arena)
{
	const struct square *square = repeated->square;
	struct levels *levels = repeated->levels, part = {.n = levels->n};
	uint32_t *cpus = arena_take(arena, square->n, sizeof(*cpus));
	size_t n = choose_part(levels, square->n, cpus, arena);
	struct square small;
	struct level classes;
	float *bounds = repeated->bounds
				? arena_take(arena, n * n, sizeof(*bounds))
				: NULL;

	square_init(&small, n, arena);
	small.step = square->step;
	for (size_t k = 0; k < n * n; k++) {
		size_t at = cpus[k / n] * square->n + cpus[k % n];

		small.cost[k] = square->cost[at];
		if (bounds)
			bounds[k] = repeated->bounds[at];
	}
	for (size_t k = 0; k < levels->n; k++)
		restrict_level(
			&levels->levels[k], cpus, n, &part.levels[k], arena);
	if (repeated->classes)
		restrict_level(repeated->classes, cpus, n, &classes, arena);
	resample_all(&(struct repeated){&small, bounds, repeated->is_virtual,
			     &part, repeated->classes ? &classes : NULL},
		arena);
	for (size_t k = 0; k < levels->n; k++)
		levels->levels[k].again = part.levels[k].again;
	if (repeated->classes)
		repeated->classes->again = classes.again;
}

void resample(const struct repeated *repeated, struct arena *arena)
{
	const struct arena_block *mark = arena->last;

	if (repeated->levels->n == 0 && !repeated->classes)
		return;
	if (repeated->square->n > CPUS_MAX)
		resample_part(repeated, arena);
	else
		resample_all(repeated, arena);
	arena_back(arena, mark);
}
