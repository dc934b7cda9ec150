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

const char *machine_kind_name(enum machine_kind kind)
{
	static const char *const names[] = {
		[MACHINE_NESTED] = "nested",
		[MACHINE_HYBRID] = "hybrid",
		[MACHINE_HOME] = "home node",
		[MACHINE_NOISE] = "noise",
		[MACHINE_ROWS] = "rows",
		[MACHINE_MESH] = "mesh",
		[MACHINE_UNPINNED] = "unpinned",
		[MACHINE_SHARED] = "shared",
	};

	return names[kind];
}

bool machine_same_groups(const uint32_t *a, const uint32_t *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < i; j++)
			if ((a[i] == a[j]) != (b[i] == b[j]))
				return false;
	return true;
}

static void draw_flaws(struct maker *maker, double hardness)
{
	struct machine_flaws *flaws = &maker->machine->flaws;

	flaws->noise = hardness * uniform(maker, 0.002, 0.08);
	flaws->distance =
		chance(maker, 0.6) * hardness * uniform(maker, 0, 0.06);
	flaws->rows = chance(maker, 0.6) * hardness * uniform(maker, 0, 0.10);
	flaws->gradient = chance(maker, 0.3);
	flaws->cold = chance(maker, 0.3) * hardness * uniform(maker, 0.2, 1);
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
	default:
		break;
	}
	if (level == 0)
		return cost;
	cost += a->row + b->row;
	return cost * (1 + machine->flaws.distance * pair_distance(a, b, 77));
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
			if (flaws->step_ns > 0)
				cost = flaws->step_ns *
				       round(cost / flaws->step_ns);
			machine->values[i * n + j] =
				machine->values[j * n + i] = fmax(cost, 0);
		}
	}
}

static void add_truth(struct maker *maker, size_t level, bool certain)
{
	struct machine *machine = maker->machine;
	uint32_t *group = get(sizeof(*group) * maker->n);
	size_t at = machine->n_levels;
	size_t inside = 0, outside = 0;

	for (size_t i = 0; i < maker->n; i++)
		group[i] = maker->cpus[i].place[level];
	for (size_t i = 0; i < maker->n; i++)
		for (size_t j = 0; j < i; j++)
			if (group[i] == group[j])
				inside++;
			else
				outside++;
	/* No split, only single CPUs, or the same as the level before. */
	if (inside == 0 || outside == 0 ||
		(at > 0 && machine_same_groups(group,
				   machine->levels[at - 1].group, maker->n))) {
		free(group);
		return;
	}
	machine->levels[at].group = group;
	machine->levels[at].ratio =
		maker->latency[level + 1] / maker->latency[level];
	machine->levels[at].certain =
		certain && machine->levels[at].ratio >= CERTAIN_RATIO;
	machine->n_levels++;
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

static void make_hybrid(struct maker *maker)
{
	size_t big = 2 + below(maker, 7), modules = 1 + below(maker, 4);
	size_t n = big * 2 + modules * 4;
	double more = uniform(maker, 0.05, 0.2);

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

static void make_mesh(struct maker *maker)
{
	size_t width = 1 + below(maker, 8), height = 2 + below(maker, 7);
	size_t smt = 1 + below(maker, 2);
	double step;

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

static void make_unpinned(struct maker *maker)
{
	size_t shape[4] = {1, 1 + below(maker, 2), 4 + below(maker, 5), 2};

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

void machine_make(struct machine *machine, enum machine_kind kind,
	uint64_t seed, double hardness, size_t n_max)
{
	struct maker maker = {.machine = machine};

	memset(machine, 0, sizeof(*machine));
	machine->kind = kind;
	stat_random_init(&maker.random, seed * SEED_STRIDE + kind);
	draw_flaws(&maker, hardness);
	switch (kind) {
	case MACHINE_NESTED:
		make_nested(&maker, n_max);
		break;
	case MACHINE_HOME:
		make_home(&maker, n_max);
		break;
	case MACHINE_HYBRID:
		make_hybrid(&maker);
		break;
	case MACHINE_MESH:
		make_mesh(&maker);
		break;
	case MACHINE_UNPINNED:
		make_unpinned(&maker);
		break;
	case MACHINE_SHARED:
		make_shared(&maker, n_max);
		break;
	default:
		make_alike(&maker, n_max);
	}
	machine->n = maker.n;
	machine->values = get(sizeof(*machine->values) * maker.n * maker.n);
	measure_cells(&maker);
	spoil_streaks(&maker);
	switch (kind) {
	case MACHINE_NESTED:
		for (size_t l = 0; l < 3; l++)
			add_truth(&maker, l, true);
		break;
	case MACHINE_HOME:
		for (size_t l = 0; l < 3; l++)
			add_truth(&maker, l, l < 2);
		break;
	case MACHINE_HYBRID:
		add_truth(&maker, 0, true);
		add_truth(&maker, 1, false);
		maker.latency[3] = 2 * maker.latency[2];
		add_truth(&maker, 2, true);
		machine->levels[machine->n_levels - 1].certain = true;
		break;
	case MACHINE_MESH:
	case MACHINE_SHARED:
		add_truth(&maker, 0, true);
		break;
	default:
		break;
	}
	free(maker.cpus);
}

void machine_release(struct machine *machine)
{
	free(machine->values);
	for (size_t l = 0; l < machine->n_levels; l++)
		free(machine->levels[l].group);
	memset(machine, 0, sizeof(*machine));
}
