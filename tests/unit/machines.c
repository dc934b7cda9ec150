/*
 * Machines made up: shapes, latencies and flaws are drawn from the seed, one
 * after the other, so that a seed is the same machine everywhere.
 */
#include "machines.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stat/stat.h"

/* Levels whose cost outside is less than this above inside need not show. */
#define CERTAIN_RATIO 1.35

/* Of the first kinds of machines; more kinds leave their seeds alone. */
#define SEED_STRIDE 7

/* The share of machines whose first CPU is cold. */
#define COLD_CHANCE 0.3

#define MAX_DIES 8
#define MAX_CPUS 256

/* From the thread outwards; place[l] is the group at level l. */
struct cpu {
	uint32_t place[MACHINE_LEVELS];
	double row;
	bool efficient;
	double x, y;
};

struct maker {
	struct stat_random random;
	struct machine *machine;
	struct cpu *cpus;
	size_t n;
	double latency[MACHINE_LEVELS + 1]; /* sharing level l first */
	size_t n_levels;
	double hardness;
	double follow; /* how much of a row's cost its siblings pay */
	double hop[MAX_DIES], between[MAX_DIES][MAX_DIES]; /* of MACHINE_HOPS */
};

static void *get(size_t size)
{
	void *memory = calloc(1, size ? size : 1);

	if (!memory)
		abort();
	return memory;
}

static double uniform(struct maker *maker, double low, double high)
{
	return low + (high - low) *
			     (double)(stat_random_next(&maker->random) >> 11) *
			     0x1p-53;
}

static size_t below(struct maker *maker, size_t bound)
{
	return (size_t)stat_random_below(&maker->random, bound);
}

static bool chance(struct maker *maker, double share)
{
	return uniform(maker, 0, 1) < share;
}

static double normal(struct maker *maker)
{
	double u = uniform(maker, 1e-12, 1);

	return sqrt(-2 * log(u)) * cos(2 * M_PI * uniform(maker, 0, 1));
}

bool machine_same_groups(const uint32_t *a, const uint32_t *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < i; j++)
			if ((a[i] == a[j]) != (b[i] == b[j]))
				return false;
	return true;
}

struct machine_share machine_share_of(unsigned part, unsigned whole)
{
	const double z = 1.96, n = (double)whole;
	double share = (double)part / n, middle, width;

	if (whole == 0)
		return (struct machine_share){NAN, 0, 1};
	middle = (share + z * z / (2 * n)) / (1 + z * z / n);
	width = z / (1 + z * z / n) *
		sqrt(share * (1 - share) / n + z * z / (4 * n * n));
	return (struct machine_share){
		share, fmax(0, middle - width), fmin(1, middle + width)};
}

static void draw_flaws(struct maker *maker, double hardness)
{
	struct machine_flaws *flaws = &maker->machine->flaws;

	flaws->noise = hardness * uniform(maker, 0.002, 0.08);
	flaws->distance =
		chance(maker, 0.6) * hardness * uniform(maker, 0, 0.06);
	flaws->rows = chance(maker, 0.6) * hardness * uniform(maker, 0, 0.10);
	flaws->gradient = chance(maker, 0.3);
	flaws->cold =
		chance(maker, COLD_CHANCE) * hardness * uniform(maker, 0.2, 1);
	flaws->step_ns = chance(maker, 0.2) * hardness * uniform(maker, 1, 6);
	flaws->streaks = chance(maker, 0.2) * (unsigned)(1 + below(maker, 3));
	flaws->favoured = chance(maker, 0.15) * 1;
	flaws->offline = chance(maker, 0.25) * (unsigned)(1 + below(maker, 3));
	if (hardness <= 0)
		flaws->streaks = flaws->favoured = 0;
}

/* Numbers of groups from the whole machine inwards; returns the CPUs. */
static size_t draw_shape(struct maker *maker, size_t n_max, size_t shape[4])
{
	static const size_t smt[] = {1, 1, 2, 2, 2, 2, 4};
	static const size_t cores[] = {1, 2, 3, 4, 4, 6, 8, 8, 12, 16};
	static const size_t clusters[] = {1, 1, 2, 2, 4, 6, 8};
	static const size_t packages[] = {1, 1, 1, 2, 2, 4};

	for (;;) {
		size_t n;

		shape[0] = packages[below(maker, 6)];
		shape[1] = clusters[below(maker, 7)];
		shape[2] = cores[below(maker, 10)];
		shape[3] = smt[below(maker, 7)];
		n = shape[0] * shape[1] * shape[2] * shape[3];
		if (n >= 4 && n <= n_max)
			return n;
	}
}

/* CPUs in a tree of the shape; place[0] is the core. */
static void place_cpus(struct maker *maker, const size_t shape[4])
{
	size_t inner = 1;

	maker->n_levels = 3;
	for (size_t l = 0; l < 3; l++) {
		inner *= shape[3 - l];
		for (size_t i = 0; i < maker->n; i++)
			maker->cpus[i].place[l] = (uint32_t)(i / inner);
	}
	maker->latency[0] = uniform(maker, 3, 25);
	if (shape[3] > 1)
		maker->latency[0] = uniform(maker, 3, 12);
	for (size_t l = 1; l <= 3; l++)
		maker->latency[l] =
			maker->latency[l - 1] *
			(chance(maker, 0.3) && l > (shape[3] > 1)
					? uniform(maker, 1.35, 1.7)
					: uniform(maker, l == 1 ? 2 : 1.7,
						  4.5));
}

/* Take CPUs away, as if offline, so that groups are of unequal size. */
static void take_offline(struct maker *maker)
{
	for (unsigned k = 0; k < maker->machine->flaws.offline; k++) {
		size_t gone = below(maker, maker->n);

		if (maker->n <= 6)
			return;
		memmove(&maker->cpus[gone], &maker->cpus[gone + 1],
			sizeof(*maker->cpus) * (maker->n - gone - 1));
		maker->n--;
	}
}

static void draw_rows(struct maker *maker, double typical)
{
	const struct machine_flaws *flaws = &maker->machine->flaws;
	double *by_core = get(sizeof(*by_core) * (maker->n * 8 + 1));

	for (size_t i = 0; i < maker->n; i++)
		by_core[i] = normal(maker);
	for (size_t i = 0; i < maker->n; i++) {
		struct cpu *cpu = &maker->cpus[i];
		double draw = by_core[cpu->place[0] % maker->n];

		if (flaws->gradient)
			draw = 3.4 * ((double)i / (double)maker->n - 0.5);
		if (draw < -2.5)
			draw = -2.5;
		cpu->row += typical * flaws->rows * draw / 2;
	}
	for (unsigned k = 0; k < flaws->favoured; k++) {
		uint32_t core = maker->cpus[below(maker, maker->n)].place[0];

		for (size_t i = 0; i < maker->n; i++)
			if (maker->cpus[i].place[0] == core)
				maker->cpus[i].row -= 0.15 * typical;
	}
	free(by_core);
}

/* The innermost level that a and b share; n_levels when none. */
static size_t shared_level(
	const struct maker *maker, const struct cpu *a, const struct cpu *b)
{
	for (size_t l = 0; l < maker->n_levels; l++)
		if (a->place[l] == b->place[l])
			return l;
	return maker->n_levels;
}

/* A number that is the same for every pair of threads of two cores. */
static double pair_distance(
	const struct cpu *a, const struct cpu *b, uint64_t seed)
{
	struct stat_random random;
	uint32_t low = a->place[0] < b->place[0] ? a->place[0] : b->place[0];
	uint32_t high = a->place[0] ^ b->place[0] ^ low;

	stat_random_init(&random, seed ^ ((uint64_t)low << 32 | high));
	return (double)(stat_random_next(&random) >> 11) * 0x1p-53 * 2 - 1;
}

/* Cores on a ring of circumference 1, the way along it in ns of y. */
static double ring_distance(const struct cpu *a, const struct cpu *b)
{
	double way = fabs(a->x - b->x);

	return a->y * fmin(way, 1 - way);
}

static double base_cost(const struct maker *maker, size_t i, size_t j)
{
	const struct cpu *a = &maker->cpus[i], *b = &maker->cpus[j];
	const struct machine *machine = maker->machine;
	size_t level = shared_level(maker, a, b);
	double cost = maker->latency[level];

	switch (machine->kind) {
	case MACHINE_HYBRID:
		if (level == 0 && i != j)
			return cost;
		if (a->efficient && b->efficient && a->place[1] == b->place[1])
			cost *= 1.15; /* inverted modules */
		break;
	case MACHINE_HOME:
		if (level == 3)
			break;
		/* The other package is as slow inside as across. */
		if (level == 2 && a->place[2] != 0)
			cost = maker->latency[3] * 0.97;
		break;
	case MACHINE_MESH:
		cost = maker->latency[2] +
		       (fabs(a->x - b->x) + fabs(a->y - b->y));
		if (level == 0)
			cost = maker->latency[0];
		break;
	case MACHINE_HOPS:
		if (level > 1)
			cost = maker->latency[2] + maker->hop[a->place[2]] +
			       maker->hop[b->place[2]] +
			       maker->between[a->place[2]][b->place[2]];
		break;
	case MACHINE_SNUG:
		if (level > 0)
			cost += ring_distance(a, b);
		break;
	default:
		break;
	}
	if (level == 0)
		return cost + maker->follow * (a->row + b->row);
	cost += a->row + b->row;
	return cost * (1 + machine->flaws.distance * pair_distance(a, b, 77));
}

/* What a clock of steps reads, that starts anywhere within dither of one. */
static double read_clock(struct maker *maker, double cost)
{
	const struct machine_flaws *flaws = &maker->machine->flaws;
	double phase = 0;

	if (flaws->step_ns <= 0)
		return cost;
	if (flaws->dither > 0)
		phase = flaws->dither * uniform(maker, -0.5, 0.5);
	return flaws->step_ns * round(cost / flaws->step_ns + phase);
}

/* Stretches of a row that were disturbed; small machines have no room. */
static void spoil_streaks(struct maker *maker)
{
	struct machine *machine = maker->machine;
	size_t n = maker->n;

	for (unsigned k = 0; n >= 16 && k < machine->flaws.streaks; k++) {
		size_t i = below(maker, n), from = below(maker, n);
		size_t length = 1 + below(maker, n / 4 + 1);

		/* A stretch of one row was disturbed. */
		for (size_t j = from; j < n && j < from + length; j++)
			if (j != i) {
				machine->values[i * n + j] *= 2.5;
				machine->values[j * n + i] =
					machine->values[i * n + j];
			}
	}
}

static void measure_cells(struct maker *maker)
{
	struct machine *machine = maker->machine;
	const struct machine_flaws *flaws = &machine->flaws;
	size_t n = maker->n;

	for (size_t i = 0; i < n; i++) {
		machine->values[i * n + i] = NAN;
		for (size_t j = 0; j < i; j++) {
			size_t a = i, b = j;
			double cost;

			if (machine->kind == MACHINE_UNPINNED) {
				a = below(maker, n);
				do
					b = below(maker, n);
				while (a == b);
			}
			cost = base_cost(maker, a, b);
			cost *= 1 + flaws->noise * normal(maker);
			if (chance(maker, 0.02)) /* interrupted */
				cost *= 1 + 4 * flaws->noise;
			if (j == 0)
				cost *= 1 + flaws->cold;
			cost = read_clock(maker, cost);
			machine->values[i * n + j] =
				machine->values[j * n + i] = fmax(cost, 0);
		}
	}
}

/* Whether a partition says anything that the one before it did not. */
static bool is_split(const struct machine *machine, const uint32_t *group)
{
	size_t inside = 0, n = machine->n, at = machine->n_levels;

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < i; j++)
			inside += group[i] == group[j];
	if (inside == 0 || inside == n * (n - 1) / 2)
		return false;
	for (size_t l = 0; l < at; l++)
		if (machine_same_groups(group, machine->levels[l].group, n))
			return false;
	return true;
}

/* Takes the groups. */
static void add_groups(
	struct machine *machine, uint32_t *group, bool certain, double ratio)
{
	size_t at = machine->n_levels;

	if (!is_split(machine, group)) {
		free(group);
		return;
	}
	machine->levels[at].group = group;
	machine->levels[at].certain = certain;
	machine->levels[at].ratio = ratio;
	machine->n_levels++;
}

static uint32_t *groups_at(const struct maker *maker, size_t level)
{
	uint32_t *group = get(sizeof(*group) * maker->n);

	for (size_t i = 0; i < maker->n; i++)
		group[i] = maker->cpus[i].place[level];
	return group;
}

static void add_truth(struct maker *maker, size_t level, bool certain)
{
	double ratio = maker->latency[level + 1] / maker->latency[level];

	add_groups(maker->machine, groups_at(maker, level),
		certain && ratio >= CERTAIN_RATIO, ratio);
}

/*
 * Whether a level can be seen is asked of the matrix as it was made, by who
 * knows the groups and the noise. It can when they are the best of all like
 * them, by more than noise (survives_swaps), and they are nearer inside by
 * more than the best of chance groups would be (stands_apart).
 */
struct middle {
	double value, variance;
	size_t n;
};

/* Standard deviation of a cell: noise, distances and the steps of the clock. */
static double cell_noise(const struct machine *machine, double cost)
{
	const struct machine_flaws *flaws = &machine->flaws;
	double relative = hypot(flaws->noise, flaws->distance / sqrt(3));

	return hypot(relative * cost, 0.35 * flaws->step_ns);
}

/* Of cells[n], which are reordered; 0 without any. */
static struct middle middle_of(
	const struct machine *machine, double *cells, size_t n)
{
	struct middle middle = {.n = n};
	double noise;

	if (n == 0)
		return middle;
	middle.value = stat_median(cells, n);
	noise = cell_noise(machine, middle.value);
	/* A median of many varies by a quarter more than a mean. */
	middle.variance = noise * noise / (double)n * (n > 2 ? 1.25 * 1.25 : 1);
	return middle;
}

/* The cells of row i to a group, without one CPU of the group. */
static struct middle row_to(const struct machine *machine, size_t i,
	const uint32_t *group, uint32_t to, size_t but)
{
	double cells[MAX_CPUS];
	size_t n = 0;

	for (size_t j = 0; j < machine->n; j++)
		if (j != i && j != but && group[j] == to)
			cells[n++] = machine->values[i * machine->n + j];
	return middle_of(machine, cells, n);
}

/*
 * No two CPUs of different groups could change places. What a row costs to
 * everyone cancels out, save for a CPU that is alone.
 */
static bool survives_swaps(const struct machine *machine, const uint32_t *group)
{
	for (size_t i = 0; i < machine->n; i++)
		for (size_t j = 0; j < i; j++) {
			struct middle m[4] = {
				row_to(machine, i, group, group[i], i),
				row_to(machine, j, group, group[j], j),
				row_to(machine, i, group, group[j], j),
				row_to(machine, j, group, group[i], i)};
			double loss = m[2].value + m[3].value - m[0].value -
				      m[1].value;
			double variance = m[0].variance + m[1].variance +
					  m[2].variance + m[3].variance;

			if (group[i] == group[j] || variance + loss == 0)
				continue;
			if (loss <= 0 || loss < sqrt(variance))
				return false;
		}
	return true;
}

/*
 * The best groups of size m that chance makes of n CPUs are nearer inside by
 * about the noise of m - 1 cells times what the largest of n draws is. Less
 * than a tenth nearer is soft structure, not a level.
 */
static bool stands_apart(const struct machine *machine, const uint32_t *group,
	const uint32_t *outer)
{
	double sum_gap = 0, sum_own = 0, sum_size = 0;
	size_t n = machine->n, counted = 0;

	for (size_t i = 0; i < n; i++) {
		struct middle own = row_to(machine, i, group, group[i], i);
		double cells[MAX_CPUS];
		size_t n_out = 0;

		for (size_t j = 0; j < n; j++)
			if (group[j] != group[i] &&
				(!outer || outer[j] == outer[i]))
				cells[n_out++] = machine->values[i * n + j];
		if (own.n == 0 || n_out == 0)
			continue;
		sum_gap += stat_median(cells, n_out) - own.value;
		sum_own += own.value;
		sum_size += (double)own.n;
		counted++;
	}
	if (counted == 0)
		return false;
	return sum_gap > 0.1 * sum_own &&
	       sum_gap > cell_noise(machine, sum_own / (double)counted) *
				 (double)counted * 1.2 *
				 sqrt(2 * log((double)n) * (double)counted /
					 sum_size);
}

/*
 * Each CPU's nearest in its own group is less than any other cell of both
 * rows, by a factor and by so many times the noise: for pairs, which have but
 * one cell.
 */
static bool pairs_stand_out(const struct machine *machine,
	const uint32_t *group, double factor, double margin)
{
	size_t n = machine->n;

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++) {
			double own = machine->values[i * n + j];

			if (i == j || group[i] != group[j])
				continue;
			for (size_t k = 0; k < n; k++)
				if (k != i && group[k] != group[i] &&
					machine->values[i * n + k] * factor -
							margin *
								cell_noise(
									machine,
									own) <=
						own)
					return false;
		}
	return true;
}

#define STEPS 32

/* By how many steps of a clock are pairs apart, and others nearby. */
struct step_odds {
	const struct machine *machine;
	const uint32_t *group, *outer;
	double paired[STEPS], other[STEPS];
};

static size_t step_of(const struct machine *machine, size_t i, size_t j)
{
	double step =
		machine->values[i * machine->n + j] / machine->flaws.step_ns;

	return step < STEPS - 1 ? (size_t)lround(step) : STEPS - 1;
}

/* Counts, half a cell more each so that none is impossible. */
static void count_steps(struct step_odds *odds)
{
	const struct machine *machine = odds->machine;
	double in = STEPS / 2.0, out = STEPS / 2.0;

	for (size_t s = 0; s < STEPS; s++)
		odds->paired[s] = odds->other[s] = 0.5;
	for (size_t i = 0; i < machine->n; i++)
		for (size_t j = 0; j < i; j++) {
			size_t step = step_of(machine, i, j);

			if (odds->group[i] == odds->group[j]) {
				odds->paired[step]++;
				in++;
			} else if (!odds->outer ||
				   odds->outer[i] == odds->outer[j]) {
				odds->other[step]++;
				out++;
			}
		}
	for (size_t s = 0; s < STEPS; s++) {
		odds->paired[s] /= in;
		odds->other[s] /= out;
	}
}

/* How much likelier two CPUs are as a pair than not; 1 without the second. */
static double odds_of(const struct step_odds *odds, size_t i, size_t j)
{
	size_t step;

	if (i == j)
		return 1;
	step = step_of(odds->machine, i, j);
	return odds->paired[step] / odds->other[step];
}

static size_t partner_of(
	const struct machine *machine, const uint32_t *group, size_t i)
{
	for (size_t j = 0; j < machine->n; j++)
		if (j != i && group[j] == group[i])
			return j;
	return i;
}

/*
 * Pairs under a clock of few steps: the odds of any other two pairs that the
 * same CPUs could make, by how often pairs and others are so many steps apart,
 * add up to little.
 */
static bool coarse_pairs_show(const struct machine *machine,
	const uint32_t *group, const uint32_t *outer)
{
	struct step_odds odds = {
		.machine = machine, .group = group, .outer = outer};
	double wrong = 0;

	count_steps(&odds);
	for (size_t i = 0; i < machine->n; i++)
		for (size_t j = 0; j < machine->n; j++) {
			size_t a = partner_of(machine, group, i);
			size_t b = partner_of(machine, group, j);

			if (i == j || a == j || (outer && outer[i] != outer[j]))
				continue;
			/* Two pairs come twice, as (i, j) and as (a, b). */
			wrong += odds_of(&odds, i, j) /
				 (odds_of(&odds, i, a) * odds_of(&odds, j, b)) *
				 (a != i && b != j ? odds_of(&odds, a, b) / 2
						   : 1);
		}
	return wrong / 2 < 0.05;
}

/* The groups around those of a level, NULL when there are none; for free(). */
static uint32_t *groups_around(
	const struct maker *maker, const uint32_t *group, size_t level)
{
	for (size_t l = level + 1; l < maker->n_levels; l++) {
		uint32_t *outer = groups_at(maker, l);

		if (!machine_same_groups(outer, group, maker->n))
			return outer;
		free(outer);
	}
	return NULL;
}

static bool level_shows(
	const struct maker *maker, const uint32_t *group, size_t level)
{
	uint32_t *outer = groups_around(maker, group, level);
	bool shows = stands_apart(maker->machine, group, outer) &&
		     survives_swaps(maker->machine, group);

	free(outer);
	return shows;
}

/* What is outside to what is inside, as measured. */
static double measured_ratio(
	const struct machine *machine, const uint32_t *group)
{
	size_t n = machine->n, n_in = 0, n_out = 0;
	double *in = get(sizeof(*in) * n * n), *out = get(sizeof(*out) * n * n);
	double ratio;

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < i; j++)
			if (group[i] == group[j])
				in[n_in++] = machine->values[i * n + j];
			else
				out[n_out++] = machine->values[i * n + j];
	ratio = stat_median(out, n_out) / stat_median(in, n_in);
	free(in);
	free(out);
	return ratio;
}

/* A level that must be found if it shows. */
static void add_visible(struct maker *maker, size_t level)
{
	uint32_t *group = groups_at(maker, level);

	add_groups(maker->machine, group, level_shows(maker, group, level),
		measured_ratio(maker->machine, group));
}

/* A level that is true, but nobody can know. */
static void add_hidden(struct maker *maker, size_t level)
{
	uint32_t *group = groups_at(maker, level);

	add_groups(maker->machine, group, false,
		measured_ratio(maker->machine, group));
}

/* Pairs that must be found if each stands out of its rows. */
static void add_pairs(struct maker *maker, double factor, double margin)
{
	uint32_t *group = groups_at(maker, 0);

	add_groups(maker->machine, group,
		pairs_stand_out(maker->machine, group, factor, margin),
		measured_ratio(maker->machine, group));
}

/* What a row costs to everyone: the best a + b for all cells. */
static double *row_levels(const struct machine *machine)
{
	size_t n = machine->n;
	double *rows = get(sizeof(*rows) * n), total = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			if (i != j) {
				rows[i] += machine->values[i * n + j];
				total += machine->values[i * n + j];
			}
	for (size_t i = 0; i < n; i++)
		rows[i] = (rows[i] - total / 2 / (double)(n - 1)) /
			  (double)(n - 2);
	return rows;
}

/*
 * Classes, numbered by row level: each has two CPUs or more, and each gap
 * between two exceeds noise and what the rows of any spread over, for few CPUs
 * by more. Rows at random have so wide a gap in 3 % of machines.
 */
static bool classes_show(const struct machine *machine, const uint32_t *group)
{
	double *rows = row_levels(machine);
	double low[MAX_CPUS] = {0}, high[MAX_CPUS] = {0};
	double spread = 0, gap = INFINITY;
	double noise = cell_noise(machine, 2 * rows[0]);
	size_t size[MAX_CPUS] = {0}, classes = 0;
	bool shows = true;

	for (size_t i = 0; i < machine->n; i++) {
		size_t c = group[i];

		low[c] = size[c] ? fmin(low[c], rows[i]) : rows[i];
		high[c] = size[c] ? fmax(high[c], rows[i]) : rows[i];
		size[c]++;
		classes = c + 1 > classes ? c + 1 : classes;
	}
	for (size_t c = 0; c < classes; c++) {
		spread = fmax(spread, high[c] - low[c]);
		shows = shows && size[c] >= 2;
		if (c > 0)
			gap = fmin(gap, low[c] - high[c - 1]);
	}
	shows = shows && gap > 0.02 * fabs(low[0]) &&
		gap > 1.5 * spread + 3 * noise / sqrt((double)machine->n - 2);
	free(rows);
	return shows;
}

static void make_nested(struct maker *maker, size_t n_max)
{
	size_t shape[4];

	maker->n = draw_shape(maker, n_max, shape);
	maker->cpus = get(sizeof(*maker->cpus) * maker->n);
	place_cpus(maker, shape);
	if (maker->machine->kind == MACHINE_HOME)
		return;
	take_offline(maker);
	/* Offsets must not hide what they are added to. */
	draw_rows(maker, maker->latency[shape[2] > 1 ? 1 : 2]);
}

static void make_home(struct maker *maker, size_t n_max)
{
	static const size_t clusters[] = {1, 4, 6, 8};
	size_t shape[4] = {chance(maker, 0.3) ? 4 : 2,
		clusters[below(maker, 4)], 4 + below(maker, 5),
		1 + below(maker, 2)};

	(void)n_max;
	if (shape[1] > 1)
		shape[2] /= 2;
	maker->n = shape[0] * shape[1] * shape[2] * shape[3];
	maker->cpus = get(sizeof(*maker->cpus) * maker->n);
	place_cpus(maker, shape);
	draw_rows(maker, maker->latency[1]);
}

static void make_hybrid(struct maker *maker, size_t n_max)
{
	size_t big = 2 + below(maker, 7), modules = 1 + below(maker, 4);
	size_t n = big * 2 + modules * 4;
	double more = uniform(maker, 0.05, 0.2);

	(void)n_max;
	maker->n = n;
	maker->cpus = get(sizeof(*maker->cpus) * n);
	maker->n_levels = 1;
	maker->latency[0] = uniform(maker, 3, 6);
	maker->latency[1] = uniform(maker, 25, 45);
	for (size_t i = 0; i < n; i++) {
		struct cpu *cpu = &maker->cpus[i];

		cpu->efficient = i >= big * 2;
		cpu->place[0] = (uint32_t)(cpu->efficient ? i : i / 2);
		cpu->place[1] =
			(uint32_t)(cpu->efficient ? 1 + (i - big * 2) / 4 : 0);
		cpu->place[2] = cpu->efficient;
	}
	maker->machine->flaws.offline = 0;
	maker->machine->flaws.gradient = false;
	maker->machine->flaws.rows *= 0.2;
	draw_rows(maker, maker->latency[1]);
	for (size_t i = 0; i < n; i++)
		if (maker->cpus[i].efficient)
			maker->cpus[i].row += maker->latency[1] * more;
}

static void make_alike(struct maker *maker, size_t n_max)
{
	size_t most = n_max < 96 ? n_max : 96;

	maker->n = 3 + below(maker, most - 3);
	if (chance(maker, 0.3))
		maker->n = 4 + below(maker, 9);
	maker->cpus = get(sizeof(*maker->cpus) * maker->n);
	maker->n_levels = 1;
	maker->latency[0] = maker->latency[1] = maker->latency[2] =
		uniform(maker, 15, 80);
	for (size_t i = 0; i < maker->n; i++)
		maker->cpus[i].place[0] = (uint32_t)i;
	if (maker->machine->kind == MACHINE_NOISE)
		maker->machine->flaws.rows = 0;
	else
		maker->machine->flaws.rows =
			maker->machine->flaws.rows * 2 + 0.05;
	if (maker->machine->kind == MACHINE_NOISE)
		maker->machine->flaws.favoured = 0;
	draw_rows(maker, maker->latency[1]);
}

static void make_mesh(struct maker *maker, size_t n_max)
{
	size_t width = 1 + below(maker, 8), height = 2 + below(maker, 7);
	size_t smt = 1 + below(maker, 2);
	double step;

	(void)n_max;
	maker->n = width * height * smt;
	if (maker->n < 4)
		maker->n = 4 * smt, width = 1;
	maker->cpus = get(sizeof(*maker->cpus) * maker->n);
	maker->n_levels = 1;
	maker->latency[0] = 6;
	maker->latency[1] = maker->latency[2] = uniform(maker, 30, 60);
	/* The far corners are up to half as far again. */
	step = maker->latency[2] * uniform(maker, 0.1, 0.5) /
	       (double)(width + height);
	for (size_t i = 0; i < maker->n; i++) {
		struct cpu *cpu = &maker->cpus[i];

		cpu->place[0] = (uint32_t)(i / smt);
		cpu->x = step * (double)(cpu->place[0] % width);
		cpu->y = step * (double)(cpu->place[0] / width);
	}
	draw_rows(maker, maker->latency[1]);
}

static void make_unpinned(struct maker *maker, size_t n_max)
{
	size_t shape[4] = {1, 1 + below(maker, 2), 4 + below(maker, 5), 2};

	(void)n_max;
	maker->n = shape[1] * shape[2] * shape[3];
	maker->cpus = get(sizeof(*maker->cpus) * maker->n);
	place_cpus(maker, shape);
	maker->machine->flaws.cold = 0;
}

/*
 * A virtual machine on a host with SMT: threads of the host drawn at random, so
 * that some CPUs are siblings. Strangers run beside most of the others and slow
 * each down by as much as they do themselves.
 */
static void make_shared(struct maker *maker, size_t n_max)
{
	size_t most = n_max < 96 ? n_max : 96;
	size_t n = 16 + below(maker, most - 15);
	size_t cores = n * (50 + below(maker, 50)) / 100 + 1;
	unsigned char *taken = get(2 * cores);
	size_t *on_core = get(sizeof(*on_core) * cores);
	double busy = uniform(maker, 0, 1), load = uniform(maker, 0, 0.3);

	/* The one cell of a pair among CPUs alone must not be a bad one. */
	maker->machine->flaws.streaks = 0;
	maker->machine->is_virtual = true;
	maker->n = n;
	maker->cpus = get(sizeof(*maker->cpus) * n);
	maker->n_levels = 1;
	maker->latency[0] = uniform(maker, 20, 30);
	maker->latency[1] = maker->latency[2] = uniform(maker, 60, 100);
	maker->machine->flaws.offline = 0;
	for (size_t i = 0; i < n; i++) {
		size_t thread;

		do
			thread = below(maker, 2 * cores);
		while (taken[thread]);
		taken[thread] = 1;
		maker->cpus[i].place[0] = (uint32_t)(thread / 2);
		on_core[thread / 2]++;
	}
	draw_rows(maker, maker->latency[1]);
	for (size_t i = 0; i < n; i++)
		if (on_core[maker->cpus[i].place[0]] == 1 &&
			chance(maker, busy))
			maker->cpus[i].row +=
				maker->latency[1] * uniform(maker, 0, load);
	free(taken);
	free(on_core);
}

static void shuffle_cpus(struct maker *maker)
{
	struct cpu *cpus = get(sizeof(*cpus) * maker->n);
	uint32_t order[MAX_CPUS];

	stat_shuffle(&maker->random, order, maker->n);
	for (size_t i = 0; i < maker->n; i++)
		cpus[i] = maker->cpus[order[i]];
	free(maker->cpus);
	maker->cpus = cpus;
}

/* CPUs of a shape, as of place_cpus(); latencies are up to the caller. */
static void place_shape(struct maker *maker, const size_t shape[4])
{
	maker->n = shape[0] * shape[1] * shape[2] * shape[3];
	maker->cpus = get(sizeof(*maker->cpus) * maker->n);
	place_cpus(maker, shape);
}

/* A few dies of a desktop: 16 to 64 CPUs, siblings mostly. */
static void place_dies(struct maker *maker, size_t n_max)
{
	static const size_t dies[] = {1, 1, 2, 2, 2, 3, 4};
	size_t shape[4];

	do {
		shape[0] = 1;
		shape[1] = dies[below(maker, 7)];
		shape[2] = 3 + below(maker, 6);
		shape[3] = chance(maker, 0.9) ? 2 : 1;
	} while (shape[1] * shape[2] * shape[3] > n_max ||
		 shape[1] * shape[2] < 6);
	place_shape(maker, shape);
	maker->n_levels = 2;
}

/*
 * Siblings read one step or two, other cells of their die no less than they
 * do at times: what a clock of that step makes of a recent desktop.
 */
static void make_coarse(struct maker *maker, size_t n_max)
{
	struct machine_flaws *flaws = &maker->machine->flaws;
	double step = uniform(maker, 3, 17);

	place_dies(maker, n_max);
	flaws->step_ns = step;
	flaws->dither = chance(maker, 0.8) * uniform(maker, 0.2, 1);
	flaws->cold *= 0.3;
	flaws->noise += chance(maker, 0.7) * uniform(maker, 0, 0.1);
	maker->latency[0] = step * uniform(maker, 0.6, 1.9);
	maker->latency[1] = maker->latency[0] + step * uniform(maker, 0.8, 3);
	maker->latency[2] = maker->latency[1] * uniform(maker, 1.5, 5) + step;
	take_offline(maker);
	draw_rows(maker, maker->latency[1]);
	shuffle_cpus(maker);
}

/*
 * A line passes between siblings in about the time it does between cores, and
 * cores differ by more, as they are clocked: the rows of siblings are alike,
 * and cores that are fast to everyone are as near as siblings.
 */
static void make_faint(struct maker *maker, size_t n_max)
{
	struct machine_flaws *flaws = &maker->machine->flaws;

	place_dies(maker, n_max);
	maker->latency[1] = uniform(maker, 15, 60);
	maker->latency[0] = maker->latency[1] *
			    (chance(maker, 0.3) ? uniform(maker, 0.5, 0.85)
						: uniform(maker, 0.8, 1.05));
	maker->latency[2] = maker->latency[1] * uniform(maker, 1.7, 5);
	flaws->rows = chance(maker, 0.8) * uniform(maker, 0.02, 0.2);
	flaws->distance += chance(maker, 0.5) * uniform(maker, 0, 0.04);
	flaws->favoured = 0;
	maker->follow = chance(maker, 0.5) ? 1 : uniform(maker, 0, 1);
	take_offline(maker);
	draw_rows(maker, maker->latency[1]);
	for (size_t i = 0; i < maker->n; i++)
		maker->cpus[i].row +=
			maker->latency[1] * uniform(maker, -0.01, 0.01);
	shuffle_cpus(maker);
}

/*
 * A share of a machine with siblings: the first CPUs by number, which are one
 * to a core, and the next few. Without any of them two cores are fast to
 * everyone, and no siblings.
 */
static void make_lone(struct maker *maker, size_t n_max)
{
	size_t shape[4], cores, pairs, n = 0;

	do {
		shape[0] = 1 + below(maker, 2);
		shape[1] = 1 + below(maker, 8);
		shape[2] = 2 + below(maker, 5);
		shape[3] = 2;
		cores = shape[0] * shape[1] * shape[2];
	} while (cores < 6 || cores + 3 > n_max || cores > 48);
	pairs = chance(maker, 0.2) ? 2 + below(maker, 2)
				   : (size_t)chance(maker, 0.9);
	place_shape(maker, shape);
	for (size_t i = 0; i < maker->n; i++)
		if (i % 2 == 0 || i / 2 < pairs)
			maker->cpus[n++] = maker->cpus[i];
	maker->n = n;
	maker->latency[0] = uniform(maker, 4, 14);
	maker->latency[1] = maker->latency[0] * uniform(maker, 1.4, 5);
	maker->latency[2] = maker->latency[1] * uniform(maker, 1.6, 5);
	maker->latency[3] = maker->latency[2] * uniform(maker, 1.5, 2.5);
	draw_rows(maker, maker->latency[1] / 2);
	if (pairs == 0)
		maker->cpus[0].row = maker->cpus[1].row -=
			0.1 * maker->latency[1];
	shuffle_cpus(maker);
}

/*
 * Packages of dies of one or two caches; all cells used one line, which is at
 * home on one die. A pair that shares no cache goes there from both sides,
 * and the line may come the direct way.
 */
static void make_hops(struct maker *maker, size_t n_max)
{
	size_t dies, n, shape[4], home;
	double near, far, direct;

	do {
		dies = chance(maker, 0.6) ? 4 : 2;
		shape[0] = 1 + chance(maker, 0.8);
		shape[1] = dies * (1 + below(maker, 2));
		shape[2] = 2 + below(maker, 5);
		shape[3] = 1 + below(maker, 2);
		n = shape[0] * shape[1] * shape[2] * shape[3];
	} while (n > n_max || n > 144 || shape[0] * dies < 4);
	place_shape(maker, shape);
	maker->n_levels = 4;
	for (size_t i = 0; i < maker->n; i++) {
		struct cpu *cpu = &maker->cpus[i];

		cpu->place[3] = cpu->place[2];
		cpu->place[2] = (uint32_t)(cpu->place[1] * dies / shape[1]);
	}
	dies *= shape[0];
	maker->latency[0] = uniform(maker, 4, 12);
	maker->latency[1] = uniform(maker, 18, 40);
	maker->latency[2] = maker->latency[1] * uniform(maker, 1.4, 4);
	near = maker->latency[2] * uniform(maker, 0.1, 0.6);
	far = near + maker->latency[2] * uniform(maker, 0.3, 1);
	direct = chance(maker, 0.6) ? 0 : uniform(maker, 0, 1);
	home = below(maker, dies);
	for (size_t a = 0; a < dies; a++)
		for (size_t b = 0; b < a; b++) {
			bool together =
				a * shape[0] / dies == b * shape[0] / dies;
			double way = (together ? near : far) *
				     uniform(maker, 0.85, 1.15);

			maker->between[a][b] = maker->between[b][a] =
				direct * way;
			if (a == home || b == home)
				maker->hop[a == home ? b : a] = way;
		}
	draw_rows(maker, maker->latency[1] / 2);
	shuffle_cpus(maker);
}

/*
 * Cores of one cache at uneven places on a ring: some pairs are nearer,
 * and some cores apart from most.
 */
static void make_snug(struct maker *maker, size_t n_max)
{
	struct machine_flaws *flaws = &maker->machine->flaws;
	size_t smt = chance(maker, 0.2) ? 2 : 1;
	size_t cores = 4 + below(maker, 9);
	size_t far = chance(maker, 0.3) * (1 + below(maker, 3));
	double slope;

	(void)n_max;
	maker->n = smt * cores;
	maker->cpus = get(sizeof(*maker->cpus) * maker->n);
	maker->n_levels = 1;
	maker->latency[1] = maker->latency[2] = uniform(maker, 20, 60);
	maker->latency[0] = maker->latency[1] * uniform(maker, 0.2, 0.4);
	slope = chance(maker, 0.7) * uniform(maker, 0, 1) * maker->latency[1];
	for (size_t i = 0; i < maker->n; i++) {
		struct cpu *cpu = &maker->cpus[i];

		cpu->place[0] = (uint32_t)(i / smt);
		if (i % smt > 0) {
			*cpu = cpu[-1];
			continue;
		}
		cpu->x = (double)cpu->place[0] / (double)cores;
		if (far > 0)
			cpu->x *= cpu->place[0] + far < cores ? 0.5 : 0.8;
		cpu->x += chance(maker, 0.7) * uniform(maker, -0.5, 0.5) /
			  (double)cores;
		cpu->y = slope;
	}
	flaws->noise += uniform(maker, 0.005, 0.04);
	flaws->distance += uniform(maker, 0, 0.12);
	flaws->rows += chance(maker, 0.5) * uniform(maker, 0, 0.1);
	flaws->offline = 0;
	draw_rows(maker, maker->latency[1]);
	shuffle_cpus(maker);
}

/* How many cores of each kind, the nearest kind first. */
#define BUS_KINDS 3
#define BUS_SIZES 13
static const size_t bus_sizes[BUS_SIZES][BUS_KINDS] = {{4, 4}, {4, 4}, {2, 6},
	{6, 2}, {4, 8}, {8, 4}, {4, 2}, {3, 5}, {2, 8}, {4, 3, 1}, {4, 2, 2},
	{1, 3, 4}, {2, 2, 4}};

/* What a bus shows of how cold the first CPU is. */
#define BUS_COLD 0.3

/*
 * Two or three kinds of cores on one bus: a cell is what both have to pay, and
 * the row is all that tells the kinds apart. place[2] is the kind, by row.
 */
static void make_bus(struct maker *maker, size_t n_max)
{
	const size_t *size = bus_sizes[below(maker, BUS_SIZES)];
	struct machine_flaws *flaws = &maker->machine->flaws;
	double cost = uniform(maker, 20, 70), more = 0;
	double spread = uniform(maker, 0, 0.025);
	bool pairs = chance(maker, 0.2);

	(void)n_max;
	maker->n = size[0] + size[1] + size[2];
	maker->cpus = get(sizeof(*maker->cpus) * maker->n);
	maker->n_levels = 3;
	maker->latency[0] = cost * uniform(maker, 0.6, 1.2);
	maker->latency[1] = maker->latency[2] = maker->latency[3] = 2 * cost;
	flaws->noise *= 0.3;
	flaws->distance *= 0.3;
	flaws->cold *= BUS_COLD;
	flaws->favoured = flaws->offline = 0;
	for (size_t i = 0; i < maker->n; i++) {
		struct cpu *cpu = &maker->cpus[i];
		size_t kind = (i >= size[0]) + (i >= size[0] + size[1]);

		if (i == size[0] || i == size[0] + size[1])
			more += cost * uniform(maker, 0.04, 0.35);
		cpu->place[0] =
			(uint32_t)(pairs && size[0] % 2 == 0 ? i / 2 : i);
		cpu->place[2] = (uint32_t)kind;
		cpu->row = more + cost * spread * uniform(maker, -1, 1);
	}
	shuffle_cpus(maker);
}

static void judge_nested(struct maker *maker)
{
	for (size_t l = 0; l < 3; l++)
		add_truth(maker, l, true);
}

static void judge_home(struct maker *maker)
{
	for (size_t l = 0; l < 3; l++)
		add_truth(maker, l, l < 2);
}

static void judge_hybrid(struct maker *maker)
{
	struct machine *machine = maker->machine;

	add_truth(maker, 0, true);
	add_truth(maker, 1, false);
	maker->latency[3] = 2 * maker->latency[2];
	add_truth(maker, 2, true);
	machine->levels[machine->n_levels - 1].certain = true;
}

static void judge_siblings(struct maker *maker)
{
	add_truth(maker, 0, true);
}

static void judge_nothing(struct maker *maker)
{
	(void)maker;
}

static void judge_coarse(struct maker *maker)
{
	struct machine *machine = maker->machine;
	uint32_t *group = groups_at(maker, 0);
	uint32_t *outer = groups_around(maker, group, 0);

	add_groups(machine, group,
		stands_apart(machine, group, outer) &&
			coarse_pairs_show(machine, group, outer),
		measured_ratio(machine, group));
	free(outer);
	add_visible(maker, 1);
}

static void judge_visible(struct maker *maker)
{
	for (size_t l = 0; l < maker->n_levels; l++)
		add_visible(maker, l);
}

static void judge_faint(struct maker *maker)
{
	add_pairs(maker, 0.93, 2);
	add_visible(maker, 1);
}

static void judge_lone(struct maker *maker)
{
	add_pairs(maker, 0.7, 3);
	add_visible(maker, 1);
	add_visible(maker, 2);
}

/* Dies and packages are true; a home makes others of them than they are. */
static void judge_hops(struct maker *maker)
{
	uint32_t *home = groups_at(maker, 2);

	add_visible(maker, 0);
	add_visible(maker, 1);
	add_hidden(maker, 2);
	add_hidden(maker, 3);
	for (size_t i = 0; i < maker->n; i++)
		home[i] = maker->hop[home[i]] > 0;
	add_groups(maker->machine, home, false, 1);
}

/* Siblings have one row: so many cores at least tell kinds from chance. */
#define LEAST_CORES 6

static size_t cores_of(const struct maker *maker)
{
	size_t cores = 0;

	for (size_t i = 0; i < maker->n; i++) {
		size_t j = 0;

		while (maker->cpus[j].place[0] != maker->cpus[i].place[0])
			j++;
		cores += j == i;
	}
	return cores;
}

/*
 * The first CPU may look like one of another kind because it was cold, or be
 * one and look cold. Whether its kind can be told is asked of who knows how
 * these machines are made: all rows but this one, how often there are so many
 * cores of each kind, how often the first is cold, and the noise. The chance of
 * each kind is summed over rows like those of its other cores and over how cold
 * the CPU may be.
 */
#define GRID 21

/* The logarithm of how likely the cells of the first CPU are. */
static double fit_of_first(const struct maker *maker, double row, double cold)
{
	const struct machine *machine = maker->machine;
	double sum = 0;

	for (size_t j = 1; j < maker->n; j++) {
		const struct cpu *cpu = &maker->cpus[j];
		double cost = (maker->latency[1] + row + cpu->row) * (1 + cold);
		double off = machine->values[j] - cost;
		double noise = cell_noise(machine, cost);

		if (cpu->place[0] != maker->cpus[0].place[0])
			sum -= off * off / (2 * noise * noise);
	}
	return sum;
}

/* How many machines of so many cores of each kind there are, for one each. */
static double chance_of_sizes(const size_t size[BUS_KINDS])
{
	double chance = 0;

	for (size_t k = 0; k < BUS_SIZES; k++)
		chance += memcmp(size, bus_sizes[k], sizeof(bus_sizes[k])) == 0;
	for (size_t k = 0; k < BUS_KINDS; k++)
		chance *= tgamma((double)size[k] + 1);
	return chance;
}

/* The chance of the first CPU's cells if it is of a kind, by the logarithm. */
static double chance_of_kind(
	const struct maker *maker, uint32_t kind, double spread, double most)
{
	double mean = 0, count = 0, sum = 0;

	for (size_t j = 1; j < maker->n; j++)
		if (maker->cpus[j].place[2] == kind) {
			mean += maker->cpus[j].row;
			count++;
		}
	mean /= count;
	for (int r = 0; count > 0 && r < GRID; r++)
		for (int c = 0; c <= GRID; c++) {
			double row = mean + spread * (2.0 * r / (GRID - 1) - 1);
			double cold =
				c == GRID
					? 0
					: maker->hardness * BUS_COLD *
						  (0.2 + 0.8 * c / (GRID - 1));

			sum += exp(fit_of_first(maker, row, cold) - most) *
			       (c == GRID ? 1 - COLD_CHANCE
					  : COLD_CHANCE / GRID);
		}
	return sum;
}

/* How far the rows of a kind spread, the first CPU's left out. */
static double spread_of_kinds(const struct maker *maker)
{
	double spread = 0;

	for (size_t i = 1; i < maker->n; i++)
		for (size_t j = 1; j < i; j++)
			if (maker->cpus[i].place[2] == maker->cpus[j].place[2])
				spread = fmax(
					spread, fabs(maker->cpus[i].row -
							maker->cpus[j].row));
	return spread;
}

/*
 * Whether the kind of the first CPU is as good as certain, or if it is one of
 * those from a kind on.
 */
static bool first_is_placed(const struct maker *maker, uint32_t from)
{
	uint32_t own = maker->cpus[0].place[2];
	double chances[2] = {0}, spread = spread_of_kinds(maker);
	double most = fit_of_first(
		maker, maker->cpus[0].row, maker->machine->flaws.cold);

	for (uint32_t kind = 0; kind < BUS_KINDS; kind++) {
		size_t size[BUS_KINDS] = {0};
		bool same =
			from ? (kind >= from) == (own >= from) : kind == own;

		for (size_t j = 1; j < maker->n; j++)
			size[maker->cpus[j].place[2]]++;
		size[kind]++;
		chances[same] += chance_of_sizes(size) *
				 chance_of_kind(maker, kind, spread, most);
	}
	return chances[0] < 0.05 * (chances[0] + chances[1]);
}

/* Where kinds that show are three, any two of them are no answer to ask for. */
static void judge_bus(struct maker *maker)
{
	struct machine *machine = maker->machine;
	uint32_t *kinds = groups_at(maker, 2);
	bool enough = cores_of(maker) >= LEAST_CORES;
	bool certain = enough && classes_show(machine, kinds);

	add_visible(maker, 0);
	add_groups(machine, groups_at(maker, 2),
		certain && first_is_placed(maker, 0), 1);
	for (uint32_t from = 1; from <= 2; from++) {
		uint32_t *two = get(sizeof(*two) * maker->n);

		for (size_t i = 0; i < maker->n; i++)
			two[i] = kinds[i] >= from;
		add_groups(machine, two,
			enough && !certain && classes_show(machine, two) &&
				first_is_placed(maker, from),
			1);
	}
	free(kinds);
}

static const struct recipe {
	const char *name;
	void (*make)(struct maker *maker, size_t n_max);
	void (*judge)(struct maker *maker); /* once cells are measured */
} recipes[MACHINE_KINDS] = {
	[MACHINE_NESTED] = {"nested", make_nested, judge_nested},
	[MACHINE_HYBRID] = {"hybrid", make_hybrid, judge_hybrid},
	[MACHINE_HOME] = {"home node", make_home, judge_home},
	[MACHINE_NOISE] = {"noise", make_alike, judge_nothing},
	[MACHINE_ROWS] = {"rows", make_alike, judge_nothing},
	[MACHINE_MESH] = {"mesh", make_mesh, judge_siblings},
	[MACHINE_UNPINNED] = {"unpinned", make_unpinned, judge_nothing},
	[MACHINE_SHARED] = {"shared", make_shared, judge_siblings},
	[MACHINE_COARSE] = {"coarse", make_coarse, judge_coarse},
	[MACHINE_FAINT] = {"faint", make_faint, judge_faint},
	[MACHINE_LONE] = {"lone pair", make_lone, judge_lone},
	[MACHINE_HOPS] = {"one home", make_hops, judge_hops},
	[MACHINE_SNUG] = {"snug", make_snug, judge_visible},
	[MACHINE_BUS] = {"bus", make_bus, judge_bus},
};

const char *machine_kind_name(enum machine_kind kind)
{
	return recipes[kind].name;
}

void machine_make(struct machine *machine, enum machine_kind kind,
	uint64_t seed, double hardness, size_t n_max)
{
	struct maker maker = {.machine = machine, .hardness = hardness};

	memset(machine, 0, sizeof(*machine));
	machine->kind = kind;
	/* Kinds that came later draw apart from the first. */
	stat_random_init(&maker.random,
		seed * SEED_STRIDE + kind +
			((uint64_t)(kind > MACHINE_SHARED) << 32));
	draw_flaws(&maker, hardness);
	recipes[kind].make(&maker, n_max);
	machine->n = maker.n;
	machine->values = get(sizeof(*machine->values) * maker.n * maker.n);
	measure_cells(&maker);
	spoil_streaks(&maker);
	recipes[kind].judge(&maker);
	for (size_t l = 0; l < MACHINE_LEVELS; l++)
		machine->place[l] = groups_at(&maker, l);
	free(maker.cpus);
}

void machine_release(struct machine *machine)
{
	free(machine->values);
	for (size_t l = 0; l < MACHINE_LEVELS; l++)
		free(machine->place[l]);
	for (size_t l = 0; l < machine->n_levels; l++)
		free(machine->levels[l].group);
	memset(machine, 0, sizeof(*machine));
}
