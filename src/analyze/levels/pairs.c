/*
 * Siblings come in pairs. A tree of means may miss some: a few pairs among many
 * single CPUs, and those that a coarse clock gives two values.
 */
#include "analyze/levels/groups.h"
#include "analyze/levels/steps.h"

#include <string.h>

/*
 * Lone pairs are those of the lowest cells, all within a factor, which the next
 * cell lies above by this share, and by so many steps of the clock. At most so
 * many of the CPUs are in pairs.
 */
#define LONE_SPAN  1.3F
#define LONE_SHARE 0.7F
#define LONE_CPUS  6
#define LONE_STEPS 1.5F
#define LONE_MOST  0.35F

/* The quantile of a row's cells that stands for the farthest level. */
#define FARTHEST_ROW_QUANTILE 0.9

/* Pairs that chance matches so seldom, of this share of the CPUs and more. */
#define MATCHED_ODDS  0.001
#define MATCHED_LEAST 0.4
#define MATCHED_SPAN  1.6F

/*
 * Two CPUs may be a pair if their cell is so far below their rows, as a share
 * of what is typical of pairs, or within so many steps of a clock of that.
 */
#define MOST_EXCESS 0.5F
#define STEPS_OFF   1.75F

/* A cell is spoilt if it is so far above. */
#define SPOILT_EXCESS 0.75F

/* A few of the pairs that could be are spoilt by accident. */
#define DOUBTS_SHARE 0.02

/*
 * If a family has so many pairs and but two other units, these are a pair that
 * noise or a coarse clock tore, if their cell is below their rows by half as
 * much as typical of pairs, or by so many steps. They may be one if it is below
 * by a quarter, or within so many steps of the typical pair.
 */
#define LAST_PAIRS  2
#define JOIN_STEPS  0.5F
#define LAST_EXCESS 0.25F
#define LAST_STEPS  2.0F

/*
 * Whoever measures row by row may be disturbed for a stretch of a row. A cell
 * beside one that costs so many times what others of its column cost is in that
 * stretch.
 */
#define STRETCH_FACTOR 1.75F

/* Only where so few units are in no pair: others have no sibling. */
#define FEW_SINGLE 8

/* So few larger groups, to a pair, are pairs that were not told apart. */
#define MIXED_SHARE 0.25

bool pairs_only(const struct partition *partition, struct arena *arena)
{
	const uint32_t *sizes = partition_sizes(partition, arena);

	for (size_t g = 0; g < partition->n_groups; g++)
		if (sizes[g] > 2)
			return false;
	return true;
}

bool pairs_mixed(const struct partition *partition, struct arena *arena)
{
	const uint32_t *sizes = partition_sizes(partition, arena);
	size_t pairs = 0, larger = 0;

	for (size_t g = 0; g < partition->n_groups; g++) {
		pairs += sizes[g] == 2;
		larger += sizes[g] > 2;
	}
	return larger > 0 && (double)larger < MIXED_SHARE * (double)pairs;
}

/*
 * Add a level inside all others, or take the one that is the same or has fewer
 * pairs. If the tree found more pairs, it mended them: NULL; unless the new
 * ones are far nearer than these (nearer), and so a level of their own.
 */
static struct cost_level *add_innermost(struct cost_levels *levels,
	const struct partition *pairs, bool nearer, struct arena *arena)
{
	struct cost_level *level = &levels->levels[0];
	size_t n = pairs->n_units;
	bool replace = levels->n > 0 && pairs_only(&level->partition, arena);

	if (replace && level->partition.n_groups == pairs->n_groups)
		return groups_same(level->partition.group, pairs->group, n)
			       ? level
			       : NULL;
	if (replace && level->partition.n_groups < pairs->n_groups) {
		if (!nearer)
			return NULL;
		replace = false;
	}
	if (levels->n >= LEVELS_MAX)
		return NULL;
	if (!replace)
		memmove(level + 1, level, sizeof(*level) * levels->n++);
	*level = (struct cost_level){.partition = *pairs,
		.fits = arena_alloc(arena, n, sizeof(*level->fits))};
	for (size_t k = 1; k < levels->n; k++)
		partition_contain(pairs, &levels->levels[k].partition, arena);
	return level;
}

/*
 * Whether pairs lie far below all other cells without the offsets of rows, too.
 * A CPU that is near to everyone is nearer to its sibling as well, and the
 * other CPUs may have siblings, which are not as near.
 */
static bool lie_below_rows(const struct cost_matrix *matrix,
	const struct partition *pairs, struct arena *arena)
{
	const struct arena_block *mark = arena->last;
	size_t n = matrix->n;
	float *row = arena_alloc(arena, n, sizeof(*row));
	float *scratch = arena_alloc(arena, n, sizeof(*scratch));
	float most = 0, next = INFINITY, typical;

	for (size_t i = 0; i < n; i++) {
		size_t count = 0;

		for (size_t j = 0; j < n; j++)
			append_known(
				scratch, &count, cost_matrix_at(matrix, i, j));
		row[i] = count ? quantile_of_floats(
					 scratch, count, FARTHEST_ROW_QUANTILE)
			       : 0;
	}
	memcpy(scratch, row, sizeof(*row) * n);
	typical = median_of_floats(scratch, n);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < i; j++) {
			float cost = cost_matrix_at(matrix, i, j) - row[i] -
				     row[j] + 2 * typical;

			if (pairs->group[i] == pairs->group[j])
				most = fmaxf(most, cost);
			else
				next = fminf(next, cost);
		}
	arena_rewind(arena, mark);
	return most <= LONE_SHARE * next;
}

/*
 * Few CPUs may have their sibling, as in a container or on a virtual machine. A
 * tree finds no level that hardly any CPU belongs to, and chance puts a few low
 * cells anywhere. So if the lowest cells of all lie far below the others, and
 * no CPU has two of them, they are pairs. Threads on wrong CPUs make low cells
 * too, but about one for two CPUs, and most CPUs get two or none.
 */
static void add_lone_pairs(struct cost_levels *levels,
	const struct cost_matrix *matrix, struct arena *arena)
{
	size_t n = matrix->n, n_pairs = 0;
	float least = INFINITY, most = 0, next = INFINITY;
	struct partition pairs;
	struct cost_level *level;
	bool *taken;

	if (n < LONE_CPUS)
		return;
	partition_init(&pairs, n, arena);
	taken = arena_alloc(arena, n, sizeof(*taken));
	for (size_t k = 0; k < n * n; k++)
		least = fminf(least, matrix->cost[k]);
	for (size_t i = 0; i < n; i++)
		pairs.group[i] = (uint32_t)i;
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < i; j++) {
			float cost = cost_matrix_at(matrix, i, j);

			if (cost > least * LONE_SPAN + matrix->step / 2) {
				next = fminf(next, cost);
			} else if (!isnan(cost)) {
				if (taken[i] || taken[j])
					return;
				taken[i] = taken[j] = true;
				pairs.group[i] = (uint32_t)j;
				most = fmaxf(most, cost);
				n_pairs++;
			}
		}
	if (n_pairs == 0 || most + matrix->step / 2 > LONE_SHARE * next ||
		most + LONE_STEPS * matrix->step > next ||
		(float)n_pairs > LONE_MOST * (float)n)
		return;
	partition_number(&pairs, arena);
	level = add_innermost(
		levels, &pairs, lie_below_rows(matrix, &pairs, arena), arena);
	if (level)
		level->lone_pairs = true;
}

/* The odds that the k lowest cells of n CPUs join no CPU twice by chance. */
static double distinct_pairs_odds(size_t n, size_t k)
{
	double cells = (double)n * (double)(n - 1) / 2, odds = 1;

	for (size_t m = 0; m < k; m++) {
		double left = (double)(n - 2 * m);

		odds *= left * (left - 1) / 2 / (cells - (double)m);
	}
	return odds;
}

/*
 * Under a coarse clock the cells of siblings may be of two values, and a tree
 * takes the lower ones only. But if each CPU's lowest cell is its partner's as
 * well, and all these are lower than any other cell, they are pairs however
 * close the next value is.
 */
static void add_matched_pairs(struct cost_levels *levels,
	const struct cost_matrix *matrix, struct arena *arena)
{
	size_t n = matrix->n, n_pairs = 0;
	uint32_t *partner = arena_alloc(arena, n, sizeof(*partner));
	float *least = arena_alloc(arena, n, sizeof(*least));
	float border = INFINITY, lowest = INFINITY, highest = 0;
	struct partition pairs;
	struct cost_level *level;

	for (size_t i = 0; i < n; i++) {
		float second = INFINITY;

		least[i] = INFINITY;
		for (size_t j = 0; j < n; j++) {
			float cost = cost_matrix_at(matrix, i, j);

			if (cost < least[i]) {
				second = least[i];
				least[i] = cost;
				partner[i] = (uint32_t)j;
			} else if (cost < second) {
				second = cost;
			}
		}
		border = fminf(border, second);
	}
	partition_init(&pairs, n, arena);
	for (size_t i = 0; i < n; i++) {
		pairs.group[i] = (uint32_t)i;
		if (least[i] < border && partner[i] < i) {
			pairs.group[i] = partner[i];
			lowest = fminf(lowest, least[i]);
			highest = fmaxf(highest, least[i]);
			n_pairs++;
		}
	}
	/* Siblings are about as near everywhere, give or take a step. */
	if (highest > MATCHED_SPAN * (lowest + matrix->step) ||
		(double)n_pairs < MATCHED_LEAST * (double)n ||
		distinct_pairs_odds(n, n_pairs) > MATCHED_ODDS)
		return;
	partition_number(&pairs, arena);
	level = add_innermost(levels, &pairs, false, arena);
	if (level)
		level->lone_pairs = 2 * n_pairs + 1 >= n;
}

/* How many pairs of a family are nearer than any other two of its units. */
static size_t count_nearest(const struct cost_matrix *matrix,
	const struct partition *partition, const struct group_members *family)
{
	float border = INFINITY;
	size_t count = 0;

	for (int pass = 0; pass < 2; pass++)
		for (size_t a = 0; a < family->n; a++)
			for (size_t b = 0; b < a; b++) {
				size_t u = family->unit[a];
				size_t v = family->unit[b];
				float cost = cost_matrix_at(matrix, u, v);
				bool pair = partition->group[u] ==
					    partition->group[v];

				if (pass == 0 && !pair)
					border = fminf(border, cost);
				count += pass > 0 && pair && cost < border;
			}
	return count;
}

double pairs_odds(const struct cost_matrix *matrix,
	const struct partition *partition, const struct partition *families,
	struct arena *arena)
{
	const struct arena_block *mark = arena->last;
	const struct group_members *members =
		partition_members(families, arena);
	double product = 1, sum = 0, term = 1;

	for (size_t f = 0; f < families->n_groups; f++)
		product *= distinct_pairs_odds(members[f].n,
			count_nearest(matrix, partition, &members[f]));
	/* Fisher's combination of the families' tests. */
	for (size_t f = 0; f < families->n_groups; f++) {
		sum += term;
		term *= -log(product) / (double)(f + 1);
	}
	arena_rewind(arena, mark);
	return product > 0 ? fmin(1, product * sum) : 0;
}

/* A family of units, and what its pairs cost. */
struct pair_family {
	const struct cost_matrix *square;
	const uint32_t *group;
	const struct group_members *units;
	bool *paired;	/* [n_units of the square] */
	float *row;	/* [n_units] half of a cell of each */
	float *scratch; /* [n_units] */
	float typical;	/* what a pair has more than its rows: 0 or less */
	float pair;	/* what a pair costs */
	float border;	/* the least cell between different pairs */
	float lowest;	/* the least that one has more than its rows */
	size_t n_pairs; /* of all families */
};

/* What a cell has more than its rows tell. */
static float pair_cell_excess(
	const struct pair_family *family, size_t u, size_t v)
{
	return cost_matrix_at(family->square, u, v) - family->row[u] -
	       family->row[v];
}

static void find_family_rows(struct pair_family *family)
{
	const struct group_members *units = family->units;
	float *row = family->row, middle;
	size_t known = 0;

	for (size_t a = 0; a < units->n; a++) {
		size_t u = units->unit[a], count = 0;

		for (size_t b = 0; b < units->n; b++)
			if (family->group[units->unit[b]] != family->group[u])
				append_known(family->scratch, &count,
					cost_matrix_at(family->square, u,
						units->unit[b]));
		/* A median of coarse values is one of few. */
		row[u] =
			count ? trimean_of_floats(family->scratch, count) : NAN;
	}
	for (size_t a = 0; a < units->n; a++)
		append_known(family->scratch, &known, row[units->unit[a]]);
	middle = median_of_floats(family->scratch, known) / 2;
	for (size_t a = 0; a < units->n; a++)
		row[units->unit[a]] -= middle;
}

/* The typical excess of pairs, and the border to others. */
static void find_pair_costs(struct pair_family *family)
{
	const struct group_members *units = family->units;
	float *costs = family->scratch + family->square->n / 2;
	size_t count = 0, known = 0;

	family->border = family->lowest = INFINITY;
	for (size_t a = 0; a < units->n; a++)
		for (size_t b = 0; b < a; b++) {
			size_t u = units->unit[a], v = units->unit[b];

			if (family->group[u] == family->group[v]) {
				append_known(family->scratch, &count,
					pair_cell_excess(family, u, v));
				append_known(costs, &known,
					cost_matrix_at(family->square, u, v));
				continue;
			}
			family->border = fminf(family->border,
				cost_matrix_at(family->square, u, v));
			family->lowest = fminf(
				family->lowest, pair_cell_excess(family, u, v));
		}
	family->typical =
		fminf(count ? median_of_floats(family->scratch, count) : 0, 0);
	family->pair = known ? median_of_floats(costs, known) : 0;
}

/* Whether two units that are said to be no pair may be one. */
static bool may_be_pair(
	const struct pair_family *family, size_t u, size_t v, bool clear)
{
	float step = family->square->step, typical = family->typical;
	float excess = pair_cell_excess(family, u, v);

	if (step > 0 && cost_matrix_at(family->square, u, v) <=
				family->pair + STEPS_OFF * step)
		return true;
	if (!(excess <= fmaxf(-SPOILT_EXCESS * typical, step)))
		return !clear;
	return excess <=
	       fmaxf(MOST_EXCESS * typical, typical + STEPS_OFF * step);
}

/*
 * Whether a pair may be wrong: it costs more than all other pairs, and as much
 * as units of different pairs, and not because its rows do. Rows are no reason
 * if some such units stand out of theirs. A spoilt cell costs even more and
 * says nothing.
 */
static bool may_be_no_pair(
	const struct pair_family *family, size_t u, size_t v, float usual)
{
	float cost = cost_matrix_at(family->square, u, v);
	float step = family->square->step,
	      excess = pair_cell_excess(family, u, v);

	return cost > usual && cost >= family->border &&
	       !(excess <= MOST_EXCESS * family->typical - step &&
		       family->lowest > MOST_EXCESS * family->typical) &&
	       excess <= fmaxf(-SPOILT_EXCESS * family->typical, step);
}

/* The units of a family that are in no pair; the last two of them in single. */
static size_t find_single_units(
	const struct pair_family *family, size_t single[2])
{
	const struct group_members *units = family->units;
	size_t count = 0;

	for (size_t a = 0; a < units->n; a++) {
		size_t u = units->unit[a];

		if (family->paired[u])
			continue;
		single[0] = single[1];
		single[1] = u;
		count++;
	}
	return count;
}

/* How many times as much v costs with u as with others of the family of u. */
static float times_usual_cost(
	const struct pair_family *family, size_t u, size_t v)
{
	size_t count = 0;

	for (size_t a = 0; a < family->units->n; a++) {
		size_t other = family->units->unit[a];

		if (other != u && family->group[other] != family->group[v])
			append_known(family->scratch, &count,
				cost_matrix_at(family->square, other, v));
	}
	return cost_matrix_at(family->square, u, v) /
	       median_of_floats(family->scratch, count);
}

/*
 * Whether two units would be a pair if their cell, beside a disturbed one of
 * row u, were disturbed by as much.
 */
static bool pair_in_stretch(
	const struct pair_family *family, size_t u, size_t v)
{
	size_t n = family->square->n;
	float rows = family->row[u] + family->row[v];

	for (size_t w = v > 0 ? v - 1 : 1; w < n && w <= v + 1; w++) {
		float times =
			w == u || w == v ? 1 : times_usual_cost(family, u, w);

		if (times > STRETCH_FACTOR &&
			cost_matrix_at(family->square, u, v) <
				times * (rows + MOST_EXCESS * family->typical))
			return true;
	}
	return false;
}

/*
 * Whether enough others are pairs for two units to be the last one: those of a
 * large family, or all of the machine if one of their own family is there.
 */
static bool may_have_last(const struct pair_family *family)
{
	return family->units->n >= 2 + 2 * LAST_PAIRS ||
	       (family->units->n >= 4 && family->n_pairs >= LAST_PAIRS &&
		       2 * family->n_pairs + 2 == family->square->n);
}

/* Whether a disturbed stretch of either row may hide that two are a pair. */
static bool was_disturbed(const struct pair_family *family, size_t u, size_t v)
{
	return may_have_last(family) &&
	       (pair_in_stretch(family, u, v) || pair_in_stretch(family, v, u));
}

/* Whether two units are a pair if all others of their family are. */
static bool is_last_pair(const struct pair_family *family, size_t u, size_t v)
{
	float step = family->square->step, most = MOST_EXCESS * family->typical;

	if (step > 0)
		most = fmaxf(most, -JOIN_STEPS * step);
	return may_have_last(family) &&
	       (pair_cell_excess(family, u, v) <= most ||
		       was_disturbed(family, u, v));
}

/* Whether they may be one. */
static bool may_be_last_pair(
	const struct pair_family *family, size_t u, size_t v)
{
	float typical = family->typical;

	return may_have_last(family) &&
	       pair_cell_excess(family, u, v) <=
		       fmaxf(LAST_EXCESS * typical,
			       typical + LAST_STEPS * family->square->step);
}

/*
 * Whether a pair may be none, or more than a few of those that are in no pair
 * may be one.
 */
static bool has_doubtful_pairs(
	struct pair_family *family, float usual, bool clear)
{
	const struct group_members *units = family->units;
	size_t single[2] = {0, 0}, doubts = 0, checked = 0;
	size_t n_single = find_single_units(family, single);

	find_family_rows(family);
	find_pair_costs(family);
	for (size_t a = 0; a < units->n; a++)
		for (size_t b = 0; b < a; b++) {
			size_t u = units->unit[a], v = units->unit[b];

			if (family->group[u] == family->group[v]) {
				if (may_be_no_pair(family, u, v, usual) &&
					!(n_single == 0 &&
						is_last_pair(family, u, v)))
					return true;
			} else if (!family->paired[u] && !family->paired[v]) {
				checked++;
				doubts +=
					may_be_pair(family, u, v, clear) ||
					(n_single == 2 &&
						may_be_last_pair(family, u, v));
				if (n_single <= FEW_SINGLE &&
					was_disturbed(family, u, v))
					return true;
			}
		}
	return (double)doubts > DOUBTS_SHARE * (double)checked;
}

/*
 * Mark who is in a pair; returns what all pairs but the dearest cost at most.
 */
static float mark_paired_units(struct pair_family *family,
	const struct group_members *groups, size_t n_groups)
{
	float first = 0, second = 0;

	for (size_t g = 0; g < n_groups; g++) {
		const uint32_t *pair = groups[g].unit;
		float cost;

		if (groups[g].n < 2)
			continue;
		family->paired[pair[0]] = family->paired[pair[1]] = true;
		cost = cost_matrix_at(family->square, pair[0], pair[1]);
		if (cost > first) {
			second = first;
			first = cost;
		} else if (cost > second) {
			second = cost;
		}
		family->n_pairs++;
	}
	return second;
}

bool pairs_complete(const struct cost_matrix *matrix,
	struct partition *partition, const struct partition *families,
	struct arena *arena)
{
	const struct arena_block *mark = arena->last;
	const struct group_members *members =
		partition_members(families, arena);
	size_t n = matrix->n, single[2] = {0, 0};
	struct pair_family family = {.square = matrix,
		.group = partition->group,
		.paired = arena_alloc(arena, n, sizeof(bool)),
		.row = arena_alloc(arena, n, sizeof(float)),
		.scratch = arena_alloc(arena, n, sizeof(float))};
	bool joined = false;

	mark_paired_units(&family, partition_members(partition, arena),
		partition->n_groups);
	for (size_t f = 0; f < families->n_groups; f++) {
		family.units = &members[f];
		if (find_single_units(&family, single) != 2)
			continue;
		find_family_rows(&family);
		find_pair_costs(&family);
		if (!is_last_pair(&family, single[0], single[1]))
			continue;
		partition->group[single[0]] = partition->group[single[1]];
		joined = true;
	}
	arena_rewind(arena, mark);
	if (joined)
		partition_number(partition, arena);
	return joined;
}

bool pairs_doubtful(const struct cost_matrix *matrix,
	const struct partition *partition, const struct partition *families,
	bool clear, struct arena *arena)
{
	const struct arena_block *mark = arena->last;
	const struct group_members *members =
		partition_members(families, arena);
	size_t n = matrix->n;
	struct pair_family family = {.square = matrix,
		.group = partition->group,
		.paired = arena_alloc(arena, n, sizeof(bool)),
		.row = arena_alloc(arena, n, sizeof(float)),
		.scratch = arena_alloc(arena, n, sizeof(float))};
	float usual =
		mark_paired_units(&family, partition_members(partition, arena),
			partition->n_groups) +
		matrix->step / 2;
	bool doubtful = false;

	for (size_t f = 0; f < families->n_groups && !doubtful; f++) {
		family.units = &members[f];
		doubtful = has_doubtful_pairs(&family, usual, clear);
	}
	arena_rewind(arena, mark);
	return doubtful;
}

bool pairs_add(struct cost_levels *levels, const struct cost_matrix *matrix,
	struct arena *arena)
{
	size_t before = levels->n;
	size_t groups = before ? levels->levels[0].partition.n_groups : 0;

	add_lone_pairs(levels, matrix, arena);
	add_matched_pairs(levels, matrix, arena);
	return levels->n > before ||
	       (before && levels->levels[0].partition.n_groups != groups);
}
