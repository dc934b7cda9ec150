/*
 * Computes the evidence for a level, and tests its margin.
 *
 * The model: the log of a cell is row[u] + row[v] plus noise, minus the gain if
 * u and v are in one group. Rows are fitted with a ridge penalty, so rows with
 * few cells stay near 0. The residuals of the cells (in the view) are regressed
 * on the residuals of the indicator "u and v are in one group" (Frisch, Waugh
 * and Lovell). The slope is the gain, and t is the gain / its standard
 * deviation. With unknown noise, the log of the likelihood ratio of the models
 * with and without the gain is
 *
 * 	(freedom + 1) / 2 log(1 + t^2 / freedom)
 *
 * nats. Penalties for multiple choice are subtracted: the log of the number of
 * partitions of the units into groups of these sizes, the log of the number of
 * sizes, and a penalty for each pair that noise must have split.
 *
 * Stray cells: after rows are subtracted, most of the near cells must be inside
 * groups. Near cells are as near as a typical cell inside. Rings and threads
 * that moved violate this rule.
 *
 * The margin: the cells inside each group must be lower than the cells to the
 * nearest other group by more than noise. Noise is the median difference
 * between a cell and the mean of its block, after rows are subtracted, so other
 * levels and spikes do not count as noise.
 */
#include "analyze/levels/level_test.h"

#include "stat/stat.h"

/* Standard deviation of a value rounded to steps of 1: 1 / sqrt(12). */
#define STEP_SIGMA 0.2887

/* Rows fitted to the indicator "both are in one group", and the residuals. */
struct same_fit {
	double *row;	/* [units] */
	double inside;	/* sum of cost residuals over cells inside groups */
	double squares; /* sum of squares of the indicator's residuals */
	double product; /* sum of products of both residuals */
};

/* Return the sum of (row[u] + row[v])^2 over the cells of a family. */
static double sum_row_squares(
	const struct unit_view *view, size_t f, const double *row)
{
	const struct group_members *family = &view->members[f];
	double sum = 0, squares = 0, missing = 0;

	for (size_t a = 0; a < family->n; a++) {
		size_t u = family->unit[a];

		sum += row[u];
		squares += row[u] * row[u];
		/* Each missing cell is in the lists of both units. */
		for (size_t k = 0; k < view->missing[u].n; k++) {
			double two = row[u] + row[view->missing[u].unit[k]];

			missing += two * two / 2;
		}
	}
	return squares * ((double)family->n - 2) + sum * sum - missing;
}

static void fit_same(const struct level_subject *subject, double ridge,
	struct same_fit *same, double *sums)
{
	const struct unit_view *view = subject->view;

	for (size_t g = 0; g < subject->groups.n_groups; g++) {
		const struct group_members *group = &subject->members[g];

		for (size_t a = 0; a < group->n; a++)
			for (size_t b = 0; b < group->n; b++)
				sums[group->unit[a]] += !isnan(level_view_log(
					view, group->unit[a], group->unit[b]));
	}
	level_view_fit_rows(view, sums, ridge, same->row);
	for (size_t g = 0; g < subject->groups.n_groups; g++) {
		const struct group_members *group = &subject->members[g];

		for (size_t a = 0; a < group->n; a++)
			for (size_t b = 0; b < a; b++) {
				size_t u = group->unit[a], v = group->unit[b];
				double rest = level_view_rest(view, u, v);

				if (isnan(rest))
					continue;
				same->product += rest;
				same->squares +=
					1 - 2 * (same->row[u] + same->row[v]);
			}
	}
	for (size_t f = 0; f < view->families.n_groups; f++)
		same->squares += sum_row_squares(view, f, same->row);
	for (size_t u = 0; u < view->units->n; u++)
		same->product -= same->row[u] * view->rests[u];
}

/* Return the log of k!. */
static double log_factorial(double k)
{
	return lgamma(k + 1);
}

static double count_exchanges(const struct level_subject *subject,
	const struct group_members *family, uint32_t *of_size)
{
	const uint32_t *group = subject->groups.group;
	double exchanges = 0;

	for (size_t a = 0; a < family->n; a++) {
		const struct group_members *own =
			&subject->members[group[family->unit[a]]];

		/* Count each group at its first unit. */
		if (own->unit[0] == family->unit[a])
			exchanges += log(++of_size[own->n]);
	}
	for (size_t a = 0; a < family->n; a++)
		of_size[subject->members[group[family->unit[a]]].n] = 0;
	return exchanges;
}

/* Return log(number of partitions of these sizes * shapes). */
static double count_shapes(
	const struct level_subject *subject, struct arena *arena)
{
	const struct unit_view *view = subject->view;
	size_t n_groups = subject->groups.n_groups, most = 0;
	uint32_t *of_size =
		arena_alloc(arena, view->units->n + 1, sizeof(*of_size));
	double shapes = 0;

	for (size_t f = 0; f < view->families.n_groups; f++)
		shapes += log_factorial((double)view->members[f].n) -
			  count_exchanges(subject, &view->members[f], of_size);
	for (size_t g = 0; g < n_groups; g++) {
		size_t size = subject->members[g].n;

		shapes -= log_factorial((double)size);
		if (++of_size[size] > most)
			most = of_size[size];
	}
	/* Choose which groups have another size than the commonest. */
	if (most < n_groups)
		shapes += log_factorial((double)n_groups) -
			  log_factorial((double)most) -
			  log_factorial((double)(n_groups - most)) +
			  log((double)n_groups);
	return shapes;
}

struct block_noise {
	float *deviations;
	size_t n, stride, skip;
	double cells, blocks; /* cells and blocks, except single cells */
	double *sum;	      /* [groups] sums of cells to each group */
	uint32_t *known;      /* [groups] their number */
};

/* Add the deviations of a group's cells from their block means. */
static void add_block_deviations(const struct level_subject *subject, size_t g,
	struct block_noise *noise)
{
	const struct unit_view *view = subject->view;
	const struct group_members *group = &subject->members[g];
	const struct group_members *family =
		&view->members[view->families.group[group->unit[0]]];
	const uint32_t *of = subject->groups.group;

	for (size_t h = g + 1; h < subject->groups.n_groups; h++)
		noise->sum[h] = noise->known[h] = 0;
	for (size_t a = 0; a < group->n; a++)
		for (size_t b = 0; b < family->n; b++) {
			size_t v = family->unit[b];
			double rest = level_view_rest(view, group->unit[a], v);
			bool known = !isnan(rest);

			noise->sum[of[v]] += known ? rest : 0;
			noise->known[of[v]] += known;
		}
	for (size_t h = g + 1; h < subject->groups.n_groups; h++) {
		noise->cells += noise->known[h] > 1 ? noise->known[h] : 0;
		noise->blocks += noise->known[h] > 1;
		noise->sum[h] /= noise->known[h];
	}
	for (size_t a = 0; a < group->n; a++) {
		size_t b = noise->skip;

		for (; b < family->n; b += noise->stride) {
			size_t v = family->unit[b], h = of[v];
			double rest = level_view_rest(view, group->unit[a], v);

			if (h > g && noise->known[h] > 1 && !isnan(rest))
				noise->deviations[noise->n++] =
					(float)fabs(rest - noise->sum[h]);
		}
		noise->skip = b - family->n;
	}
}

/* Return the noise of cells in blocks; NaN if each block has one cell. */
static double find_noise(const struct level_subject *subject,
	const struct level_constants *constants, struct arena *arena)
{
	const struct unit_view *view = subject->view;
	size_t n = view->units->n, half = n * (n - 1) / 2;
	size_t n_groups = subject->groups.n_groups;
	struct block_noise noise = {
		.stride = half / (size_t)constants->sample + 1,
		.sum = arena_alloc(arena, n_groups, sizeof(double)),
		.known = arena_alloc(arena, n_groups, sizeof(uint32_t))};

	noise.deviations = arena_alloc(arena, half, sizeof(*noise.deviations));
	for (size_t g = 0; g < n_groups; g++)
		add_block_deviations(subject, g, &noise);
	/* Each block mean takes one degree of freedom. */
	return STAT_MAD_TO_SIGMA *
	       (double)median_of_floats(noise.deviations, noise.n) *
	       sqrt(noise.cells / (noise.cells - noise.blocks));
}

struct cell_counts {
	float *inside;
	size_t n;     /* cells inside */
	double near;  /* median cell inside, plus slack */
	size_t stray; /* cells between groups, at most `near` */
};

/* Count the cells that contradict the level, after rows are subtracted. */
static void count_misplaced_cells(const struct level_subject *subject,
	double slack, struct cell_counts *counts, struct arena *arena)
{
	const struct unit_view *view = subject->view;
	size_t n_groups = subject->groups.n_groups, room = 0;
	const uint32_t *of = subject->groups.group;
	const uint32_t *family = view->families.group;
	float near;

	*counts = (struct cell_counts){0};
	for (size_t g = 0; g < n_groups; g++)
		room += subject->members[g].n * (subject->members[g].n - 1) / 2;
	/* The slack is the standard error of the median. */
	slack = slack / sqrt(fmax(1, (double)room));
	counts->inside = arena_alloc(arena, room + 1, sizeof(float));
	for (size_t g = 0; g < n_groups; g++) {
		const struct group_members *group = &subject->members[g];

		for (size_t a = 0; a < group->n; a++)
			for (size_t b = 0; b < a; b++)
				append_known(counts->inside, &counts->n,
					(float)level_view_rest(view,
						group->unit[a],
						group->unit[b]));
	}
	counts->near =
		(double)median_of_floats(counts->inside, counts->n) + slack;
	counts->n = 0;
	for (size_t g = 0; g < n_groups; g++) {
		const struct group_members *group = &subject->members[g];

		for (size_t a = 0; a < group->n; a++)
			for (size_t b = 0; b < a; b++)
				append_known(counts->inside, &counts->n,
					level_view_log(view, group->unit[a],
						group->unit[b]));
	}
	near = median_of_floats(counts->inside, counts->n) + (float)slack;
	for (size_t u = 0; u < view->units->n; u++)
		for (size_t v = 0; v < u; v++) {
			if (of[u] == of[v])
				continue;
			/* Only cells of one family share a row fit. */
			counts->stray +=
				family[u] == family[v]
					? level_view_rest(view, u, v) <=
						  counts->near
					: level_view_log(view, u, v) <= near;
		}
}

static const char *judge_cells(const struct level_subject *subject,
	const struct level_constants *constants, struct level_test *test,
	struct arena *arena)
{
	struct cell_counts counts;

	count_misplaced_cells(
		subject, constants->sigmas * test->noise, &counts, arena);
	test->stray = (double)counts.stray / (double)counts.n;
	if (test->stray > constants->odd_share)
		return "as many near cells are between groups as inside";
	return NULL;
}

/* Return the noise between single units, which may hide a group of them. */
static double find_hidden_noise(
	const struct level_subject *subject, struct arena *arena)
{
	const struct unit_view *view = subject->view;
	double most = 0;

	for (size_t f = 0; f < view->families.n_groups; f++) {
		const struct group_members *family = &view->members[f];
		float *rests = arena_alloc(
			arena, family->n * family->n, sizeof(*rests));
		size_t n = 0;
		float middle;

		for (size_t a = 0; a < family->n; a++)
			for (size_t b = 0; b < a; b++) {
				size_t u = family->unit[a];
				size_t v = family->unit[b];

				if (subject->members[subject->groups.group[u]]
							.n == 1 &&
					subject->members[subject->groups
								 .group[v]]
							.n == 1)
					append_known(rests, &n,
						(float)level_view_rest(
							view, u, v));
			}
		if (n == 0)
			continue;
		middle = median_of_floats(rests, n);
		for (size_t k = 0; k < n; k++)
			rests[k] = fabsf(rests[k] - middle);
		most = fmax(most,
			STAT_MAD_TO_SIGMA * (double)median_of_floats(rests, n));
	}
	return most;
}

/* Whether the margin of a group exceeds noise and a clock step. */
static bool has_margin(const struct level_subject *subject,
	const struct level_constants *constants, const struct level_test *test,
	size_t g)
{
	double step = (double)subject->view->units->costs->step;
	double noise = test->noise / sqrt((double)test->cells[g]);
	double margin = test->outside[g] - test->inside[g];

	/* Clock steps add noise, but do not make groups of equal size. */
	if (subject->equal && step > 0)
		return true;
	if (step > 0 && !test->by_rests)
		noise = fmax(noise, STEP_SIGMA * step / exp(test->inside[g]));
	return margin - constants->sigmas * noise >= constants->least_margin;
}

void evidence_test(const struct level_subject *subject,
	const struct level_constants *constants, struct level_test *test,
	struct arena *arena)
{
	const struct arena_block *mark = arena->last;
	const struct unit_view *view = subject->view;
	size_t n = view->units->n, thin = 0;
	struct same_fit same = {
		.row = arena_alloc(arena, n, sizeof(*same.row))};
	double freedom, rest, variance, t;

	fit_same(subject, constants->ridge, &same,
		arena_alloc(arena, n, sizeof(double)));
	test->gain = same.squares > 1e-6 ? -same.product / same.squares : 0;
	if (test->gain > 0) {
		freedom = fmax(
			1, view->cells - 1 -
				   view->rows *
					   (view->cells /
						   (view->cells + view->rows)));
		rest = fmax(0,
			view->squares - test->gain * test->gain * same.squares);
		variance = rest / freedom +
			   constants->noise_floor * constants->noise_floor;
		t = test->gain * sqrt(same.squares / variance);
		test->nats = (freedom + 1) / 2 * log(1 + t * t / freedom) -
			     count_shapes(subject, arena) -
			     constants->torn_cost * (double)test->torn -
			     (test->alone > 1 ? constants->alone_evidence : 0);
		/* The group may be the home node: prefer another level. */
		if (test->joining == 1 && view->units->unit_of)
			test->nats =
				fmin(test->nats, constants->least_evidence);
		test->noise = find_noise(subject, constants, arena);
		if (isnan(test->noise))
			test->noise = sqrt(variance);
		test->noise = fmax(test->noise, constants->noise_floor);
	}
	for (size_t g = 0; g < subject->groups.n_groups; g++)
		if (!isnan(test->inside[g]) && !isnan(test->outside[g]))
			thin += !has_margin(subject, constants, test, g);
	if (test->joining == 1 && test->gain < constants->one_margin)
		test->fails = "row offsets explain the only group";
	else if (!(test->gain > 0) ||
		 !(test->nats >= constants->least_evidence))
		test->fails = "too little evidence";
	else if ((double)thin > constants->odd_share * (double)test->judged)
		test->fails = "the margin of a group does not exceed noise";
	else
		test->fails = judge_cells(subject, constants, test, arena);
	if (!test->fails && test->alone > 1)
		test->hidden = find_hidden_noise(subject, arena);
	arena_rewind(arena, mark);
}
