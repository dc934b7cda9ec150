/*
 * Placing threads by measured groups. Each row has a rank within its group of
 * the chosen level, dealt over the levels inside it; to pack is to sort by
 * (group, rank), to spread is to sort by (rank, group), with the groups in an
 * order that keeps near ones together.
 */
#include "analyze/placement.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/square.h"
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

static void sort_seats(struct seat *seats, size_t n)
{
	if (n > 0)
		qsort(seats, n, sizeof(*seats), compare_seats);
}

/* Where the rows of seats, sorted, stand within their part: rank[n]. */
static void number_seats(const struct seat *seats, size_t n, size_t *rank)
{
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		if (i > 0 && seats[i].part != seats[i - 1].part)
			at = 0;
		rank[seats[i].row] = at++;
	}
}

/*
 * rank[n] of every row within its group of the chosen level: at each level
 * from inside, the groups within a group take turns.
 */
static void deal(const struct placement_request *request, struct seat *seats,
	size_t *rank)
{
	size_t n = request->n;

	memset(rank, 0, n * sizeof(*rank));
	for (size_t k = 0; k <= request->level; k++) {
		for (size_t i = 0; i < n; i++)
			seats[i] = (struct seat){
				.row = i,
				.part = request->levels[k].group[i],
				.first = rank[i],
				.second =
					k ? request->levels[k - 1].group[i] : 0,
			};
		sort_seats(seats, n);
		number_seats(seats, n, rank);
	}
}

/*
 * place[n] of every row's group of the chosen level among all of them, the
 * groups of each outer group side by side.
 */
static void line_up(const struct placement_request *request, struct seat *seats,
	size_t *place)
{
	size_t n = request->n;

	memset(place, 0, n * sizeof(*place));
	for (size_t k = request->n_levels; k-- > request->level;) {
		const uint32_t *group = request->levels[k].group;
		size_t at = 0;

		for (size_t i = 0; i < n; i++)
			seats[i] = (struct seat){
				.row = i, .part = place[i], .first = group[i]};
		sort_seats(seats, n);
		for (size_t i = 0; i < n; i++) {
			if (i > 0 &&
				(seats[i].part != seats[i - 1].part ||
					seats[i].first != seats[i - 1].first))
				at++;
			place[seats[i].row] = at;
		}
	}
}

/* How many seats group g of level k has: rows, or groups when spreading. */
static size_t room_in(const struct placement_request *request,
	const size_t *rank, size_t k, size_t g)
{
	size_t room = 0;

	for (size_t i = 0; i < request->n; i++) {
		/* Each group of the level has one row of rank 0. */
		if (request->levels[k].group[i] == g &&
			(!request->spread || rank[i] == 0))
			room++;
	}
	return room;
}

/* The first group of level k with room for all threads, or n_groups. */
static size_t find_room(
	const struct placement_request *request, const size_t *rank, size_t k)
{
	size_t g = 0;

	while (g < request->levels[k].n_groups &&
		room_in(request, rank, k, g) < request->threads)
		g++;
	return g;
}

/* Move the rows of the innermost group that has room for all to the front. */
static void prefer_room(const struct placement_request *request,
	const size_t *rank, struct seat *seats)
{
	for (size_t k = request->level; k < request->n_levels; k++) {
		const struct placement_level *level = &request->levels[k];
		size_t g = find_room(request, rank, k);

		if (g == level->n_groups)
			continue;
		for (size_t i = 0; i < request->n; i++)
			seats[i].part = level->group[seats[i].row] != g;
		return;
	}
}

struct search {
	const struct placement_request *request;
	size_t *rows;
};

static void seat_threads(struct arena *arena, void *context)
{
	const struct search *search = context;
	const struct placement_request *request = search->request;
	size_t n = request->n;
	struct seat *seats = arena_take(arena, n, sizeof(*seats));
	size_t *rank = arena_take(arena, n, sizeof(*rank));
	size_t *place = arena_take(arena, n, sizeof(*place));

	if (request->n_levels > 0) {
		deal(request, seats, rank);
		line_up(request, seats, place);
	}
	for (size_t i = 0; i < n; i++)
		seats[i] = (struct seat){
			.row = i,
			.first = request->spread ? rank[i] : place[i],
			.second = request->spread ? place[i] : rank[i],
		};
	prefer_room(request, rank, seats);
	sort_seats(seats, n);
	for (size_t i = 0; i < request->threads; i++)
		search->rows[i] = seats[i].row;
}

int placement_find(const struct placement_request *request, size_t *rows,
	struct error *err)
{
	struct search search = {request, rows};
	struct arena arena = {0};
	bool found = arena_try(&arena, seat_threads, &search);

	arena_release(&arena);
	return found ? 0 : error_no_memory(err, "a placement");
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
	if (n > 0)
		qsort_r(rows, n, sizeof(*rows), compare_nested,
			(void *)request);
}

/*
 * Where the run of rows in one group of level k that begins at i ends; of no
 * level all are one.
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

/* Of two lengths that are not 0. */
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
 * The greatest length that runs of level k are multiples of, and whether some
 * are longer.
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

int placement_shape_find(const struct placement_request *request,
	const size_t *rows, const struct placement_parts *parts,
	struct placement_shape *shape, struct error *err)
{
	memset(shape, 0, sizeof(*shape));
	shape->cells = calloc(request->threads + 1, sizeof(*shape->cells));
	if (!shape->cells)
		return error_no_memory(err, "a guest's nodes");
	for (size_t i = 0; i < request->threads;
		i = run_end(request, rows, parts->cell, i))
		shape->cells[shape->n_cells++] = i;
	shape->cells[shape->n_cells] = request->threads;
	find_sizes(request, rows, parts, shape);
	return 0;
}

void placement_shape_release(struct placement_shape *shape)
{
	free(shape->cells);
	memset(shape, 0, sizeof(*shape));
}

/* What was measured, its rows by the groups of the level. */
struct measured {
	const struct placement_guest *guest;
	const struct members *groups;
	double *scratch; /* [n * n] */
	uint8_t *distances;
	bool known; /* all of them */
};

/* Append the pairs of groups g and h, either way, to scratch[used]. */
static size_t take_pairs(
	struct measured *measured, size_t g, size_t h, size_t used)
{
	const struct members *here = &measured->groups[g];
	const struct members *there = &measured->groups[h];
	const double *values = measured->guest->values;
	size_t n = measured->guest->request->n;

	for (size_t a = 0; a < here->n; a++) {
		for (size_t b = 0; b < there->n; b++) {
			size_t i = here->unit[a], j = there->unit[b];
			double forth = values[i * n + j];
			double back = values[j * n + i];

			/* Within a group each pair comes by twice. */
			if (i != j && !isnan(forth))
				measured->scratch[used++] = forth;
			if (g != h && !isnan(back))
				measured->scratch[used++] = back;
		}
	}
	return used;
}

static double median_between(struct measured *measured, size_t g, size_t h)
{
	return stat_median(measured->scratch, take_pairs(measured, g, h, 0));
}

static double median_inside(struct measured *measured, size_t n_groups)
{
	size_t used = 0;

	for (size_t g = 0; g < n_groups; g++)
		used = take_pairs(measured, g, g, used);
	return stat_median(measured->scratch, used);
}

/* 0 when either median is none. */
static uint8_t distance_of(double inside, double between, bool higher_is_better)
{
	double ratio = higher_is_better ? inside / between : between / inside;
	double distance = round(ratio * PLACEMENT_DISTANCE_OWN);

	/* Comparisons with a NaN are false. */
	if (!(inside > 0) || !(between > 0))
		return 0;
	distance = fmax(distance, PLACEMENT_DISTANCE_LEAST);
	return (uint8_t)fmin(distance, PLACEMENT_DISTANCE_MOST);
}

static void find_distances(struct arena *arena, void *context)
{
	struct measured *measured = context;
	const struct placement_guest *guest = measured->guest;
	const struct placement_level *level =
		&guest->request->levels[guest->parts->cell];
	const struct partition partition = {
		guest->request->n, level->n_groups, (uint32_t *)level->group};
	size_t n = guest->shape->n_cells;
	double inside;

	measured->groups = roster_new(&partition, arena);
	measured->scratch = arena_take(
		arena, partition.n_units * partition.n_units, sizeof(double));
	measured->known = true;
	inside = median_inside(measured, level->n_groups);
	for (size_t c = 0; c < n; c++) {
		size_t g = level->group[guest->rows[guest->shape->cells[c]]];

		measured->distances[c * n + c] = PLACEMENT_DISTANCE_OWN;
		for (size_t d = 0; d < c; d++) {
			size_t row = guest->rows[guest->shape->cells[d]];
			uint8_t distance = distance_of(inside,
				median_between(measured, g, level->group[row]),
				guest->higher_is_better);

			measured->distances[c * n + d] = distance;
			measured->distances[d * n + c] = distance;
			measured->known &= distance > 0;
		}
	}
}

int placement_distances(const struct placement_guest *guest, uint8_t *distances,
	struct error *err)
{
	struct measured measured = {.guest = guest, .distances = distances};
	struct arena arena = {0};
	bool done = arena_try(&arena, find_distances, &measured);

	arena_release(&arena);
	return done ? measured.known
		    : error_no_memory(err, "the distances of nodes");
}
