/*
 * Places threads by measured groups. Each row gets a rank within its group of
 * the chosen level. Consecutive ranks are in different inner groups. Pack sorts
 * rows by (group, rank), spread sorts them by (rank, group). Groups that are
 * near are adjacent in the order of groups.
 */
#include "analyze/placement.h"

#include <stdlib.h>

#include "analyze/cost_matrix.h"
#include "analyze/nearest.h"
#include "stat/stat.h"

size_t placement_list_levels(const struct analysis *analysis,
	struct placement_level *levels, const struct analysis_level **from)
{
	size_t n = 0;

	for (size_t k = 0; k < analysis->n_levels; k++) {
		const struct analysis_level *level = &analysis->levels[k];

		if (!level->nested || level->kind == ANALYSIS_CLASS)
			continue;
		levels[n] =
			(struct placement_level){level->group, level->n_groups};
		from[n++] = level;
	}
	return n;
}

struct row_order {
	size_t row;
	size_t part; /* sort key before `first` */
	size_t first, second;
};

static int compare_row_order(const void *a, const void *b)
{
	const struct row_order *x = a, *y = b;

	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	if (x->second != y->second)
		return x->second < y->second ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

/*
 * Fill rank[n] with the rank of each row within its group of the chosen level.
 * At each inner level, consecutive ranks are in different groups.
 */
static void rank_rows_in_group(const struct placement_request *request,
	struct row_order *order, size_t *rank)
{
	size_t n = request->n;

	for (size_t k = 0; k <= request->level; k++) {
		size_t at = 0;

		for (size_t i = 0; i < n; i++)
			order[i] = (struct row_order){
				.row = i,
				.part = request->levels[k].group[i],
				.first = rank[i],
				.second =
					k ? request->levels[k - 1].group[i] : 0,
			};
		qsort(order, n, sizeof(*order), compare_row_order);
		for (size_t i = 0; i < n; i++) {
			if (i > 0 && order[i].part != order[i - 1].part)
				at = 0;
			rank[order[i].row] = at++;
		}
	}
}

/*
 * Fill place[n] with the position of each row's group at the chosen level. The
 * groups of an outer group are adjacent.
 */
static void place_groups_in_line(const struct placement_request *request,
	size_t *place, struct arena *arena)
{
	const uint32_t *group = request->levels[request->level].group;
	size_t *rows = arena_alloc(arena, request->n, sizeof(*rows)), at = 0;

	for (size_t i = 0; i < request->n; i++)
		rows[i] = i;
	placement_sort_nested(request, rows, request->n);
	for (size_t i = 0; i < request->n; i++) {
		at += i > 0 && group[rows[i]] != group[rows[i - 1]];
		place[rows[i]] = at;
	}
}

/* Return the first group of level k with room for all threads, or n_groups. */
static size_t find_group_with_room(const struct placement_request *request,
	const size_t *rank, size_t k, struct arena *arena)
{
	const struct placement_level *level = &request->levels[k];
	size_t *room = arena_alloc(arena, level->n_groups, sizeof(*room));
	size_t g = 0;

	/* Spread uses one row of each group of the level, with rank 0. */
	for (size_t i = 0; i < request->n; i++)
		room[level->group[i]] += !request->spread || rank[i] == 0;
	while (g < level->n_groups && room[g] < request->threads)
		g++;
	return g;
}

/* Move the innermost group with room for all threads to the front. */
static void prefer_group_with_room(const struct placement_request *request,
	const size_t *rank, struct row_order *order, struct arena *arena)
{
	for (size_t k = request->level; k < request->n_levels; k++) {
		const struct placement_level *level = &request->levels[k];
		size_t g = find_group_with_room(request, rank, k, arena);

		if (g == level->n_groups)
			continue;
		for (size_t i = 0; i < request->n; i++)
			order[i].part = level->group[order[i].row] != g;
		return;
	}
}

size_t *placement_find(
	const struct placement_request *request, struct arena *arena)
{
	size_t n = request->n;
	size_t *rows = arena_alloc(arena, request->threads, sizeof(*rows));
	struct row_order *order = arena_alloc(arena, n, sizeof(*order));
	size_t *rank = arena_alloc(arena, n, sizeof(*rank));
	size_t *place = arena_alloc(arena, n, sizeof(*place));

	if (request->n_levels > 0) {
		rank_rows_in_group(request, order, rank);
		place_groups_in_line(request, place, arena);
	}
	for (size_t i = 0; i < n; i++)
		order[i] = (struct row_order){
			.row = i,
			.first = request->spread ? rank[i] : place[i],
			.second = request->spread ? place[i] : rank[i],
		};
	prefer_group_with_room(request, rank, order, arena);
	qsort(order, n, sizeof(*order), compare_row_order);
	for (size_t i = 0; i < request->threads; i++)
		rows[i] = order[i].row;
	return rows;
}

struct nearest_choice {
	const double *values; /* [n * n] */
	size_t n;
	bool near_is_high;
	const uint32_t *core; /* see placement_nearest() */
	double *total;	      /* [n] total cost to chosen CPUs */
	bool *taken;	      /* [n] on the core of a chosen CPU, or chosen */
};

/* Return the cost of a pair; INFINITY if unknown. */
static double cost_between(
	const struct nearest_choice *choice, size_t i, size_t j)
{
	double value = nearest_pair_value(choice->values, choice->n, i, j);

	if (isnan(value))
		return INFINITY;
	return choice->near_is_high ? 1 / value : value;
}

/* Return one CPU of the nearest pair. */
static size_t find_nearest_start(const struct nearest_choice *choice)
{
	double least = INFINITY;
	size_t first = 0, n = choice->n;

	for (size_t k = 0; k < n * n; k++) {
		size_t i = k / n, j = k % n;
		double cost;

		if (j <= i ||
			(choice->core && choice->core[i] == choice->core[j]))
			continue;
		cost = cost_between(choice, i, j);
		if (cost < least) {
			least = cost;
			first = i;
		}
	}
	return first;
}

/* Take a CPU. Return the CPU nearest to all chosen CPUs, or n. */
static size_t take_nearest(struct nearest_choice *choice, size_t last)
{
	const uint32_t *core = choice->core;
	size_t n = choice->n, next = n;

	for (size_t i = 0; i < n; i++)
		choice->taken[i] |= core ? core[i] == core[last] : i == last;
	for (size_t i = 0; i < n; i++) {
		if (choice->taken[i])
			continue;
		choice->total[i] += cost_between(choice, last, i);
		if (next == n || choice->total[i] < choice->total[next])
			next = i;
	}
	return next;
}

size_t *placement_nearest(const double *values, size_t n, bool near_is_high,
	const uint32_t *core, size_t threads, struct arena *arena)
{
	struct nearest_choice choice = {
		.values = values,
		.n = n,
		.near_is_high = near_is_high,
		.core = core,
		.total = arena_alloc(arena, n, sizeof(double)),
		.taken = arena_alloc(arena, n, sizeof(bool)),
	};
	size_t *rows = arena_alloc(arena, threads, sizeof(*rows));
	bool *chosen = arena_alloc(arena, n, sizeof(*chosen));
	size_t next = find_nearest_start(&choice), used = 0;

	for (size_t t = 0; t < threads; t++) {
		if (next == n)
			return NULL;
		chosen[next] = true;
		next = take_nearest(&choice, next);
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

void placement_sort_nested(
	const struct placement_request *request, size_t *rows, size_t n)
{
	qsort_r(rows, n, sizeof(*rows), compare_nested, (void *)request);
}

/*
 * Return the end of the consecutive rows from i on in one group of level k. If
 * level k does not exist, return the number of rows.
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

/* Return the greatest common divisor; neither number is 0. */
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
 * Return the greatest common divisor of run lengths, and whether they differ.
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

static void find_shape_sizes(const struct placement_request *request,
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
		.cells = arena_alloc(
			arena, request->threads + 1, sizeof(*shape->cells))};
	for (size_t i = 0; i < request->threads;
		i = run_end(request, rows, parts->cell, i))
		shape->cells[shape->n_cells++] = i;
	shape->cells[shape->n_cells] = request->threads;
	find_shape_sizes(request, rows, parts, shape);
}

/* Append the values between groups g and h in both directions. */
static size_t take_group_pair_values(const struct placement_guest *guest,
	const struct group_members *g, const struct group_members *h,
	double *values, size_t used)
{
	size_t n = guest->request->n;

	for (size_t a = 0; a < g->n; a++) {
		for (size_t b = 0; b < h->n; b++) {
			size_t i = g->unit[a], j = h->unit[b];
			double forth = guest->values[i * n + j];
			double back = guest->values[j * n + i];

			/* Within a group the loop visits each pair twice. */
			if (i != j && !isnan(forth))
				values[used++] = forth;
			if (g != h && !isnan(back))
				values[used++] = back;
		}
	}
	return used;
}

/* Return a distance as in the ACPI SLIT; 0 if a median is unknown. */
static uint8_t slit_distance(double inside, double between, bool near_is_high)
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
	const struct group_members *groups =
		partition_members(&partition, arena);
	size_t n = guest->shape->n_cells, used = 0;
	uint8_t *distances = arena_alloc(arena, n * n, sizeof(*distances));
	double *values = arena_alloc(
		arena, partition.n_units * partition.n_units, sizeof(*values));
	double inside;
	bool known = true;

	for (size_t g = 0; g < level->n_groups; g++)
		used = take_group_pair_values(
			guest, &groups[g], &groups[g], values, used);
	inside = stat_median(values, used);
	for (size_t k = 0; k < n * n; k++) {
		size_t c = k / n, d = k % n;
		const size_t *rows = guest->rows, *cells = guest->shape->cells;
		uint8_t distance = PLACEMENT_DISTANCE_OWN;

		if (d > c)
			continue;
		if (d < c) {
			used = take_group_pair_values(guest,
				&groups[level->group[rows[cells[c]]]],
				&groups[level->group[rows[cells[d]]]], values,
				0);
			distance = slit_distance(inside,
				stat_median(values, used), guest->near_is_high);
		}
		distances[k] = distances[d * n + c] = distance;
		known &= distance > 0;
	}
	return known ? distances : NULL;
}
