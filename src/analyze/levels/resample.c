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
#include "analyze/levels/steps.h"

#include <string.h>

#include "stat/stat.h"

/* The most repeats, and the cells of all of them. */
#define REPEATS_MAX    19
#define REPEATED_CELLS 300000
#define REPEATS_MIN    5

/* One group of so many is left out; smaller machines keep all. */
#define LEFT_OUT   8
#define LEAST_CPUS 12

/* Of a larger machine, a part of so many CPUs is repeated. */
#define CPUS_MAX 256

/* Differences beyond so many typical ones are of bad cells. */
#define BAD_DEVIATIONS 3

/* Passes of the fit of rows. */
#define ROW_FIT_PASSES 6

/* A block with fewer cells has no median of its own. */
#define LEAST_CELLS 4

/* A fixed seed: repeating an analysis must not change it. */
#define RESAMPLE_SEED 20150102

struct resample_context {
	const struct resample_input *input;
	const struct cost_matrix *matrix;
	const struct cost_levels *levels;
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

static float random_uniform(struct stat_random *random, float low, float high)
{
	return low + (high - low) * (float)(stat_random_next(random) >> 40) *
			     0x1p-24F;
}

/* The level of each cell: the innermost one that joins both CPUs. */
static void find_cell_levels(struct resample_context *context)
{
	size_t n = context->matrix->n;

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			context->level[i * n + j] =
				(unsigned char)levels_joining(
					context->levels, i, j);
}

static size_t cell_level_index(
	const struct resample_context *context, size_t i, size_t j)
{
	return context->level[i * context->matrix->n + j];
}

/*
 * The typical cell of each block in fit[]: a group's cells of a level, or those
 * between two of the outermost groups. A block with few cells has the median of
 * its level.
 */
static void fit_block(struct resample_context *context,
	const struct group_members *g, const struct group_members *h, size_t k,
	float *scratch)
{
	const struct cost_matrix *matrix = context->matrix;
	float middle;
	size_t count = 0;

	for (size_t a = 0; a < g->n; a++)
		for (size_t b = 0; b < (g == h ? a : h->n); b++)
			if (cell_level_index(context, g->unit[a], h->unit[b]) ==
				k)
				append_known(scratch, &count,
					cost_matrix_at(matrix, g->unit[a],
						h->unit[b]));
	middle = count < LEAST_CELLS ? context->middle[k]
				     : median_of_floats(scratch, count);
	for (size_t a = 0; a < g->n; a++)
		for (size_t b = 0; b < (g == h ? a : h->n); b++) {
			size_t i = g->unit[a], j = h->unit[b];

			if (cell_level_index(context, i, j) == k)
				context->fit[i * matrix->n + j] =
					context->fit[j * matrix->n + i] =
						middle;
		}
}

static void find_block_fits(struct resample_context *context, float *scratch)
{
	const struct cost_matrix *matrix = context->matrix;
	const struct cost_levels *levels = context->levels;

	for (size_t k = 0; k <= levels->n; k++) {
		const struct partition *partition =
			k < levels->n ? &levels->levels[k].partition
				      : &context->whole;
		bool own = k < levels->n || levels->n == 0;
		const struct group_members *groups =
			partition_members(partition, context->arena);
		size_t count = 0;

		for (size_t i = 0; i < matrix->n; i++)
			for (size_t j = 0; j < i; j++)
				if (cell_level_index(context, i, j) == k)
					append_known(scratch, &count,
						cost_matrix_at(matrix, i, j));
		context->middle[k] = median_of_floats(scratch, count);
		for (size_t g = 0; g < partition->n_groups; g++)
			for (size_t h = own ? g : 0; h < g + own; h++)
				fit_block(context, &groups[g], &groups[h], k,
					scratch);
	}
}

static float cell_deviation(
	const struct resample_context *context, size_t i, size_t j)
{
	return cost_matrix_at(context->matrix, i, j) -
	       context->fit[i * context->matrix->n + j];
}

/* Append what the cells of row i have beyond their blocks and their columns. */
static void append_row_deviations(const struct resample_context *context,
	size_t i, size_t k, float *values, size_t *count)
{
	for (size_t j = 0; j < context->matrix->n; j++)
		if (j != i && cell_level_index(context, i, j) == k)
			append_known(values, count,
				cell_deviation(context, i, j) -
					context->row[j]);
}

/*
 * The offsets of the rows in the cells of level k: what is left of each row is
 * zero in the median. A row of few cells has none.
 */
static void find_level_rows(
	struct resample_context *context, size_t k, float *scratch)
{
	size_t n = context->matrix->n;
	float *row = context->row;

	memset(row, 0, sizeof(*row) * n);
	for (int pass = 0; pass < ROW_FIT_PASSES; pass++)
		for (size_t i = 0; i < n; i++) {
			size_t count = 0;

			append_row_deviations(context, i, k, scratch, &count);
			if (count >= LEAST_CELLS)
				row[i] = (row[i] + median_of_floats(
							   scratch, count)) /
					 2;
		}
}

/*
 * Bring the differences of bad cells to the edge of the others, and take out
 * what the step of the clock makes, which is drawn separately.
 */
static void trim_deviations(float *values, size_t n, float step, float *scratch)
{
	float deviation, limit, rest;

	for (size_t k = 0; k < n; k++)
		scratch[k] = fabsf(values[k]);
	deviation = 1.4826F * median_of_floats(scratch, n);
	limit = BAD_DEVIATIONS * deviation;
	rest = deviation * deviation - step * step / 12;
	rest = rest > 0 ? sqrtf(rest) / deviation : 0;
	for (size_t k = 0; k < n; k++)
		values[k] = rest * fminf(fmaxf(values[k], -limit), limit);
}

static void find_level_differences(
	struct resample_context *context, float *scratch)
{
	const struct cost_matrix *matrix = context->matrix;
	const float *row = context->row;
	size_t n = matrix->n;

	for (size_t k = 0; k <= context->levels->n; k++) {
		size_t *count = &context->n_differences[k];
		float *values =
			arena_alloc(context->arena, n * n / 2, sizeof(float));

		find_level_rows(context, k, scratch);
		for (size_t i = 0; i < n; i++)
			for (size_t j = 0; j < i; j++)
				if (cell_level_index(context, i, j) == k)
					append_known(values, count,
						cell_deviation(context, i, j) -
							row[i] - row[j]);
		trim_deviations(values, *count, matrix->step, scratch);
		context->difference[k] = values;
	}
}

/*
 * Leave out some of the innermost groups, whole, so that what is left has the
 * same structure. Returns how many CPUs take part.
 */
static size_t choose_repeat_cpus(
	struct resample_context *context, uint32_t *cpus)
{
	const struct partition *inner = &context->units;
	struct stat_random *random = &context->random;
	const struct arena_block *mark = context->arena->last;
	size_t n = inner->n_units, kept = 0;
	bool *out = arena_alloc(context->arena, inner->n_groups, sizeof(*out));

	for (size_t g = 0; g < inner->n_groups; g++)
		out[g] = stat_random_below(random, LEFT_OUT) == 0;
	for (size_t i = 0; i < n; i++)
		if (n < LEAST_CPUS || !out[inner->group[i]])
			cpus[kept++] = (uint32_t)i;
	arena_rewind(context->arena, mark);
	return kept;
}

/* The cost of a cell, or one within its interval. */
static float redraw_cost(const struct resample_input *input, size_t i, size_t j,
	struct stat_random *random)
{
	size_t n = input->matrix->n, u = i < j ? i : j, v = i < j ? j : i;
	float low = input->bounds ? input->bounds[v * n + u] : NAN;
	float high = input->bounds ? input->bounds[u * n + v] : NAN;
	float cost = cost_matrix_at(input->matrix, i, j);

	return low <= high && !isnan(cost) ? random_uniform(random, low, high)
					   : cost;
}

static void draw_repeat_cells(struct resample_context *context,
	const uint32_t *cpus, struct cost_matrix *drawn)
{
	const struct cost_matrix *matrix = context->matrix;
	struct stat_random *random = &context->random;
	size_t n = drawn->n;

	drawn->step = matrix->step;
	for (size_t a = 0; a < n; a++)
		for (size_t b = 0; b < a; b++) {
			size_t i = cpus[a], j = cpus[b];
			size_t k = cell_level_index(context, i, j);
			size_t count = context->n_differences[k];
			float cost = redraw_cost(context->input, i, j, random);

			cost += random_uniform(
				random, -matrix->step / 4, matrix->step / 4);
			if (count > 0)
				cost += context->difference[k]
							   [stat_random_below(
								   random,
								   count)];
			drawn->cost[a * n + b] = drawn->cost[b * n + a] =
				isnan(cost) ? NAN : fmaxf(cost, 0);
		}
}

/* The share of the units in groups of a that are in the same group in b. */
static double partition_similarity(const struct partition *a,
	const struct partition *b, struct arena *arena)
{
	const struct arena_block *mark = arena->last;
	const uint32_t *size_a = partition_sizes(a, arena);
	const uint32_t *size_b = partition_sizes(b, arena);
	uint32_t *first = arena_alloc(arena, a->n_groups, sizeof(*first));
	uint32_t *matched = arena_alloc(arena, a->n_groups, sizeof(*matched));
	size_t same = 0, grouped = 0;

	for (size_t i = 0; i < a->n_units; i++) {
		uint32_t g = a->group[i];

		if (matched[g] == 0)
			first[g] = b->group[i];
		matched[g] += first[g] == b->group[i];
	}
	for (size_t g = 0; g < a->n_groups; g++) {
		if (size_a[g] < 2)
			continue;
		grouped += size_a[g];
		if (matched[g] == size_a[g] && size_b[first[g]] == size_a[g])
			same += size_a[g];
	}
	arena_rewind(arena, mark);
	return (double)same / (double)grouped;
}

/* How like the likest of the levels is. */
static double best_similarity(const struct cost_levels *levels,
	const struct partition *own, struct arena *arena)
{
	double best = 0;

	for (size_t k = 0; k < levels->n; k++)
		best = fmax(best, partition_similarity(own,
					  &levels->levels[k].partition, arena));
	return best;
}

/* The sum over repeats, and how many there were. */
struct repeat_tally {
	double repeats, similarity;
};

/* Add a repeat of a level, unless nothing of it is left to be found. */
static void add_repeat(struct repeat_tally *tally,
	const struct partition *whole, const uint32_t *cpus, size_t n,
	const struct cost_levels *found, struct arena *arena)
{
	const struct partition own = partition_restrict(whole, cpus, n, arena);

	if (own.n_groups == n || own.n_groups == 1)
		return;
	tally->repeats++;
	tally->similarity += best_similarity(found, &own, arena);
}

/* The last tally is of the classes. */
static void repeat_level_search(
	struct resample_context *context, struct repeat_tally *tallies)
{
	const struct resample_input *input = context->input;
	struct arena *arena = context->arena;
	const struct arena_block *mark = arena->last;
	const struct cost_levels *levels = input->levels;
	uint32_t *cpus = arena_alloc(arena, input->matrix->n, sizeof(*cpus));
	size_t n = choose_repeat_cpus(context, cpus);
	struct cost_matrix drawn;
	struct cost_levels found;

	cost_matrix_init(&drawn, n, arena);
	draw_repeat_cells(context, cpus, &drawn);
	levels_find(&drawn, input->constants, &found, arena);
	for (size_t k = 0; k < levels->n; k++)
		add_repeat(&tallies[k], &levels->levels[k].partition, cpus, n,
			&found, arena);
	if (input->classes) {
		struct cost_levels classes = {.n = 0};

		classes.n = classes_find(&drawn, &found, input->is_virtual,
			&classes.levels[0], arena);
		add_repeat(&tallies[LEVELS_MAX], &input->classes->partition,
			cpus, n, &classes, arena);
	}
	arena_rewind(arena, mark);
}

static double repeated_level_share(const struct repeat_tally *tally)
{
	return (1 + tally->similarity) / (1 + tally->repeats);
}

static void resample_prepare(struct resample_context *context)
{
	const struct cost_matrix *matrix = context->matrix;
	const struct cost_levels *levels = context->levels;
	struct arena *arena = context->arena;
	size_t n = matrix->n;
	float *scratch = arena_alloc(arena, n * n, sizeof(*scratch));

	stat_random_init(&context->random, RESAMPLE_SEED);
	context->row = arena_alloc(arena, n, sizeof(float));
	context->fit = arena_alloc(arena, n * n, sizeof(float));
	partition_init(&context->units, n, arena);
	partition_init(&context->whole, n, arena);
	for (size_t i = 0; i < n; i++)
		context->units.group[i] = (uint32_t)i;
	context->units.n_groups = n;
	if (levels->n > 0) {
		context->units = levels->levels[0].partition;
		context->whole = levels->levels[levels->n - 1].partition;
	}
	context->level = arena_alloc(arena, n * n, 1);
	find_cell_levels(context);
	find_block_fits(context, scratch);
	find_level_differences(context, scratch);
}

static void resample_all_cpus(
	const struct resample_input *input, struct arena *arena)
{
	struct cost_levels *levels = input->levels;
	size_t n = input->matrix->n, repeats = REPEATED_CELLS / (n * n + 1);
	struct repeat_tally tallies[LEVELS_MAX + 1] = {{0}};
	struct resample_context context = {.input = input,
		.matrix = input->matrix,
		.levels = levels,
		.arena = arena};

	repeats = repeats < REPEATS_MIN	  ? REPEATS_MIN
		  : repeats > REPEATS_MAX ? REPEATS_MAX
					  : repeats;
	resample_prepare(&context);
	for (size_t r = 0; r < repeats; r++)
		repeat_level_search(&context, tallies);
	for (size_t k = 0; k < levels->n; k++)
		levels->levels[k].repeated_share =
			repeated_level_share(&tallies[k]);
	if (input->classes)
		input->classes->repeated_share =
			repeated_level_share(&tallies[LEVELS_MAX]);
}

/* Keep in[] at most so many groups of partition in each of parents' groups. */
static void keep_some_groups(bool *in, const struct partition *partition,
	const uint32_t *parent, size_t most, struct stat_random *random,
	struct arena *arena)
{
	const struct arena_block *mark = arena->last;
	size_t n = partition->n_units;
	uint32_t *order = arena_alloc(arena, n, sizeof(*order));
	size_t *kept = arena_alloc(arena, n, sizeof(*kept));
	signed char *stays = arena_alloc(arena, n, 1);

	stat_shuffle(random, order, n);
	for (size_t a = 0; a < n; a++) {
		size_t i = order[a], g = partition->group[i];
		size_t p = parent ? parent[i] : 0;

		if (stays[g] == 0)
			stays[g] = in[i] && kept[p]++ < most ? 1 : -1;
		in[i] = in[i] && stays[g] > 0;
	}
	arena_rewind(arena, mark);
}

/* The CPUs of a part that has a few groups of each level. */
static size_t choose_machine_part(const struct cost_levels *levels, size_t n,
	uint32_t *cpus, struct arena *arena)
{
	bool *in = arena_alloc(arena, n, sizeof(*in));
	struct partition single;
	struct stat_random random;
	size_t kept = n;

	partition_init(&single, n, arena);
	for (size_t i = 0; i < n; i++)
		single.group[i] = (uint32_t)i;
	stat_random_init(&random, RESAMPLE_SEED);
	for (size_t most = CPUS_MAX; kept > CPUS_MAX && most > 1;
		most = most * 3 / 4) {
		const uint32_t *parent = NULL;

		memset(in, 1, n);
		for (size_t k = levels->n; k-- > 0;) {
			keep_some_groups(in, &levels->levels[k].partition,
				parent, most, &random, arena);
			parent = levels->levels[k].partition.group;
		}
		keep_some_groups(in, &single, parent, most, &random, arena);
		kept = 0;
		for (size_t i = 0; i < n; i++)
			if (in[i])
				cpus[kept++] = (uint32_t)i;
	}
	return kept;
}

static void restrict_level(const struct cost_level *whole, const uint32_t *cpus,
	size_t n, struct cost_level *part, struct arena *arena)
{
	*part = *whole;
	part->partition = partition_restrict(&whole->partition, cpus, n, arena);
}

/* Repeat a part of a large machine. */
static void resample_part(
	const struct resample_input *input, struct arena *arena)
{
	const struct cost_matrix *matrix = input->matrix;
	struct cost_levels *levels = input->levels, part = {.n = levels->n};
	uint32_t *cpus = arena_alloc(arena, matrix->n, sizeof(*cpus));
	size_t n = choose_machine_part(levels, matrix->n, cpus, arena);
	struct cost_matrix small;
	struct cost_level classes;
	float *bounds = input->bounds
				? arena_alloc(arena, n * n, sizeof(*bounds))
				: NULL;

	cost_matrix_init(&small, n, arena);
	small.step = matrix->step;
	for (size_t k = 0; k < n * n; k++) {
		size_t at = cpus[k / n] * matrix->n + cpus[k % n];

		small.cost[k] = matrix->cost[at];
		if (bounds)
			bounds[k] = input->bounds[at];
	}
	for (size_t k = 0; k < levels->n; k++)
		restrict_level(
			&levels->levels[k], cpus, n, &part.levels[k], arena);
	if (input->classes)
		restrict_level(input->classes, cpus, n, &classes, arena);
	resample_all_cpus(&(struct resample_input){&small, bounds,
				  input->is_virtual, input->constants, &part,
				  input->classes ? &classes : NULL},
		arena);
	for (size_t k = 0; k < levels->n; k++)
		levels->levels[k].repeated_share =
			part.levels[k].repeated_share;
	if (input->classes)
		input->classes->repeated_share = classes.repeated_share;
}

void resample_levels(const struct resample_input *input, struct arena *arena)
{
	const struct arena_block *mark = arena->last;

	if (input->levels->n == 0 && !input->classes)
		return;
	if (input->matrix->n > CPUS_MAX)
		resample_part(input, arena);
	else
		resample_all_cpus(input, arena);
	arena_rewind(arena, mark);
}
