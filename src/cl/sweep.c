#include "cl/sweep.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "util/text.h"

#define LEAST_BYTES_A_CPU 4096

/* "stride 16", "size 4 MiB" */
#define PLACE_BYTES (TEXT_SIZE_BYTES + 32)

static const char *const units[] = {
	[SHOWS_RATE] = "GiB/s",
	[SHOWS_GIGA] = "GFLOP/s",
	[SHOWS_STEP] = "ns",
	[SHOWS_TIME] = "ms",
};

void sweep_over(struct sweep *sweep, const unsigned *values, size_t n)
{
	for (size_t i = 0; i < n && sweep->n < SWEEP_MOST; i++)
		sweep->x[sweep->n++] = values[i];
}

void sweep_up_to(struct sweep *sweep, size_t least, size_t most, size_t factor)
{
	for (size_t x = least; x <= most && sweep->n < SWEEP_MOST; x *= factor)
		sweep->x[sweep->n++] = (double)x;
}

struct sweep sweep_of_strides(
	struct session *session, bool write, const char *of, bool some)
{
	static const unsigned chosen[] = {0, 1, 2, 3, 4, 8, 16};
	static const unsigned compared[] = {2, 3, 16, 0};
	struct sweep sweep = {.session = session,
		.member = write ? "write" : "read",
		.x_name = "stride",
		.x_unit = "words",
		.loop.least_s = SWEEP_LEAST_S,
		.a_turn = SWEEP_UNROLLED * sizeof(cl_uint),
		.write = write,
		.what = write ? NATIVE_WRITE : NATIVE_READ,
		.compared = compared,
		.n_compared = sizeof(compared) / sizeof(compared[0])};

	snprintf(sweep.family, sizeof(sweep.family), "%s", of);
	snprintf(sweep.name, sizeof(sweep.name), "%s of %s", sweep.member, of);
	if (some)
		sweep_over(&sweep, chosen, sizeof(chosen) / sizeof(chosen[0]));
	for (unsigned stride = 0; !some && stride <= 16; stride++)
		sweep_over(&sweep, &stride, 1);
	return sweep;
}

struct curve *session_curve(const struct session *session, size_t at)
{
	return &session->result->curves[at];
}

struct curve *sweep_curve(const struct sweep *sweep)
{
	return session_curve(sweep->session, sweep->at);
}

static struct curve *add_curve(
	const struct sweep *sweep, const struct curve_facts *is)
{
	struct session *session = sweep->session;
	struct curve *curve =
		session->rc ? NULL
			    : result_add_curve(session->result, is, sweep->n);

	for (size_t i = 0; i < sweep->n && curve; i++)
		curve->x[i] = sweep->x[i];
	if (!curve && session_ok(session))
		session->rc = error_no_memory(session->err, "a curve");
	return curve;
}

static struct curve_facts facts_of(const struct sweep *sweep)
{
	return (struct curve_facts){
		.family = sweep->family,
		.member = sweep->member,
		.variant = sweep->variant,
		.x_name = sweep->x_name,
		.x_unit = sweep->x_unit,
		.y_name = sweep->y_name,
		.y_unit = sweep->y_unit ? sweep->y_unit : units[sweep->shows],
		.x_axis = sweep->x_axis,
		.y_axis = sweep->shows == SHOWS_TIME ? CURVE_RATIOS
						     : sweep->y_axis,
		.place = sweep->place,
		.part = sweep->part,
	};
}

int sweep_begin(struct sweep *sweep)
{
	const struct curve_facts is = facts_of(sweep);

	sweep->at = sweep->session->result->n_curves;
	add_curve(sweep, &is);
	return sweep->session->rc;
}

struct curve *sweep_derive(const struct sweep *sweep, const char *member,
	const char *family, const char *y_unit, enum curve_axis y_axis)
{
	struct curve_facts is = facts_of(sweep);

	is.member = member;
	is.family = family;
	is.y_name = NULL;
	is.y_unit = y_unit;
	is.y_axis = y_axis;
	is.place = CURVE_MAIN;
	return add_curve(sweep, &is);
}

static const char *name_x(
	const struct sweep *sweep, double x, char text[PLACE_BYTES])
{
	char size[TEXT_SIZE_BYTES];

	if (sweep->x_axis == CURVE_BYTES)
		snprintf(text, PLACE_BYTES, "%s %s", sweep->x_name,
			text_size((uint64_t)x, size));
	else
		snprintf(text, PLACE_BYTES, "%s %.0f", sweep->x_name, x);
	return text;
}

/* Put the last ceiling of its own into the record. */
static void show_ceiling(struct sweep *sweep)
{
	double from = sweep->x[sweep->first], to = sweep->x[sweep->last];
	char name[160], place[PLACE_BYTES];
	struct ceiling_line line = {name, NULL, sweep->at, from, to};

	if (sweep->of_points.rounds == 0)
		return;
	if (sweep->last - sweep->first + 1 == sweep->n)
		snprintf(name, sizeof(name), "%s", sweep->name);
	else if (sweep->first == sweep->last)
		snprintf(name, sizeof(name), "%s, %s", sweep->name,
			name_x(sweep, to, place));
	else
		snprintf(name, sizeof(name), "%s, %ss %.0f to %.0f",
			sweep->name, sweep->x_name, from, to);
	ceiling_show(sweep->session, &sweep->of_points, &line);
}

/*
 * The ceiling of point i, unless that of the points before serves. 4 KiB a CPU
 * at least, which stays in L1 and is enough of a loop to be as fast as L1 is.
 */
static void bound(struct sweep *sweep, size_t i)
{
	struct session *session = sweep->session;
	size_t least = LEAST_BYTES_A_CPU * session->options->cpus->n;
	size_t bytes = sweep->bytes < least ? least : sweep->bytes;

	if (sweep->of_points.rounds > 0 && sweep->of_points.bytes == bytes)
		return;
	show_ceiling(sweep);
	sweep->of_points =
		(struct ceiling){.what = sweep->what, .bytes = bytes};
	sweep->ceiling = &sweep->of_points;
	sweep->first = i;
	ceiling_measure(session, &sweep->of_points);
}

struct timing sweep_measure(struct sweep *sweep, size_t i)
{
	struct session *session = sweep->session;
	struct timing timing = timing_none();
	char place[PLACE_BYTES];

	if (sweep->prepare && session_ok(session))
		sweep->prepare(sweep, i);
	if (sweep->bytes)
		bound(sweep, i);
	if (sweep->a_turn)
		sweep->amount = (double)sweep->launch.items * sweep->turns *
				sweep->a_turn;
	if (sweep->spoiled)
		session_spoil(session, sweep->right.buffer,
			sweep->right.n * sizeof(cl_uint));
	if (session_ok(session))
		timing = sweep->time ? sweep->time(sweep, i)
				     : launch_time(session, &sweep->launch);
	if (sweep->right.at && !isnan(timing.median_s))
		session_check(session, &sweep->right, &timing, "%s, %s",
			sweep->name, name_x(sweep, sweep->x[i], place));
	return timing;
}

/* Below one of two ceilings: what is above both is told of the last. */
static bool is_possible(const struct sweep *sweep, size_t i, double rate)
{
	char what[160], place[PLACE_BYTES];

	rate *= sweep->held ? sweep->held : 1;
	if (!sweep->ceiling || (sweep->other && ceiling_bears(sweep->session,
							sweep->ceiling, rate)))
		return true;
	snprintf(what, sizeof(what), "%s, %s", sweep->name,
		name_x(sweep, sweep->x[i], place));
	return ceiling_holds(sweep->session,
		sweep->other ? sweep->other : sweep->ceiling, rate, what);
}

/* Of a time of so many seconds. */
static double y_of(const struct sweep *sweep, double s)
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
	bool rate = sweep->shows == SHOWS_RATE || sweep->shows == SHOWS_GIGA;
	const double y[3] = {y_of(sweep, timing->median_s),
		y_of(sweep, rate ? timing->high_s : timing->low_s),
		y_of(sweep, rate ? timing->low_s : timing->high_s)};

	sweep->last = i;
	/* What has no time was given up before. */
	if (session->rc || isnan(timing->median_s) ||
		!is_possible(sweep, i, y[0]) || session->rc)
		return false;
	curve_set(sweep_curve(sweep), i, sweep->x[i], y);
	curves_note(session, sweep->at, sweep->x[i], timing);
	return true;
}

/* "NAME beside stride 1: stride 2, 2.00 times as long (1.90 to 2.10); ..." */
static void compare(const struct sweep *sweep)
{
	char text[SWEEP_MOST * (FIGURE_BYTES + PLACE_BYTES)] = "";
	char what[FIGURE_BYTES], place[PLACE_BYTES];
	struct figure one = sweep_figure_at(sweep, 1);
	size_t used = 0;

	for (size_t i = 0; i < sweep->n_compared; i++) {
		unsigned x = sweep->compared[i];

		used += (size_t)snprintf(text + used, sizeof(text) - used,
			"%s%s, %s", i ? "; " : "", name_x(sweep, x, place),
			figure_times(
				figure_over(one, sweep_figure_at(sweep, x)),
				"long", what));
	}
	if (used)
		session_find(sweep->session, "%s beside %s: %s", sweep->name,
			name_x(sweep, 1, place), text);
}

void sweep_point(struct sweep *sweeps, size_t n, size_t i)
{
	for (size_t k = 0; k < n && session_ok(sweeps->session); k++) {
		struct timing timing = sweep_measure(&sweeps[k], i);

		sweep_put(&sweeps[k], i, &timing);
		if (session_ok(sweeps->session))
			session_advance(sweeps->session,
				sweeps[k].work ? sweeps[k].work : 1);
	}
}

int sweep_run(struct sweep *sweeps, size_t n)
{
	struct session *session = sweeps->session;

	for (size_t k = 0; k < n; k++)
		sweep_begin(&sweeps[k]);
	for (size_t k = 0; k < n && session_ok(session); k++) {
		if (sweeps[k].loop.most == 0)
			continue;
		sweeps[k].prepare(&sweeps[k], 1);
		sweeps[k].turns = launch_loop(
			session, &sweeps[k].launch, &sweeps[k].loop);
	}
	for (size_t i = 0; i < sweeps->n; i++)
		sweep_point(sweeps, n, i);
	for (size_t k = 0; k < n && session_ok(session); k++) {
		show_ceiling(&sweeps[k]);
		compare(&sweeps[k]);
	}
	return session->rc;
}

struct figure sweep_figure(const struct sweep *sweep, size_t i)
{
	return figure_at(sweep_curve(sweep), i);
}

struct figure sweep_figure_at(const struct sweep *sweep, double x)
{
	for (size_t i = 0; i < sweep->n; i++) {
		if (sweep->x[i] == x)
			return sweep_figure(sweep, i);
	}
	return (struct figure){NAN, NAN, NAN};
}

void sweep_strides(const struct strides *strides)
{
	struct session *session = strides->session;

	if (session->all == 0)
		session->all = 2 * strides->work;
	for (int write = 0; write < 2 && session_ok(session); write++) {
		struct sweep sweep = sweep_of_strides(
			session, write, strides->of, strides->some);

		sweep.launch = launch_of(session, strides->program,
			strides->kernels[write], strides->items);
		sweep.prepare = strides->prepare;
		sweep.work = strides->work / (double)sweep.n;
		sweep.context = strides->context;
		if (session_ok(session))
			strides->complete(&sweep);
		sweep_run(&sweep, 1);
	}
}
