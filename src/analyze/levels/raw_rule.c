/*
 * The raw rule does not subtract row offsets, because after subtraction two
 * CPUs far from all others seem near to each other.
 *
 * The cost of a group is the mean log of its inside cells. Its nearest other
 * group has the lowest mean of the cells between the two. The edge is between
 * the typical group and the nearest cells around a group. Almost all groups,
 * and almost all cells of these groups, must be below the edge, and no group
 * may cost more than nearly all cells between groups.
 *
 * If each group has many units (the halves of a GPU), the residuals of the row
 * fit may pass instead, because one half may cost more.
 *
 * A torn pair is a group of two units that noise split: each unit is single,
 * and is the nearest unit of the other by a margin. A level may have few torn
 * pairs.
 */
#include "analyze/levels/level_test.h"

struct raw_cells {
	const struct level_subject *subject;
	bool by_rests;
	size_t largest; /* units of the largest group */
	float *between; /* a sample of the cells between groups */
	size_t n_between, stride, left; /* cells until the next sample */
	double *sum; /* [groups] cells from one group to each group */
	uint32_t *cells;
	float *scratch; /* [units] */
};

/* Return the log of a cell, or its residual. */
static double raw_cell(const struct raw_cells *raw, size_t u, size_t v)
{
	return raw->by_rests ? level_view_rest(raw->subject->view, u, v)
			     : (double)level_view_log(raw->subject->view, u, v);
}

static void measure_group(
	struct raw_cells *raw, size_t g, struct level_test *test)
{
	const struct level_subject *subject = raw->subject;
	const struct unit_view *view = subject->view;
	const struct group_members *group = &subject->members[g];
	const struct group_members *family =
		&view->members[view->families.group[group->unit[0]]];
	const uint32_t *of = subject->groups.group;

	for (size_t b = 0; b < family->n; b++) {
		raw->sum[of[family->unit[b]]] = 0;
		raw->cells[of[family->unit[b]]] = 0;
	}
	for (size_t a = 0; a < group->n; a++)
		for (size_t b = 0; b < family->n; b++) {
			size_t u = group->unit[a], v = family->unit[b];
			double cell = raw_cell(raw, u, v);
			bool known = !isnan(cell);

			/* A branch at each missing cell would be slow. */
			raw->sum[of[v]] += known ? cell : 0;
			raw->cells[of[v]] += known;
			raw->left -= known & (of[v] > g);
			if (raw->left > 0)
				continue;
			raw->left = raw->stride;
			raw->between[raw->n_between++] = (float)cell;
		}
	test->cells[g] = raw->cells[g] / 2;
	test->inside[g] = raw->cells[g] > 0 ? raw->sum[g] / raw->cells[g] : NAN;
	test->outside[g] = NAN;
	for (size_t b = 0; b < family->n; b++) {
		size_t h = of[family->unit[b]];
		double mean;

		if (h == g || subject->members[h].unit[0] != family->unit[b])
			continue;
		if (raw->cells[h] == 0) {
			test->unseen |= group->n > 1 &&
					group->n + subject->members[h].n <=
						raw->largest;
			continue;
		}
		mean = raw->sum[h] / raw->cells[h];
		if (!(test->outside[g] <= mean))
			test->outside[g] = mean;
	}
}

/* Whether u is the first unit of a torn pair. */
static bool is_torn(const struct level_subject *subject,
	const struct level_test *test, size_t u, double far, double margin)
{
	const struct unit_view *view = subject->view;
	size_t v = view->nearest[u];

	return v != UINT32_MAX && v > u && view->nearest[v] == u &&
	       subject->members[subject->groups.group[u]].n == 1 &&
	       subject->members[subject->groups.group[v]].n == 1 &&
	       (double)view->near[u] < far &&
	       (double)(fminf(view->next[u], view->next[v]) - view->near[u]) >
		       margin &&
	       test->judged > 0;
}

static double find_edge(const struct level_subject *subject,
	const struct level_constants *constants, const struct level_test *test,
	float *scratch)
{
	size_t n = 0;
	double outside, inside;

	for (size_t g = 0; g < subject->groups.n_groups; g++)
		append_known(scratch, &n, (float)test->outside[g]);
	/* Ignore the cells of a few bad groups. */
	outside = (double)quantile_of_floats(scratch, n, constants->odd_share);
	n = 0;
	for (size_t g = 0; g < subject->groups.n_groups; g++)
		append_known(scratch, &n, (float)test->inside[g]);
	inside = (double)median_of_floats(scratch, n);
	return inside + constants->edge * (outside - inside);
}

/* Return the share of cells above the edge, in groups that are below it. */
static double share_beyond(
	const struct raw_cells *raw, const struct level_test *test, double edge)
{
	const struct level_subject *subject = raw->subject;
	size_t cells = 0, beyond = 0;

	for (size_t g = 0; g < subject->groups.n_groups; g++) {
		const struct group_members *group = &subject->members[g];

		if (!(test->inside[g] <= edge))
			continue;
		for (size_t a = 0; a < group->n; a++)
			for (size_t b = 0; b < a; b++) {
				double cell = raw_cell(
					raw, group->unit[a], group->unit[b]);

				cells += !isnan(cell);
				beyond += cell > edge;
			}
	}
	return cells > 0 ? (double)beyond / (double)cells : 1;
}

/* Judge whether each group is on its side of the edge. */
static const char *judge_groups(const struct raw_cells *raw,
	const struct level_constants *constants, struct level_test *test,
	double edge, double far)
{
	size_t soft = 0;

	for (size_t g = 0; g < raw->subject->groups.n_groups; g++) {
		double inside = test->inside[g];

		if (isnan(inside))
			continue;
		if (inside > far)
			return "the cells inside a group are as far as cells "
			       "between groups";
		soft += inside > edge;
	}
	if ((double)soft > constants->bad_share * (double)test->judged)
		return "too many groups are beyond the edge";
	if (share_beyond(raw, test, edge) > constants->bad_share)
		return "too many cells are beyond the edge";
	return NULL;
}

/* Judge a single group, which may be chance or units near the home node. */
static const char *judge_single_group(const struct level_subject *subject,
	const struct level_constants *constants, const struct level_test *test)
{
	double units = (double)subject->view->units->n;

	if (test->joining != 1)
		return NULL;
	if (units - (double)test->alone > constants->one_share * units ||
		test->least < constants->one_margin)
		return "a single group is not clear enough";
	return NULL;
}

static void count_groups(const struct level_subject *subject,
	const struct level_constants *constants, struct level_test *test,
	double far)
{
	test->least = INFINITY;
	for (size_t g = 0; g < subject->groups.n_groups; g++) {
		test->joining += subject->members[g].n > 1;
		test->alone += subject->members[g].n == 1;
		test->judged += !isnan(test->inside[g]);
		if (!isnan(test->inside[g]) && !isnan(test->outside[g]))
			test->least = fmin(test->least,
				test->outside[g] - test->inside[g]);
	}
	for (size_t u = 0; u < subject->view->units->n; u++)
		test->torn +=
			is_torn(subject, test, u, far, constants->least_margin);
}

static const char *judge(const struct level_subject *subject,
	const struct level_constants *constants, struct level_test *test,
	struct raw_cells *raw)
{
	const char *fails;
	double edge, far;

	if (raw->n_between == 0)
		return "nothing lies between groups";
	far = (double)quantile_of_floats(
		raw->between, raw->n_between, constants->far);
	count_groups(subject, constants, test, far);
	if (test->judged == 0)
		return "nothing is inside a group";
	if (test->judged < test->joining && !subject->inferred)
		return "a group has no cell";
	edge = find_edge(subject, constants, test, raw->scratch);
	fails = judge_groups(raw, constants, test, edge, far);
	if (fails)
		return fails;
	if ((double)test->torn >
		constants->odd_share * (double)(test->judged + test->torn))
		return "too many single units are nearest to each other";
	if (test->least <= 0)
		return "a group is nearer to another group than to itself";
	return judge_single_group(subject, constants, test);
}

/* Whether each group has enough units for precise row offsets. */
static bool has_known_rows(const struct level_subject *subject,
	const struct level_constants *constants)
{
	for (size_t g = 0; g < subject->groups.n_groups; g++)
		if ((double)subject->members[g].n < constants->known_rows)
			return false;
	return true;
}

void raw_rule_test(const struct level_subject *subject,
	const struct level_constants *constants, struct level_test *test,
	struct arena *arena)
{
	size_t n = subject->view->units->n;
	size_t n_groups = subject->groups.n_groups, half = n * (n - 1) / 2;
	const struct arena_block *mark;
	struct raw_cells raw = {.subject = subject,
		.stride = half / (size_t)constants->sample + 1};

	*test = (struct level_test){
		.inside = arena_alloc(arena, n_groups, sizeof(double)),
		.outside = arena_alloc(arena, n_groups, sizeof(double)),
		.cells = arena_alloc(arena, n_groups, sizeof(uint32_t))};
	mark = arena->last;
	raw.between =
		arena_alloc(arena, half / raw.stride + 1, sizeof(*raw.between));
	raw.sum = arena_alloc(arena, n_groups, sizeof(*raw.sum));
	raw.cells = arena_alloc(arena, n_groups, sizeof(*raw.cells));
	raw.scratch = arena_alloc(arena, n, sizeof(*raw.scratch));
	for (size_t g = 0; g < n_groups; g++)
		if (subject->members[g].n > raw.largest)
			raw.largest = subject->members[g].n;
	for (int rests = 0; rests < 2; rests++) {
		raw.by_rests = test->by_rests = rests;
		raw.n_between = 0;
		raw.left = 1;
		test->joining = test->alone = test->judged = test->torn = 0;
		for (size_t g = 0; g < n_groups; g++)
			measure_group(&raw, g, test);
		test->fails = judge(subject, constants, test, &raw);
		if (!test->fails || !has_known_rows(subject, constants))
			break;
	}
	arena_rewind(arena, mark);
}
