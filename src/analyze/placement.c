/*
 * Place threads by measured groups. Each row gets a rank within its group of
 * the chosen level, dealt over the inner levels. Pack sorts rows by (group,
 * rank), spread by (rank, group). The order of groups keeps near ones together.
 */
#include "analyze/placement.h"

#include <stdlib.h>

#include "analyze/cost_matrix.h"
#include "analyze/nearest.h"
#include "stat/stat.h"

struct seat {
	size_t row;
	size_t part; /* what the sort keeps apart first */
	size_t first, second;
};

static int compare_seats(const void *a, const void *b)
{
	const struct seat *x = a, *y = b;

	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	if (x->second != y->second)
		return x->second < y->second ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

/*
 * rank[n]: the rank of every row within its group of the chosen level. At each
 * level from inside, the groups within a group take turns.
 */
static void deal(const struct placement_request *request, struct seat *seats,
	size_t *rank)
{
	size_t n = request->n;

	for (size_t k = 0; k <= request->level; k++) {
		size_t at = 0;

		for (size_t i = 0; i < n; i++)
			seats[i] = (struct seat){
				.row = i,
				.part = request->levels[k].group[i],
				.first = rank[i],
				.second =
					k ? request->levels[k - 1].group[i] : 0,
			};
		qsort(seats, n, sizeof(*seats), compare_seats);
		for (size_t i = 0; i < n; i++) {
			if (i > 0 && seats[i].part != seats[i - 1].part)
				at = 0;
			rank[seats[i].row] = at++;
		}
	}
}

/*
 * place[n]: the position of every row's group at the chosen level. The groups
 * of each outer group stand side by side.
 */
static void line_up(const struct placement_request *request, size_t *place,
	struct arena *arena)
{
	const uint32_t *group = request->levels[request->level].group;
	size_t *rows = arena_take(arena, request->n, sizeof(*rows)), at = 0;

	for (size_t i = 0; i < request->n; i++)
		rows[i] = i;
	placement_nest(request, rows, request->n);
	for (size_t i = 0; i < request->n; i++) {
		at += i > 0 && group[rows[i]] != group[rows[i - 1]];
		place[rows[i]] = at;
	}
}

/* The first group of level k with room for all threads, or n_groups. */
static size_t find_room(const struct placement_request *request,
	const size_t *rank, size_t k, struct arena *arena)
{
	const struct placement_level *level = &request->levels[k];
	size_t *room = arena_take(arena, level->n_groups, sizeof(*room));
	size_t g = 0;

	/* To spread, each group of the level offers one row, that of rank 0. */
	for (size_t i = 0; i < request->n; i++)
		room[level->group[i]] += !request->spread || rank[i] == 0;
	while (g < level->n_groups && room[g] < request->threads)
		g++;
	return g;
}

/* Move the rows of the innermost group that has room for all to the front. */
static void prefer_room(const struct placement_request *request,
	const size_t *rank, struct seat *seats, struct arena *arena)
{
	for (size_t k = request->level; k < request->n_levels; k++) {
		const struct placement_level *level = &request->levels[k];
		size_t g = find_room(request, rank, k, arena);

		if (g == level->n_groups)
			continue;
		for (size_t i = 0; i < request->n; i++)
			seats[i].part = level->group[seats[i].row] != g;
		return;
	}
}

size_t *placement_find(
	const struct placement_request *request, struct arena *arena)
{
	size_t n = request->n;
	size_t *rows = arena_take(arena, request->threads, sizeof(*rows));
	struct seat *seats = arena_take(arena, n, sizeof(*seats));
	size_t *rank = arena_take(arena, n, sizeof(*rank));
	size_t *place = arena_take(arena, n, sizeof(*place));

	if (request->n_levels > 0) {
		deal(request, seats, rank);
		line_up(request, place, arena);
	}
	for (size_t i = 0; i < n; i++)
		seats[i] = (struct seat){
			.row = i,
			.first = request->spread ? rank[i] : place[i],
			.second = request->spread ? place[i] : rank[i],
		};
	prefer_room(request, rank, seats, arena);
	qsort(seats, n, sizeof(*seats), compare_seats);
	for (size_t i = 0; i < request->threads; i++)
		rows[i] = seats[i].row;
	return rows;
}

/* What is chosen from, and what is. */
struct nearest {
	const double *values; /* [n * n] */
	size_t n;
	bool near_is_high;
	const uint32_t *core; /* as in placement_nearest() */
	double *total;	      /* [n]: costs to those that are chosen */
	bool *taken;	      /* [n]: chosen, or on the core of one */
};

/* INFINITY of a pair without a value. */
static double cost_between(const struct nearest *nearest, size_t i, size_t j)
{
	double value = nearest_between(nearest->values, nearest->n, i, j);

	if (isnan(value))
		return INFINITY;
	return nearest->near_is_high ? 1 / value : value;
}

/* One CPU of the nearest pair. */
static size_t find_nearest_start(const struct nearest *nearest)
{
	double least = INFINITY;
	size_t first = 0, n = nearest->n;

	for (size_t k = 0; k < n * n; k++) {
		size_t i = k / n, j = k % n;
		double cost;

		if (j <= i ||
			(nearest->core && nearest->core[i] == nearest->core[j]))
			continue;
		cost = cost_between(nearest, i, j);
		if (cost < least) {
			least = cost;
			first = i;
		}
	}
	return first;
}

/* Take a CPU; returns the one nearest to all that are chosen, n if none is
 * left.
 */
static size_t take_nearest(struct nearest *nearest, size_t last)
{
	const uint32_t *core = nearest->core;
	size_t n = nearest->n, next = n;

	for (size_t i = 0; i < n; i++)
		nearest->taken[i] |= core ? core[i] == core[last] : i == last;
	for (size_t i = 0; i < n; i++) {
		if (nearest->taken[i])
			continue;
		nearest->total[i] += cost_between(nearest, last, i);
		if (next == n || nearest->total[i] < nearest->total[next])
			next = i;
	}
	return next;
}

size_t *placement_nearest(const double *values, size_t n, bool near_is_high,
	const uint32_t *core, size_t threads, struct arena *arena)
{
	struct nearest nearest = {
		.values = values,
		.n = n,
		.near_is_high = near_is_high,
		.core = core,
		.total = arena_take(arena, n, sizeof(double)),
		.taken = arena_take(arena, n, sizeof(bool)),
	};
	size_t *rows = arena_take(arena, threads, sizeof(*rows));
	bool *chosen = arena_take(arena, n, sizeof(*chosen));
	size_t next = find_nearest_start(&nearest), used = 0;

	for (size_t t = 0; t < threads; t++) {
		if (next == n)
			return NULL;
		chosen[next] = true;
		next = take_nearest(&nearest, next);
	}
	for (size_t i = 0; i < n; i++) {
		if (chosen[i])
			rows[used++] = i;
	}
	return rows;
}

static int compare_nested(const void *a, const void *b, void *context)
{
	const struct placement_request *request = context;
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	for (size_t k = request->n_levels; k-- > 0;) {
		const uint32_t *group = request->levels[k].group;

		if (group[x] != group[y])
			return group[x] < group[y] ? -1 : 1;
	}
	return (x > y) - (x < y);
}

void placement_nest(
	const struct placement_request *request, size_t *rows, size_t n)
{
	qsort_r(rows, n, sizeof(*rows), compare_nested, (void *)request);
}

/*
 * The end of the run of rows from i on that lie in one group of level k;
 * without that level all rows are one run.
 */
static size_t run_end(const struct placement_request *request,
	const size_t *rows, size_t k, size_t i)
{
	const uint32_t *group =
		k < request->n_levels ? request->levels[k].group : NULL;
	size_t end = i + 1;

	while (end < request->threads &&
		(!group || group[rows[end]] == group[rows[i]]))
		end++;
	return end;
}

/* Neither is 0. */
static size_t greatest_divisor(size_t a, size_t b)
{
	while (a % b) {
		size_t rest = a % b;

		a = b;
		b = rest;
	}
	return b;
}

/*
 * The greatest common divisor of the lengths of runs, and whether they differ.
 */
static size_t run_length(const struct placement_request *request,
	const size_t *rows, size_t k, bool *differ)
{
	size_t first = run_end(request, rows, k, 0), length = first;

	*differ = false;
	for (size_t i = 0, end; i < request->threads; i = end) {
		end = run_end(request, rows, k, i);
		length = greatest_divisor(length, end - i);
		*differ |= end - i != first;
	}
	return length;
}

static void find_sizes(const struct placement_request *request,
	const size_t *rows, const struct placement_parts *parts,
	struct placement_shape *shape)
{
	size_t socket =
		run_length(request, rows, parts->cell, &shape->cells_differ);
	size_t die = socket, core = 1;

	if (parts->die < request->n_levels)
		die = run_length(
			request, rows, parts->die, &shape->dies_differ);
	if (shape->dies_differ)
		die = socket;
	if (parts->core < request->n_levels)
		core = run_length(
			request, rows, parts->core, &shape->cores_differ);
	if (shape->cores_differ)
		core = 1;
	shape->sockets = request->threads / socket;
	shape->dies = socket / die;
	shape->cores = die / core;
	shape->threads = core;
}

void placement_shape_find(const struct placement_request *request,
	const size_t *rows, const struct placement_parts *parts,
	struct placement_shape *shape, struct arena *arena)
{
	*shape = (struct placement_shape){
		.cells = arena_take(
			arena, request->threads + 1, sizeof(*shape->cells))};
	for (size_t i = 0; i < request->threads;
		i = run_end(request, rows, parts->cell, i))
		shape->cells[shape->n_cells++] = i;
	shape->cells[shape->n_cells] = request->threads;
	find_sizes(request, rows, parts, shape);
}

/* Append the pairs of groups g and h, either way, to values[used]. */
static size_t take_pairs(const struct placement_guest *guest,
	const struct members *g, const struct members *h, double *values,
	size_t used)
{
	size_t n = guest->request->n;

	for (size_t a = 0; a < g->n; a++) {
		for (size_t b = 0; b < h->n; b++) {
			size_t i = g->unit[a], j = h->unit[b];
			double forth = guest->values[i * n + j];
			double back = guest->values[j * n + i];

			/* Within a group the loop meets each pair twice. */
			if (i != j && !isnan(forth))
				values[used++] = forth;
			if (g != h && !isnan(back))
				values[used++] = back;
		}
	}
	return used;
}

/* 0 if either median is unknown. */
static uint8_t distance_of(double inside, double between, bool near_is_high)
{
	double ratio = near_is_high ? inside / between : between / inside;
	double distance = round(ratio * PLACEMENT_DISTANCE_OWN);

	/* Comparisons with a NaN are false. */
	if (!(inside > 0) || !(between > 0))
		return 0;
	distance = fmax(distance, PLACEMENT_DISTANCE_LEAST);
	return (uint8_t)fmin(distance, PLACEMENT_DISTANCE_MOST);
}

uint8_t *placement_distances(
	const struct placement_guest *guest, struct arena *arena)
{
	const struct placement_level *level =
		&guest->request->levels[guest->parts->cell];
	const struct partition partition = {
		guest->request->n, level->n_groups, (uint32_t *)level->group};
	const struct members *groups = roster_new(&partition, arena);
	size_t n = guest->shape->n_cells, used = 0;
	uint8_t *distances = arena_take(arena, n * n, sizeof(*distances));
	double *values = arena_take(
		arena, partition.n_units * partition.n_units, sizeof(*values));
	double inside;
	bool known = true;

	for (size_t g = 0; g < level->n_groups; g++)
		used = take_pairs(guest, &groups[g], &groups[g], values, used);
	inside = stat_median(values, used);
	for (size_t k = 0; k < n * n; k++) {
		size_t c = k / n, d = k % n;
		const size_t *rows = guest->rows, *cells = guest->shape->cells;
		uint8_t distance = PLACEMENT_DISTANCE_OWN;

		if (d > c)
			continue;
		if (d < c) {
			used = take_pairs(guest,
				&groups[level->group[rows[cells[c]]]],
				&groups[level->group[rows[cells[d]]]], values,
				0);
			distance = distance_of(inside,
				stat_median(values, used), guest->near_is_high);
		}
		distances[k] = distances[d * n + c] = distance;
		known &= distance > 0;
	}
	return known ? distances : NULL;
}
