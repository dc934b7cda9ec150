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

struct sweep sweep_strides(
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

	snprintf(sweep.name, sizeof(sweep.name), "%s of %s", sweep.member, of);
	if (some)
		sweep_over(&sweep, chosen, sizeof(chosen) / sizeof(chosen[0]));
	for (unsigned stride = 0; !some && stride <= 16; stride++)
		sweep_over(&sweep, &stride, 1);
	return sweep;
}

int sweep_begin(struct sweep *sweep)
{
	struct session *session = sweep->session;
	const struct curve_axes axes = {sweep->x_name, sweep->x_unit,
		sweep->family,
		sweep->y_unit ? sweep->y_unit : units[sweep->shows]};

	if (session_ok(session))
		session->rc = curve_add(session, sweep->member, &axes, sweep->n,
			&sweep->at, session->err);
	for (size_t i = 0; i < sweep->n && session_ok(session); i++)
		curve_place(session, sweep->at, i, sweep->x[i]);
	return session->rc;
}

static const char *name_x(
	const struct sweep *sweep, double x, char text[PLACE_BYTES])
{
	char size[TEXT_SIZE_BYTES];

	if (strcmp(sweep->x_unit, "B") == 0)
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
	struct ceiling_line line = {
		name, sweep->family, sweep->member, from, to};

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
	ceiling_begin(session, &sweep->of_points);
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
	struct session *session = sweep->session;
	char what[160], place[PLACE_BYTES];
	bool holds = !sweep->ceiling;

	rate *= sweep->held ? sweep->held : 1;
	if (sweep->ceiling && sweep->other)
		session->rc = ceiling_check(
			session, sweep->ceiling, rate, &holds, session->err);
	if (holds)
		return true;
	snprintf(what, sizeof(what), "%s, %s", sweep->name,
		name_x(sweep, sweep->x[i], place));
	return ceiling_holds(session,
		sweep->other ? sweep->other : sweep->ceiling, rate, what);
}

bool sweep_put(struct sweep *sweep, size_t i, const struct timing *timing)
{
	struct session *session = sweep->session;
	double amount = sweep->amount, x = sweep->x[i];
	double unit = sweep->shows == SHOWS_RATE ? GIB : 1e9;

	sweep->last = i;
	/* What has no time was given up before. */
	if (session->rc || isnan(timing->median_s) ||
		!is_possible(sweep, i, amount / timing->median_s / unit) ||
		session->rc)
		return false;
	switch (sweep->shows) {
	case SHOWS_RATE:
		curve_put_rate(session, sweep->at, i, x, amount, timing);
		break;
	case SHOWS_GIGA:
		curve_put_giga(session, sweep->at, i, x, amount, timing);
		break;
	case SHOWS_STEP:
		curve_put_step(session, sweep->at, i, x, amount, timing);
		break;
	case SHOWS_TIME:
		curve_put_time(session, sweep->at, i, x, timing);
		break;
	}
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
	return figure_at(sweep->session->result->series + sweep->at, i);
}

struct figure sweep_figure_at(const struct sweep *sweep, double x)
{
	for (size_t i = 0; i < sweep->n; i++) {
		if (sweep->x[i] == x)
			return sweep_figure(sweep, i);
	}
	return (struct figure){NAN, NAN, NAN};
}

size_t sweep_derive(const struct sweep *sweep, const char *member,
	const char *family, const char *y_unit)
{
	struct session *session = sweep->session;
	const struct curve_axes axes = {
		sweep->x_name, sweep->x_unit, family, y_unit};
	size_t at = session->result->n_series;
	struct series *series;

	if (session_ok(session))
		session->rc = curve_add_single(session, member, &axes, "median",
			sweep->n, &series, session->err);
	for (size_t i = 0; i < sweep->n && session_ok(session); i++)
		series->x[i] = sweep->x[i];
	return at;
}

void sweep_set_derived(const struct sweep *sweep, size_t at, size_t i, double y)
{
	if (session_ok(sweep->session))
		sweep->session->result->series[at].y[i] = y;
}

int ceiling_begin(struct session *session, struct ceiling *ceiling)
{
	if (session_ok(session))
		session->rc = ceiling_measure(session, ceiling, session->err);
	return session->rc;
}

bool ceiling_holds(struct session *session, struct ceiling *ceiling,
	double rate, const char *what)
{
	bool arithmetic =
		ceiling->what == NATIVE_FLOAT || ceiling->what == NATIVE_DOUBLE;
	const char *unit = units[arithmetic ? SHOWS_GIGA : SHOWS_RATE];
	bool holds = false;

	if (session_ok(session))
		session->rc = ceiling_check(
			session, ceiling, rate, &holds, session->err);
	if (session_ok(session) && !holds)
		session_say(session, "rejected",
			"%s: %.3g %s is above the %.3g %s that the CPUs do "
			"natively",
			what, rate, unit, ceiling->gib_per_s, unit);
	return session_ok(session) && holds;
}

int ceiling_show(struct session *session, const struct ceiling *ceiling,
	const struct ceiling_line *line)
{
	if (session_ok(session) && line->name)
		session->rc = ceiling_record(
			session, line->name, ceiling, session->err);
	if (session_ok(session) && line->family)
		session->rc = ceiling_draw(session, line->family, line->member,
			line->from, line->to, ceiling, session->err);
	return session->rc;
}
