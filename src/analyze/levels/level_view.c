/*
 * Fits row offsets. In a family of k units without missing cells, the row of
 * unit u is half the mean of all cells plus
 *
 * 	(sum of its cells - (k - 1) mean) / (k - 2 + ridge),
 *
 * because the rows add up to 0. If cells are missing, the fit iterates
 * (Gauss-Seidel).
 */
#include "analyze/levels/level_view.h"

#include <float.h>

#define FIT_PASSES    30
#define LITTLE_CHANGE 1e-6

void level_units_init(struct level_units *units,
	const struct cost_matrix *matrix, const struct partition *finer,
	const struct level_constants *constants, struct arena *arena)
{
	struct cost_matrix *small;
	float *log, *scratch, least;
	size_t n;

	*units = (struct level_units){.n = matrix->n, .costs = matrix};
	if (finer) {
		small = arena_alloc(arena, 1, sizeof(*small));
		cost_matrix_collapse(matrix, finer, small, arena);
		*units = (struct level_units){
			.n = small->n, .unit_of = finer->group, .costs = small};
	}
	n = units->n;
	units->log = log = arena_alloc(arena, n * n, sizeof(*log));
	/* log[] is scratch memory for the median until it is filled. */
	scratch = log;
	least = matrix->step > 0
			? matrix->step / 2
			: (float)constants->noise_floor *
				  cost_matrix_median(units->costs, scratch);
	least = fmaxf(least, FLT_MIN);
	for (size_t k = 0; k < n * n; k++)
		log[k] = isnan(units->costs->cost[k])
				 ? NAN
				 : logf(fmaxf(units->costs->cost[k], least));
}

struct partition level_view_partition(const struct unit_view *view,
	const struct partition *cpus, struct arena *arena)
{
	const uint32_t *unit_of = view->units->unit_of;
	struct partition own;

	partition_init(&own, view->units->n, arena);
	for (size_t i = 0; i < cpus->n_units; i++)
		own.group[unit_of ? unit_of[i] : i] = cpus->group[i];
	partition_number(&own, arena);
	return own;
}

/* Fit the rows of a family with missing cells iteratively, from 0. */
static void fit_holed_family(const struct unit_view *view,
	const struct group_members *family, const double *sums, double mean,
	double ridge, double *row)
{
	for (size_t a = 0; a < family->n; a++)
		row[family->unit[a]] = 0;
	for (int pass = 0; pass < FIT_PASSES; pass++) {
		double change = 0, all = 0;

		for (size_t a = 0; a < family->n; a++)
			all += row[family->unit[a]];
		for (size_t a = 0; a < family->n; a++) {
			size_t u = family->unit[a];
			const struct group_members *missing = &view->missing[u];
			double rest = sums[u] - view->known[u] * mean -
				      (all - row[u]);

			for (size_t b = 0; b < missing->n; b++)
				rest += row[missing->unit[b]];
			rest /= view->known[u] + ridge;
			change += fabs(rest - row[u]);
			all += rest - row[u];
			row[u] = rest;
		}
		if (change < LITTLE_CHANGE * (double)family->n)
			break;
	}
}

void level_view_fit_rows(const struct unit_view *view, const double *sums,
	double ridge, double *row)
{
	for (size_t f = 0; f < view->families.n_groups; f++) {
		const struct group_members *family = &view->members[f];
		double sum = 0, cells = 0, mean;

		for (size_t a = 0; a < family->n; a++) {
			sum += sums[family->unit[a]];
			cells += view->known[family->unit[a]];
		}
		mean = cells > 0 ? sum / cells : 0;
		if (view->holes[f])
			fit_holed_family(view, family, sums, mean, ridge, row);
		for (size_t a = 0; a < family->n; a++) {
			size_t u = family->unit[a];

			if (!view->holes[f])
				row[u] = (sums[u] - view->known[u] * mean) /
					 fmax((double)family->n - 2 + ridge, 1);
			row[u] += mean / 2;
		}
	}
}

/* Count the cells of a unit, and find its two nearest units. */
static void look_at_row(struct unit_view *view, size_t u, double *sum)
{
	const struct group_members *family =
		&view->members[view->families.group[u]];

	view->nearest[u] = UINT32_MAX;
	view->near[u] = view->next[u] = INFINITY;
	*sum = 0;
	for (size_t b = 0; b < family->n; b++) {
		size_t v = family->unit[b];
		float cell = level_view_log(view, u, v);

		if (isnan(cell))
			continue;
		view->known[u]++;
		*sum += (double)cell;
		if (cell < view->near[u]) {
			view->next[u] = view->near[u];
			view->near[u] = cell;
			view->nearest[u] = (uint32_t)v;
		} else if (cell < view->next[u]) {
			view->next[u] = cell;
		}
	}
}

/* List the units in the family of u whose cell to u is missing. */
static void list_missing(struct unit_view *view, size_t u, struct arena *arena)
{
	size_t f = view->families.group[u];
	const struct group_members *family = &view->members[f];
	struct group_members *missing = &view->missing[u];

	if (view->known[u] + 1 == family->n)
		return;
	view->holes[f] = true;
	missing->unit = arena_alloc(
		arena, family->n - 1 - view->known[u], sizeof(*missing->unit));
	for (size_t b = 0; b < family->n; b++) {
		size_t v = family->unit[b];

		if (v != u && isnan(level_view_log(view, u, v)))
			missing->unit[missing->n++] = (uint32_t)v;
	}
}

/* Sum the residuals of cells by row, and their squares. */
static void sum_rests(struct unit_view *view)
{
	for (size_t u = 0; u < view->units->n; u++) {
		const struct group_members *family =
			&view->members[view->families.group[u]];

		for (size_t b = 0; b < family->n; b++) {
			size_t v = family->unit[b];
			double rest = level_view_rest(view, u, v);

			if (isnan(rest))
				continue;
			view->rests[u] += rest;
			view->squares += rest * rest / 2;
		}
	}
}

void level_view_init(struct unit_view *view, const struct level_units *units,
	const struct partition *coarser,
	const struct level_constants *constants, struct arena *arena)
{
	size_t n = units->n;
	double *sums = arena_alloc(arena, n, sizeof(*sums));

	*view = (struct unit_view){.units = units};
	partition_init(&view->families, n, arena);
	if (coarser)
		view->families = level_view_partition(view, coarser, arena);
	view->members = partition_members(&view->families, arena);
	view->holes = arena_alloc(
		arena, view->families.n_groups, sizeof(*view->holes));
	view->missing = arena_alloc(arena, n, sizeof(*view->missing));
	view->known = arena_alloc(arena, n, sizeof(*view->known));
	view->row = arena_alloc(arena, n, sizeof(*view->row));
	view->rests = arena_alloc(arena, n, sizeof(*view->rests));
	view->nearest = arena_alloc(arena, n, sizeof(*view->nearest));
	view->near = arena_alloc(arena, n, sizeof(*view->near));
	view->next = arena_alloc(arena, n, sizeof(*view->next));
	for (size_t u = 0; u < n; u++) {
		double known;

		look_at_row(view, u, &sums[u]);
		list_missing(view, u, arena);
		known = view->known[u];
		view->cells += known / 2;
		view->rows +=
			known > 0 ? known / (known + constants->ridge) : 0;
	}
	level_view_fit_rows(view, sums, constants->ridge, view->row);
	sum_rests(view);
}
