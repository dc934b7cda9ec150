#include "cl/sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cl/images.h"
#include "cl/pool.h"
#include "machine/timebase.h"
#include "util/text.h"

/* A size is a multiple of a unit if the difference is below this. */
#define NEAR 1e-6

static const char *const units[] = {
	[SHOWS_RATE] = "GiB/s",
	[SHOWS_GIGA] = "GFLOP/s",
	[SHOWS_STEP] = "ns",
	[SHOWS_TIME] = "ms",
};

size_t sweep_find_x(const struct sweep *sweep, double x)
{
	size_t i = 0;

	while (i < sweep->n && sweep->x[i] != x)
		i++;
	return i;
}

void sweep_add(struct sweep *sweep, double x)
{
	if (sweep->n < SWEEP_MOST)
		sweep->x[sweep->n++] = x;
}

void sweep_over(struct sweep *sweep, const unsigned *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sweep_add(sweep, values[i]);
}

void sweep_up_to(struct sweep *sweep, size_t least, size_t most, size_t factor)
{
	for (size_t x = least; x <= most; x *= factor)
		sweep_add(sweep, (double)x);
}

void sweep_step_to(struct sweep *sweep, size_t least, size_t most, size_t step)
{
	for (size_t x = least; x <= most; x += step)
		sweep_add(sweep, (double)x);
}

void sweep_each_doubling(
	struct sweep *sweep, size_t least, size_t most, size_t unit)
{
	const struct test_options *options = sweep->session->options;
	double first = fmax((double)least, (double)options->least_bytes);
	double end = fmin((double)most, (double)options->most_bytes);
	double each = (double)options->each_doubling, last = 0, x = 0;

	for (size_t k = 0; x <= end && sweep->n < SWEEP_MOST; k++) {
		x = first * pow(2, (double)k / each) / (double)unit;
		x = ceil(x - NEAR) * (double)unit;
		if (x > last && x <= end)
			sweep->x[sweep->n++] = last = x;
	}
}

void sweep_keep_sizes(struct sweep *sweeps, size_t n)
{
	struct session *session = sweeps->session;
	const struct test_options *options = session->options;
	const char *from = session_bytes(session, options->least_bytes);
	const char *to = session_bytes(session, options->most_bytes);
	double least = INFINITY, most = 0;
	size_t kept = 0;

	for (size_t k = 0; k < n && options->most_bytes; k++) {
		struct sweep *sweep = &sweeps[k];
		size_t left = 0;

		for (size_t i = 0; i < sweep->n; i++) {
			double x = sweep->x[i];

			least = fmin(least, x);
			most = fmax(most, x);
			if (x >= (double)options->least_bytes &&
				x <= (double)options->most_bytes)
				sweep->x[left++] = x;
		}
		sweep->n = left;
		kept += left;
	}
	if (!options->most_bytes || kept > 0 || !session_ok(session))
		return;
	if (most > 0)
		session_refuse(session,
			"none of its sizes here, from %s to %s, is within "
			"--sizes, from %s to %s",
			session_bytes(session, (uint64_t)least),
			session_bytes(session, (uint64_t)most), from, to);
	else
		session_refuse(session,
			"its smallest size here is above --sizes, from %s to "
			"%s",
			from, to);
}

struct sweep sweep_of_strides(
	struct session *session, bool write, const char *of, bool some)
{
	static const unsigned chosen[] = {0, 1, 2, 3, 4, 8, 16};
	static const unsigned quick[] = {0, 1, 2, 16};
	static const unsigned compared[] = {2, 3, 16, 0};
	const char *member = write ? "write" : "read";
	struct sweep sweep = {.session = session,
		.name = session_text(session, "%s of %s", member, of),
		.facts = {.family = of,
			.member = member,
			.x_name = "stride",
			.x_unit = "words"},
		.write = write,
		.loop.least_s = SWEEP_LEAST_S,
		.a_turn = SWEEP_UNROLLED * sizeof(cl_uint),
		.compared = compared,
		.n_compared = N_OF(compared)};

	if (session->options->quick)
		sweep_over(&sweep, quick, N_OF(quick));
	else if (some && !session->options->fine)
		sweep_over(&sweep, chosen, N_OF(chosen));
	else
		sweep_step_to(&sweep, 0, 16, 1);
	return sweep;
}

struct curve *sweep_curve(const struct sweep *sweep)
{
	return &sweep->session->result->curves[sweep->at];
}

static struct curve *sweep_add_curve(
	const struct sweep *sweep, const struct curve_facts *facts)
{
	struct session *session = sweep->session;
	struct curve *curve = session->rc ? NULL
					  : result_add_curve(session->result,
						    facts, sweep->n);

	for (size_t i = 0; i < sweep->n && curve; i++)
		curve->x[i] = sweep->x[i];
	if (!curve && session_ok(session))
		session_no_memory(session, "a curve");
	return curve;
}

int sweep_begin(struct sweep *sweep)
{
	struct curve_facts facts = sweep->facts;

	if (!sweep->name)
		sweep->name = session_text(
			sweep->session, "%s, %s", facts.family, facts.member);
	if (!facts.y_unit)
		facts.y_unit = units[sweep->shows];
	if (sweep->shows == SHOWS_TIME)
		facts.y_axis = CURVE_RATIOS;
	sweep->at = sweep->session->result->n_curves;
	sweep->begun = true;
	sweep_add_curve(sweep, &facts);
	return sweep->session->rc;
}

struct curve *sweep_derive(const struct sweep *sweep, const char *member,
	const char *family, const char *y_unit, enum curve_axis y_axis)
{
	struct curve_facts facts = sweep->facts;

	facts.member = member;
	facts.family = family;
	facts.y_name = NULL;
	facts.y_unit = y_unit;
	facts.y_axis = y_axis;
	return sweep_add_curve(sweep, &facts);
}

const char *sweep_text_x(const struct sweep *sweep, double x)
{
	if (sweep->facts.x_axis == CURVE_BYTES)
		return session_bytes(sweep->session, (uint64_t)x);
	return session_text(sweep->session, "%.0f", x);
}

/* Return "work-item or thread" for "work-items or threads". */
static const char *sweep_singular(const struct sweep *sweep, const char *name)
{
	struct text_list list = {.text = NULL};

	for (size_t n; *name; name += n + strspn(name + n, " ")) {
		n = strcspn(name, " ");
		text_list_add(&list, " ", "%.*s",
			(int)(n - (name[n - 1] == 's')), name);
	}
	return session_list_text(sweep->session, &list);
}

const char *sweep_name_x(const struct sweep *sweep, double x)
{
	const char *text = sweep_text_x(sweep, x), *name = sweep->facts.x_name;

	if (sweep->facts.x_unit)
		return session_text(sweep->session, "%s %s", name, text);
	return session_text(sweep->session, "%s %s", text,
		x == 1 ? sweep_singular(sweep, name) : name);
}

const char *sweep_place(const struct sweep *sweep, double x)
{
	return session_text(
		sweep->session, "%s, %s", sweep->name, sweep_name_x(sweep, x));
}

/* Add the ceiling of the points from first to last to the picture. */
static void sweep_show_ceiling(
	const struct sweep *sweep, size_t first, size_t last)
{
	const struct sweep_bound *bound = &sweep->bound;
	struct session *session = sweep->session;
	double from = sweep->x[first], to = sweep->x[last];
	struct ceiling_line line = {NULL, bound->panel, sweep->at, from, to};
	const char *range = "";

	if (first == last && sweep->n > 1)
		range = session_text(session, ", %s", sweep_name_x(sweep, to));
	else if (last - first + 1 < sweep->n)
		range = session_text(session, ", %s %s to %s",
			sweep->facts.x_name, sweep_text_x(sweep, from),
			sweep_text_x(sweep, to));
	line.name = session_text(session, "%s%s%s%s",
		bound->panel ? sweep->facts.family : sweep->name, range,
		bound->panel ? ", " : "", bound->panel ? bound->panel : "");
	ceiling_show(session, &bound->own[bound->own_at[first]], &line);
}

static void sweep_show_ceilings(const struct sweep *sweep)
{
	const struct sweep_bound *bound = &sweep->bound;

	for (size_t i = 0, first = 0; i < sweep->n && bound->n_own > 0; i++) {
		if (i + 1 < sweep->n &&
			bound->own_at[i + 1] == bound->own_at[first])
			continue;
		sweep_show_ceiling(sweep, first, i);
		first = i + 1;
	}
}

/*
 * Set the ceiling of point i. Measure it unless another point has the same
 * ceiling. The loop of a CPU gets at least 4 KiB, which stay in L1 and reach
 * the rate of L1.
 */
static void sweep_bound_point(struct sweep *sweep, size_t i)
{
	struct session *session = sweep->session;
	struct sweep_bound *bound =
		sweep->bound.of ? &sweep->bound.of->bound : &sweep->bound;
	size_t cpus = bound->shared ? 1 : session->options->cpus->n;
	size_t least = SWEEP_LEAST_BYTES_A_CPU * cpus, k = 0;
	size_t bytes = sweep->bound.bytes < least ? least : sweep->bound.bytes;

	while (k < bound->n_own && bound->own[k].bytes != bytes)
		k++;
	sweep->bound.ceiling = &bound->own[k];
	bound->own_at[i] = k;
	if (k < bound->n_own)
		return;
	bound->own[k] = (struct ceiling){
		.what = sweep->write ? NATIVE_WRITE : bound->what,
		.shared = bound->shared,
		.bytes = bytes,
		.counted = bound->counted};
	bound->n_own++;
	ceiling_measure(session, &bound->own[k]);
}

static void sweep_pass_turns(const struct sweep *sweep)
{
	session_arguments(sweep->session, sweep->launch.kernel,
		sweep->loop.argument, word_argument(sweep->turns));
}

static void sweep_choose_turns(struct sweep *sweep)
{
	double begin_s = session_clock_s(sweep->session);

	sweep->turns =
		launch_loop(sweep->session, &sweep->launch, &sweep->loop) |
		sweep->odd_turns;
	sweep_pass_turns(sweep);
	sweep->once_s += session_clock_s(sweep->session) - begin_s;
}

void sweep_prepare(struct sweep *sweep, size_t i)
{
	const struct pool *pool = sweep->pools ? &sweep->pools[i] : NULL;
	struct session *session = sweep->session;

	sweep->again = pool && pool->visits > 0;
	if (sweep->again)
		sweep->turns = pool->turns;
	if (sweep->prepare)
		sweep->prepare(sweep, i);
	if (sweep->again) {
		sweep->launch.items = pool->launch.items;
		sweep->launch.group = pool->launch.group;
	}
	if (sweep->turns_vary && sweep->again)
		sweep_pass_turns(sweep);
	else if (sweep->turns_vary)
		sweep_choose_turns(sweep);
	if (sweep->expect && session_ok(session))
		sweep->expect(sweep, i);
}

struct timing sweep_measure(struct sweep *sweep, size_t i)
{
	struct session *session = sweep->session;
	struct expected_words *right = &sweep->expected;
	struct timing timing = timing_none();

	if (session_ok(session))
		sweep_prepare(sweep, i);
	if (sweep->bound.bytes)
		sweep_bound_point(sweep, i);
	if (sweep->a_turn)
		sweep->amount = (double)sweep->launch.items * sweep->turns *
				sweep->a_turn;
	if (right->poisoned)
		session_set_words(
			session, right->buffer, right->n, SESSION_UNWRITTEN);
	if (right->poisoned && right->plane)
		images_copy_plane(session, right->plane, right->buffer, true);
	if (session_ok(session))
		timing = sweep->time ? sweep->time(sweep, i)
				     : launch_time(session, &sweep->launch);
	if (!right->context)
		right->context = sweep;
	if (right->plane)
		images_copy_plane(session, right->plane, right->buffer, false);
	if ((right->at || right->list || right->number) &&
		!isnan(timing.median_s))
		session_check(session, right, &timing,
			sweep_place(sweep, sweep->x[i]));
	return timing;
}

static bool sweep_is_possible(const struct sweep *sweep, size_t i,
	struct median_interval y, const struct timing *timing)
{
	const struct sweep_bound *bound = &sweep->bound;
	struct ceiling *all[2] = {bound->ceiling, bound->other};
	double unit = bound->ceiling_per_y ? bound->ceiling_per_y : 1;
	struct median_interval rate = {
		y.median * unit, y.low * unit, y.high * unit};
	/* Do not record a point that will be visited again. */
	const char *what =
		bound->lenient ? NULL : sweep_place(sweep, sweep->x[i]);

	if (!bound->ceiling)
		return true;
	for (size_t k = 0; bound->both && k < 2 && all[k]; k++) {
		unit = (double)all[k]->bytes / GIB;
		rate = (struct median_interval){unit / timing->median_s,
			unit / timing->high_s, unit / timing->low_s};
		if (!ceiling_check_rate(sweep->session, all[k], rate, what))
			return false;
	}
	if (bound->both ||
		(bound->other && ceiling_either_allows(sweep->session,
					 bound->ceiling, bound->other, rate,
					 bound->lenient ? 1 : CEILING_TRIES)))
		return true;
	/* If a rate is above both ceilings, record the second. */
	return ceiling_check_rate(sweep->session,
		bound->other ? bound->other : bound->ceiling, rate, what);
}

static double sweep_y_value(const struct sweep *sweep, double s)
{
	switch (sweep->shows) {
	case SHOWS_RATE:
		return sweep->amount / s / GIB;
	case SHOWS_GIGA:
		return sweep->amount / s * 1e-9;
	case SHOWS_STEP:
		return s * 1e9 / sweep->amount;
	default:
		return s * 1e3;
	}
}

bool sweep_put(struct sweep *sweep, size_t i, const struct timing *timing)
{
	struct session *session = sweep->session;
	bool rate = sweep_is_rate(sweep);
	const double y[3] = {sweep_y_value(sweep, timing->median_s),
		sweep_y_value(sweep, rate ? timing->high_s : timing->low_s),
		sweep_y_value(sweep, rate ? timing->low_s : timing->high_s)};
	const double none[3] = {NAN, NAN, NAN};
	bool possible;

	/* The function that returned no time has reported the error. */
	if (session->rc || isnan(timing->median_s))
		return false;
	possible = sweep_is_possible(
		sweep, i, (struct median_interval){y[0], y[1], y[2]}, timing);
	if (session->rc)
		return false;
	if (!possible) {
		/* An earlier visit may have set the point. */
		curve_set(sweep_curve(sweep), i, sweep->x[i], none);
		curves_forget_point(session, sweep->at, sweep->x[i]);
		return false;
	}
	curve_set(sweep_curve(sweep), i, sweep->x[i], y);
	curves_note_point(session, sweep->at, sweep->x[i], timing);
	return true;
}

/* Return the time spent so far on work of first visits. */
static double sweep_setup_s(const struct sweep *sweep)
{
	return sweep->session->built_s + sweep->session->ceilings_s +
	       sweep->once_s;
}

/* Measure point i, and set it to the figure of all its visits. */
static void sweep_visit_point(struct sweep *sweep, size_t i)
{
	struct session *session = sweep->session;
	struct pool *pool = &sweep->pools[i];
	double start_s = timebase_raw_s(), once_s = sweep_setup_s(sweep);
	bool first = pool->visits == 0;
	struct timing last, all;

	/* The best of several group sizes counts, not the last one. */
	session->pool = session->options->sweep_groups ? NULL : pool;
	last = sweep_measure(sweep, i);
	session->pool = NULL;
	pool->launch = sweep->launch;
	pool->turns = sweep->turns;
	all = last;
	if (session_ok(session) && pool->n_offered > 0 &&
		!isnan(last.median_s)) {
		if (!pool_accept(pool))
			session_no_memory(session, "the times of a point");
		all = pool_timing(pool);
		all.group = last.group;
		all.checksum = last.checksum;
	}
	pool->above_ceiling =
		!sweep_put(sweep, i, &all) && !isnan(all.median_s);
	pool->cost_s = timebase_raw_s() - start_s;
	if (first)
		pool->cost_s -= sweep_setup_s(sweep) - once_s;
}

/*
 * Visit each point once, one sweep after the other. A late test measures only
 * the ends of curves, and stride 1 for comparisons.
 */
static void sweep_visit_all(struct sweep *sweeps, size_t n)
{
	struct session *session = sweeps->session;
	uint32_t order[SWEEP_MOST];

	stat_shuffle(&session->random, order, sweeps->n);
	for (size_t j = 0; j < sweeps->n; j++) {
		size_t i = order[j];
		bool inner = i > 0 && i + 1 < sweeps->n;

		for (size_t k = 0; k < n && session_ok(session); k++) {
			if (inner && sweeps[k].x[i] != 1 &&
				session_is_late(session))
				session->left_out++;
			else
				sweep_visit_point(&sweeps[k], i);
			session_advance(
				session, (sweeps[k].work ? sweeps[k].work : 1) /
						 (double)sweeps[k].n);
		}
	}
}

/* Repeat points with wide intervals while the rest of the budget allows. */
static void sweep_repeat_wide(struct sweep *sweeps, size_t n)
{
	struct session *session = sweeps->session;
	uint32_t order[SWEEP_TOGETHER * SWEEP_MOST];
	bool visited = true;

	while (visited) {
		visited = false;
		stat_shuffle(&session->random, order, n * sweeps->n);
		for (size_t j = 0; j < n * sweeps->n; j++) {
			struct sweep *sweep = &sweeps[order[j] % n];
			size_t i = order[j] / n;
			bool wide = sweep->pools[i].visits > 0 &&
				    100 * figure_noise(sweep_figure(sweep, i)) >
					    session->options->precision_pct;

			/* The budget grows with the progress. */
			double left_s =
				session->options->budget_s *
					fmin(1, session->done / session->all) -
				session->repeated_s;

			if (!wide || sweep->pools[i].cost_s > left_s ||
				session_stopped(session) < 0)
				continue;
			sweep_visit_point(sweep, i);
			session->repeated_s += sweep->pools[i].cost_s;
			/* The kept results now include this visit. */
			session_advance(session, 0);
			visited = true;
		}
	}
}

/*
 * Visit points above a ceiling again. The ceiling may have risen meanwhile, or
 * a disturbance may have ended.
 */
static void sweep_revisit_rejected(struct sweep *sweeps, size_t n)
{
	struct session *session = sweeps->session;

	for (size_t j = 0; j < n * sweeps->n; j++) {
		struct sweep *sweep = &sweeps[j % n];

		sweep->bound.lenient = false;
		if (sweep->pools[j / n].above_ceiling &&
			session_stopped(session) == 0) {
			sweep_visit_point(sweep, j / n);
			session_advance(session, 0);
		}
	}
}

int sweep_run(struct sweep *sweeps, size_t n)
{
	struct session *session = sweeps->session;

	for (size_t k = 0; k < n; k++) {
		if (!sweeps[k].begun)
			sweep_begin(&sweeps[k]);
		sweeps[k].pools = calloc(sweeps[k].n + 1, sizeof(struct pool));
		if (!sweeps[k].pools && session_ok(session))
			session_no_memory(session, "the times");
		sweeps[k].bound.lenient = true;
	}
	for (size_t k = 0; k < n && session_ok(session); k++) {
		if (sweeps[k].turns_vary || sweeps[k].loop.most == 0)
			continue;
		sweeps[k].prepare(&sweeps[k], sweep_find_x(&sweeps[k], 1));
		sweep_choose_turns(&sweeps[k]);
	}
	sweep_visit_all(sweeps, n);
	/* With several group sizes, the best size may change at each visit. */
	if (session_ok(session) && !session->options->sweep_groups &&
		!session->rehearses)
		sweep_repeat_wide(sweeps, n);
	if (session_ok(session))
		sweep_revisit_rejected(sweeps, n);
	for (size_t k = 0; k < n; k++) {
		for (size_t i = 0; i < sweeps[k].n && sweeps[k].pools; i++)
			pool_release(&sweeps[k].pools[i]);
		free(sweeps[k].pools);
		sweeps[k].pools = NULL;
	}
	for (size_t k = 0; k < n && session_ok(session); k++) {
		sweep_show_ceilings(&sweeps[k]);
		sweep_report_compared(&sweeps[k]);
	}
	return session->rc;
}

void sweep_figures(
	const struct sweep *sweep, struct median_interval figures[SWEEP_MOST])
{
	for (size_t i = 0; i < sweep->n; i++)
		figures[i] = sweep_figure(sweep, i);
}

struct median_interval sweep_figure(const struct sweep *sweep, size_t i)
{
	return i < sweep->n ? figure_at(sweep_curve(sweep), i)
			    : (struct median_interval){NAN, NAN, NAN};
}

struct median_interval sweep_figure_at(const struct sweep *sweep, double x)
{
	return sweep_figure(sweep, sweep_find_x(sweep, x));
}

size_t sweep_best(const struct sweep *sweep)
{
	struct median_interval figures[SWEEP_MOST];

	sweep_figures(sweep, figures);
	return sweep_is_rate(sweep) ? figure_most(figures, sweep->n)
				    : figure_least(figures, sweep->n);
}

size_t sweep_worst(const struct sweep *sweep)
{
	struct median_interval figures[SWEEP_MOST];

	sweep_figures(sweep, figures);
	return sweep_is_rate(sweep) ? figure_least(figures, sweep->n)
				    : figure_most(figures, sweep->n);
}
