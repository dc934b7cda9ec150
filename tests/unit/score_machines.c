/*
 * The machine of a seed: its row of the table says between what each quantity
 * is drawn. Cells cost what the innermost place that both CPUs are in costs,
 * times what their rows cost, and then they are measured, with what measuring
 * does to them. They are rounded, so that another libm makes the same machine.
 *
 * A level must be found if the cells without noise show it: no CPU is farther
 * from its own group than CONTRAST times less than from any other, by four
 * times the noise and more than a step of the clock; two groups have two CPUs
 * or more; and at most one CPU in eight lacks all cells of its group.
 */
#include "score.h"

#include <math.h>
#include <string.h>

#include "machines.h"
#include "stat/stat.h"
#include "util/array.h"

#define CONTRAST 1.25
#define MOST	 256 /* CPUs */

/* From the CPU outwards; a class of cores is none to be near in. */
enum place {
	CORE,
	CACHE,
	NODE,
	SOCKET,
	CLASS,
	PLACES
};

/* {0}: as said. If low is less than 0, none is as likely as it is wide. */
struct range {
	double low, high;
};

static const struct kind {
	const char *name;
	/* How many there are in each of the next larger; 1. */
	struct range packages, nodes, caches, cores, threads;
	struct range core_ns; /* between two cores of a cache; 20 to 45 */
	struct range near;    /* of that between siblings; 1/6 to 1/3 */
	struct range far;     /* each larger place to the smaller; 1.3 to 3 */
	/*
	 * Modules of plain cores beside those with siblings: what lies between
	 * these and those, to two cores; inside a module, and between modules,
	 * to that.
	 */
	struct range modules, module_cores, across, inside, apart;
	double speeds;		    /* each module is so much slower, to all */
	struct range slow_cores;    /* so many CPUs are 4 to 7 times slower */
	struct range slow_siblings; /* in one cache, by so much more */
	struct range fast_cache;    /* rows of the first cache, less */
	struct range slow_class;    /* rows of every second core, more */
	struct range rows, noise;   /* standard deviations */
	struct range tail;	    /* share of cells, 1.3 to 3 times */
	struct range quick;	    /* pairs at 0.3 times */
	struct range cold;	    /* what one CPU costs more */
	bool first;		    /* ... and that is the first one */
	struct range home;	    /* all other nodes, more */
	struct range slope, ring;   /* from one end or side to the other */
	struct range missing;	    /* share of cells */
	struct range step_ns;	    /* of the clock */
	struct range wander;	    /* share of cells of other CPUs */
	struct range lost;	    /* CPUs */
} kinds[] = {
	{"lone two", .cores = {4, 16}, .threads = {2, 2}, .modules = {1, 1},
		.module_cores = {2, 2}, .across = {1.03, 5}, .inside = {0.6, 2},
		.noise = {.005, .03}},
	{"one module", .cores = {2, 16}, .threads = {2, 2}, .modules = {1, 1},
		.module_cores = {3, 4}, .across = {1.05, 2},
		.inside = {0.5, 2.3}, .noise = {.01, .15}},
	{"modules", .cores = {2, 8}, .threads = {2, 2}, .modules = {2, 4},
		.module_cores = {2, 4}, .across = {1.05, 2},
		.inside = {0.6, 2.2}, .noise = {.01, .13}},
	{"few pairs", .cores = {2, 2}, .threads = {2, 2}, .modules = {2, 2},
		.module_cores = {4, 5}, .across = {1.05, 1.5},
		.inside = {1.3, 2}, .slow_cores = {2, 2}, .noise = {.01, .08}},
	{"inverted", .cores = {4, 8}, .threads = {2, 2}, .modules = {3, 4},
		.module_cores = {4, 4}, .across = {1.05, 1.3},
		.inside = {1.3, 2}, .speeds = 0.13, .slow_cores = {-1, 1},
		.noise = {.01, .06}},
	{"side by side", .cores = {4, 8}, .threads = {2, 2}, .modules = {2, 4},
		.module_cores = {4, 4}, .across = {1.5, 2}, .inside = {.85, .9},
		.apart = {1.4, 1.5}, .noise = {.01, .05}},
	{"first slow", .caches = {1, 3}, .cores = {3, 8}, .threads = {2, 2},
		.cold = {1, 2}, .first = true, .noise = {.005, .05}},
	{"fast rows", .caches = {2, 4}, .cores = {4, 8}, .threads = {1, 2},
		.far = {1, 1}, .fast_cache = {.05, .2}, .noise = {.005, .04}},
	{"tiny", .cores = {4, 8}, .noise = {.05, .4}, .tail = {-.2, .2},
		.quick = {-1, 1.9}},
	{"classes", .cores = {8, 16}, .threads = {1, 2}, .slow_class = {.4, .7},
		.noise = {.005, .03}},
	{"l2 pairs", .caches = {4, 16}, .cores = {2, 2}, .far = {1.5, 3},
		.nodes = {1, 2}, .noise = {.005, .08}},
	{"wide smt", .caches = {1, 2}, .cores = {3, 6}, .threads = {4, 8},
		.noise = {.005, .08}},
	{"noisy smt", .cores = {4, 16}, .threads = {2, 2}, .noise = {.1, .2},
		.rows = {-.1, .1}},
	{"holes", .caches = {1, 4}, .cores = {4, 8}, .threads = {1, 2},
		.far = {1.5, 3}, .missing = {.1, .3}, .noise = {.005, .03}},
	{"moving", .nodes = {1, 2}, .caches = {1, 2}, .cores = {4, 8},
		.threads = {2, 2}, .wander = {.6, 1}, .noise = {.005, .02}},
	{"steps of 1.3", .packages = {2, 2}, .caches = {2, 4}, .cores = {2, 8},
		.threads = {1, 2}, .far = {1.3, 2}, .noise = {.005, .04}},
	{"many small", .packages = {1, 2}, .nodes = {2, 4}, .caches = {2, 4},
		.cores = {2, 3}, .threads = {1, 2}, .noise = {.005, .05}},
	{"random", .packages = {1, 4}, .nodes = {1, 4}, .caches = {1, 4},
		.cores = {2, 8}, .threads = {1, 2}, .near = {.2, .75},
		.far = {1.05, 3}, .noise = {.005, .08}, .rows = {-.08, .08},
		.tail = {-.03, .03}, .cold = {-6, 1.5}, .home = {-1, 1},
		.missing = {-.3, .1}, .lost = {-2, 2}},
	{"spikes", .caches = {1, 4}, .cores = {2, 8}, .threads = {1, 2},
		.noise = {.005, .08}, .tail = {.01, .03}, .lost = {-2, 2}},
	{"cold", .caches = {1, 4}, .cores = {2, 8}, .threads = {1, 2},
		.noise = {.005, .08}, .cold = {.2, 1.5}, .lost = {-2, 2}},
	{"missing", .caches = {1, 4}, .cores = {2, 8}, .threads = {2, 2},
		.noise = {.005, .08}, .missing = {.05, .1}, .lost = {-2, 2}},
	{"home", .packages = {1, 2}, .nodes = {2, 4}, .caches = {1, 2},
		.cores = {2, 6}, .threads = {1, 2}, .home = {.3, 1},
		.noise = {.005, .06}},
	{"clock", .caches = {1, 4}, .cores = {3, 8}, .threads = {1, 2},
		.core_ns = {20, 60}, .step_ns = {5, 20}, .noise = {.02, .15}},
	{"slow siblings", .caches = {2, 4}, .cores = {4, 8}, .threads = {2, 2},
		.slow_siblings = {.6, 1.5}, .noise = {.005, .06}},
	{"alike", .cores = {8, 48}, .noise = {.01, .5}, .tail = {-.03, .03},
		.quick = {-8, 8}},
	{"slopes", .cores = {12, 48}, .slope = {-2, 2}, .ring = {-2, 2},
		.rows = {-.1, .1}, .noise = {.005, .02}},
};

/* Where a CPU is. */
struct cpu {
	uint32_t at[PLACES];
	bool plain;
	double row;
};

struct maker {
	const struct kind *kind;
	struct score_machine *machine;
	struct stat_random random;
	struct arena *arena;
	struct cpu *cpus;
	double *costs; /* [n * n] as the values, without noise */
	size_t n;
	double ns[CLASS + 1]; /* inside each place, and between packages */
	double across, inside, apart, slow_siblings, home, slope, ring, cold;
	double noise, tail, wander, step_ns;
	size_t cold_cpu;
};

static double share(struct maker *maker)
{
	return (double)(stat_random_next(&maker->random) >> 11) * 0x1p-53;
}

static size_t below(struct maker *maker, size_t bound)
{
	return (size_t)stat_random_below(&maker->random, bound);
}

static double draw(struct maker *maker, struct range range)
{
	return fmax(0, range.low + (range.high - range.low) * share(maker));
}

static double draw_or(
	struct maker *maker, struct range range, double low, double high)
{
	return draw(maker, range.high > 0 ? range : (struct range){low, high});
}

static size_t count(struct maker *maker, struct range range)
{
	return (size_t)draw(maker,
		(struct range){range.low, range.high ? range.high + .999 : 0});
}

static double normal(struct maker *maker)
{
	double u = fmax(share(maker), 1e-12);

	return sqrt(-2 * log(u)) * cos(2 * M_PI * share(maker));
}

/* CPUs in their places, those of modules last. */
static void place_cpus(struct maker *maker, size_t n_max)
{
	const struct kind *kind = maker->kind;
	const struct range *shape[CLASS] = {
		&kind->threads, &kind->cores, &kind->caches, &kind->nodes};
	size_t sizes[CLASS], size, modules, in_module;

	do {
		size = 1;
		for (size_t l = 0; l < CLASS; l++) {
			size_t of = count(maker, *shape[l]);

			sizes[l] = size *= of ? of : 1;
		}
		size *= kind->packages.high ? count(maker, kind->packages) : 1;
		modules = count(maker, kind->modules);
		in_module = count(maker, kind->module_cores);
		maker->n = size + modules * in_module;
	} while (maker->n < 4 || maker->n > n_max || maker->n > MOST);
	maker->cpus = arena_alloc(maker->arena, maker->n, sizeof(*maker->cpus));
	for (size_t i = 0; i < maker->n; i++) {
		struct cpu *cpu = &maker->cpus[i];
		size_t module = i < size ? 0 : (i - size) / in_module;

		*cpu = (struct cpu){.plain = i >= size, .row = 1};
		for (size_t l = 0; l < CLASS; l++)
			cpu->at[l] = (uint32_t)(i < size ? i / sizes[l] : 0);
		if (!cpu->plain)
			continue;
		cpu->at[CORE] = (uint32_t)i;
		cpu->at[CACHE] = (uint32_t)(maker->n + module);
		cpu->at[CLASS] = 1;
		cpu->row += kind->speeds * (double)module;
	}
}

/* What the places cost, and the rows. */
static void draw_costs(struct maker *maker)
{
	const struct kind *kind = maker->kind;
	double fast, class, rows;

	maker->ns[CACHE] = draw_or(maker, kind->core_ns, 20, 45);
	maker->ns[CORE] =
		maker->ns[CACHE] * draw_or(maker, kind->near, 1 / 6., 1 / 3.);
	for (size_t l = NODE; l <= CLASS; l++)
		maker->ns[l] =
			maker->ns[l - 1] * draw_or(maker, kind->far, 1.3, 3);
	maker->across = draw_or(maker, kind->across, 1, 1);
	maker->inside = draw_or(maker, kind->inside, 1, 1);
	maker->apart = fmax(1.1, maker->inside * 0.95);
	if (kind->apart.high > 0)
		maker->apart = draw(maker, kind->apart);
	maker->slow_siblings = 1 + draw(maker, kind->slow_siblings);
	maker->home = 1 + draw(maker, kind->home);
	maker->slope = draw(maker, kind->slope);
	maker->ring = draw(maker, kind->ring);
	maker->cold = 1 + draw(maker, kind->cold);
	maker->noise = draw(maker, kind->noise);
	maker->step_ns = draw(maker, kind->step_ns);
	fast = 1 - draw(maker, kind->fast_cache);
	class = 1 + draw(maker, kind->slow_class);
	rows = draw(maker, kind->rows);
	for (size_t i = 0; i < maker->n; i++) {
		struct cpu *cpu = &maker->cpus[i];

		cpu->row *= exp(rows * normal(maker));
		if (cpu->at[CACHE] == 0)
			cpu->row *= fast;
		if (class > 1) {
			cpu->at[CLASS] = cpu->at[CORE] % 2;
			cpu->row *= cpu->at[CLASS] ? class : 1;
		}
	}
	/* Of modules the last CPUs, else any. */
	for (size_t k = count(maker, kind->slow_cores); k > 0; k--)
		maker->cpus[maker->n - k].row *= 7 + 6 * share(maker);
}

/* The CPUs in any order, half of the time; and which of them is cold. */
static void number_cpus(struct maker *maker)
{
	if (share(maker) < 0.5)
		for (size_t i = maker->n - 1; i > 0; i--) {
			size_t j = below(maker, i + 1);
			struct cpu cpu = maker->cpus[i];

			maker->cpus[i] = maker->cpus[j];
			maker->cpus[j] = cpu;
		}
	maker->cold_cpu = maker->kind->first ? 0 : below(maker, maker->n);
}

static double cost_between(const struct maker *maker, size_t i, size_t j)
{
	const struct cpu *a = &maker->cpus[i], *b = &maker->cpus[j];
	double way = fabs((double)i - (double)j) / (double)maker->n;
	double cold =
		i == maker->cold_cpu || j == maker->cold_cpu ? maker->cold : 1;
	double cost;
	size_t l = 0;

	while (l < CLASS && a->at[l] != b->at[l])
		l++;
	cost = maker->ns[l] * cold;
	if (l == CORE)
		return cost * (a->at[CACHE] ? 1 : maker->slow_siblings);
	if (a->plain || b->plain) {
		cost = maker->ns[CACHE] * maker->across * cold;
		if (a->plain && b->plain)
			cost *= l == CACHE ? maker->inside : maker->apart;
	}
	if (l >= NODE)
		cost *= ((a->at[NODE] ? maker->home : 1) +
				(b->at[NODE] ? maker->home : 1)) /
			2;
	cost *= 1 + maker->slope * (double)(i + j) / (2 * (double)maker->n) +
		maker->ring * fmin(way, 1 - way);
	return cost * (a->row + b->row) / 2;
}

static void measure_cells(struct maker *maker)
{
	const struct kind *kind = maker->kind;
	size_t n = maker->n;
	double tail = maker->tail = draw(maker, kind->tail);
	double quick = draw(maker, kind->quick) / (double)(n * n / 2);
	double missing = draw(maker, kind->missing);
	double wander = maker->wander = draw(maker, kind->wander);
	double *values = arena_alloc(maker->arena, n * n, sizeof(*values));

	maker->costs = arena_alloc(maker->arena, n * n, sizeof(*values));
	for (size_t i = 0; i < n; i++)
		values[i * n + i] = maker->costs[i * n + i] = NAN;
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < i; j++) {
			size_t a = i, b = j;
			double cost = cost_between(maker, i, j), value;

			if (share(maker) < wander) {
				a = below(maker, n);
				b = (a + 1 + below(maker, n - 1)) % n;
			}
			value = cost_between(maker, a, b) *
				exp(maker->noise * normal(maker));
			if (share(maker) < tail)
				value *= 1.3 + 1.7 * share(maker);
			if (share(maker) < quick)
				value *= 0.3;
			if (maker->step_ns > 0)
				value = maker->step_ns *
					round(value / maker->step_ns +
						share(maker) - 0.5);
			value = round(value * 100) / 100;
			if (share(maker) < missing)
				value = cost = NAN;
			values[i * n + j] = values[j * n + i] = value;
			maker->costs[i * n + j] = maker->costs[j * n + i] =
				cost;
		}
	maker->machine->values = values;
}

/* Each cell as it is when it is measured once more, twice. */
static void measure_again(struct maker *maker, uint64_t seed)
{
	size_t n = maker->n;
	double *again = arena_alloc(maker->arena, 2 * n * n, sizeof(*again));

	stat_random_init(&maker->random, ~seed);
	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0; i < n; i++)
			for (size_t j = 0; j < i; j++) {
				double value = maker->costs[i * n + j];

				if (share(maker) < maker->wander)
					value = maker->costs[below(
						maker, n * n)];
				value *= exp(maker->noise * normal(maker));
				if (share(maker) < maker->tail)
					value *= 1.3 + 1.7 * share(maker);
				if (maker->step_ns > 0)
					value = maker->step_ns *
						round(value / maker->step_ns +
							share(maker) - 0.5);
				again[(k * n + i) * n + j] =
					again[(k * n + j) * n + i] = value;
			}
	maker->machine->again = again;
}

/* Leave the CPUs that are kept. */
static void cut(struct maker *maker, const bool *kept)
{
	size_t n = maker->n, m = 0;
	size_t *rows = arena_alloc(maker->arena, n, sizeof(*rows));

	for (size_t i = 0; i < n; i++)
		if (kept[i]) {
			maker->cpus[m] = maker->cpus[i];
			rows[m++] = i;
		}
	/* Row by row, so that no cell is overwritten before it is read. */
	for (size_t i = 0; i < m; i++)
		for (size_t j = 0; j < m; j++) {
			size_t from = rows[i] * n + rows[j];

			maker->machine->values[i * m + j] =
				maker->machine->values[from];
			maker->costs[i * m + j] = maker->costs[from];
		}
	maker->n = m;
}

static void lose_cpus(struct maker *maker)
{
	size_t lost = count(maker, maker->kind->lost);
	bool kept[MOST];

	memset(kept, true, sizeof(kept));
	while (lost-- > 0)
		kept[below(maker, maker->n)] = false;
	if (maker->n > 6)
		cut(maker, kept);
}

/*
 * A part is: any CPUs; some whole cores; the whole cores of one cache, or those
 * of one class, and two to four CPUs of others; or each core with its siblings
 * or without.
 */
static void take_part(struct maker *maker)
{
	size_t n = maker->n, m, way = below(maker, 4);
	double rate = 0.2 + 0.6 * share(maker);
	const struct cpu *own = &maker->cpus[below(maker, n)];
	size_t lone = 2 + below(maker, 3), place = own->plain ? CLASS : CACHE;
	bool kept[MOST];

	do {
		bool seen[MOST] = {false}, with[MOST];

		m = 0;
		for (size_t i = 0; i < n; i++)
			with[i] = share(maker) < rate;
		for (size_t i = 0; i < n; i++) {
			const uint32_t *at = maker->cpus[i].at;
			const bool by_way[] = {with[i], with[at[CORE] % n],
				at[place] == own->at[place],
				with[at[CORE] % n] || !seen[at[CORE] % n]};

			kept[i] = by_way[way];
			seen[at[CORE] % n] = true;
			m += kept[i];
		}
		for (size_t k = 0; way == 2 && m < n && k < lone; k++) {
			size_t i = below(maker, n);

			m += !kept[i];
			kept[i] = true;
		}
		way = 0;
	} while (m < 4 || m == n);
	cut(maker, kept);
}

static bool same_side(const struct score_machine *machine, uint32_t side,
	const uint32_t *a, const uint32_t *b)
{
	for (size_t i = 0; i < machine->n; i++)
		for (size_t j = 0; j < i; j++)
			if (machine->side[i] == side &&
				machine->side[j] == side &&
				(a[i] == a[j]) != (b[i] == b[j]))
				return false;
	return true;
}

bool score_machine_has(
	const struct score_machine *machine, const uint32_t *group)
{
	size_t n = machine->n;
	bool has = true;

	for (size_t t = 0; t < machine->n_truths; t++)
		if (machine_same_groups(group, machine->truths[t].group, n))
			return true;
	if (!machine->side)
		return false;
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < i; j++)
			if (group[i] == group[j] &&
				machine->side[i] != machine->side[j])
				return false;
	for (uint32_t side = 0; side <= 1 && has; side++) {
		has = same_side(machine, side, group, machine->side);
		for (size_t t = 0; t < machine->n_truths && !has; t++)
			has = same_side(
				machine, side, group, machine->truths[t].group);
	}
	return has;
}

/* See above. */
static bool shows(const struct maker *maker, const uint32_t *group)
{
	double least = fmax(log(CONTRAST), 4 * maker->noise);
	size_t n = maker->n, hidden = 0, first = n;
	bool two = false;

	for (size_t i = 0; i < n; i++) {
		double most = NAN, other = NAN;
		bool alone = true;

		for (size_t j = 0; j < n; j++) {
			double cost = maker->costs[i * n + j];

			alone &= i == j || group[i] != group[j];
			if (group[i] == group[j])
				most = fmax(most, cost);
			else
				other = fmin(other, cost);
		}
		if (alone)
			continue;
		first = first < n ? first : i;
		two |= group[i] != group[first];
		hidden += isnan(most);
		if (other < most * exp(least) ||
			other < most + 1.5 * maker->step_ns)
			return false;
	}
	return two && n >= 5 && hidden * 8 <= n;
}

/*
 * Classes show, too, where some cores have siblings and the others do not, if
 * the whole cores are there and what lies between them says the same.
 */
static bool class_shows(const struct maker *maker)
{
	double least = fmax(0.1, 2 * maker->noise);
	size_t slow = 0, n = maker->n;

	for (size_t i = 0; i < n; i++) {
		const struct cpu *cpu = &maker->cpus[i];
		bool whole = cpu->plain || maker->kind->threads.low < 2;

		for (size_t j = 0; j < n && !whole; j++)
			whole = i != j &&
				cpu->at[CORE] == maker->cpus[j].at[CORE];
		if (!whole)
			return false;
		slow += cpu->at[CLASS];
	}
	return slow >= 3 && n - slow >= 4 &&
	       (maker->kind->slow_class.high > 0 ||
		       fabs(log(maker->across)) > least ||
		       fabs(log(maker->across * maker->inside)) > least);
}

/* The groups at a place, or NULL if that says nothing. */
static uint32_t *groups_at(const struct maker *maker, size_t place)
{
	size_t n = maker->n, inside = 0;
	uint32_t *group = arena_alloc(maker->arena, n, sizeof(*group));

	for (size_t i = 0; i < n; i++) {
		group[i] = maker->cpus[i].at[place];
		for (size_t j = 0; j < i; j++)
			inside += group[i] == group[j];
	}
	return inside == 0 || inside == n * (n - 1) / 2 ? NULL : group;
}

static void add_truths(struct maker *maker)
{
	static const unsigned words[PLACES] = {ANALYSIS_SMT, ANALYSIS_LLC,
		ANALYSIS_NODE, ANALYSIS_PACKAGE, ANALYSIS_CLASS};
	struct score_machine *machine = maker->machine;

	machine->n = maker->n;
	for (size_t l = 0; l < PLACES; l++) {
		uint32_t *group = groups_at(maker, l);
		size_t t = 0;

		if (!group)
			continue;
		while (t < machine->n_truths &&
			!machine_same_groups(
				group, machine->truths[t].group, maker->n))
			t++;
		if (t == machine->n_truths)
			machine->truths[machine->n_truths++].group = group;
		machine->truths[t].kinds |= 1U << words[l];
		machine->truths[t].shows |=
			maker->kind->wander.high == 0 &&
			(l == CLASS ? class_shows(maker) : shows(maker, group));
	}
	if (maker->kind->modules.high > 0)
		machine->side = groups_at(maker, CLASS);
	if (maker->home > 1) {
		machine->side = groups_at(maker, NODE);
		for (size_t i = 0; machine->side && i < maker->n; i++)
			machine->side[i] = machine->side[i] > 0;
	}
	/* Threads that moved leave no level. */
	machine->moves = maker->kind->wander.high > 0;
	if (machine->moves)
		machine->n_truths = 0;
}

/* A machine of machines.h, half of the strongest flaws. */
static void make_older(struct maker *maker, enum machine_kind kind,
	uint64_t seed, size_t n_max)
{
	struct score_machine *machine = maker->machine;
	struct machine made;

	machine_make(&made, kind, seed, 0.5, n_max);
	machine->n = made.n;
	machine->is_virtual = made.is_virtual;
	machine->moves = kind == MACHINE_UNPINNED;
	machine->values = arena_copy(
		maker->arena, made.values, made.n * made.n, sizeof(double));
	for (size_t t = 0; t < made.n_levels; t++) {
		struct score_truth *truth =
			&machine->truths[machine->n_truths++];

		truth->group = arena_copy(maker->arena, made.levels[t].group,
			made.n, sizeof(uint32_t));
		truth->shows = made.levels[t].certain;
	}
	machine_release(&made);
}

const char *score_kind_name(size_t kind)
{
	if (kind < N_OF(kinds))
		return kinds[kind].name;
	kind -= N_OF(kinds);
	return kind < MACHINE_KINDS ? machine_kind_name((enum machine_kind)kind)
				    : NULL;
}

bool score_machine_make(struct score_machine *machine, size_t kind, bool part,
	uint64_t seed, size_t n_max, struct arena *arena)
{
	struct maker maker = {.machine = machine, .arena = arena};

	*machine = (struct score_machine){0};
	if (kind >= N_OF(kinds)) {
		if (!part)
			make_older(&maker,
				(enum machine_kind)(kind - N_OF(kinds)), seed,
				n_max);
		return !part;
	}
	maker.kind = &kinds[kind];
	/* By its name, so that other kinds may come and go. */
	for (const char *c = maker.kind->name; *c; c++)
		seed = seed * 31 + (unsigned char)*c;
	stat_random_init(&maker.random, seed);
	place_cpus(&maker, n_max);
	draw_costs(&maker);
	number_cpus(&maker);
	measure_cells(&maker);
	lose_cpus(&maker);
	if (part && maker.n < 6)
		return false;
	if (part)
		take_part(&maker);
	add_truths(&maker);
	measure_again(&maker, seed);
	return true;
}
