/*
 * The forms of findings over curves: the best figure with its share of the
 * ceiling, "falls at", and "n times as fast".
 */
#include <math.h>

#include "cl/sweep.h"

/* Largest number of falls of a curve. */
#define MOST_FALLS 4

/* A fall goes on while the next rate is below this share of the last. */
#define FALLING 0.97

/* Add ", 31.5 bytes per clock and unit" or, for a time, ", 4.2 clocks". */
static void add_clocks(
	const struct sweep *sweep, double y, struct text_list *list)
{
	double ghz = clock_median_ghz(sweep->session);
	double all = ghz * sweep->session->units;
	const struct {
		const char *what;
		double y;
	} rows[] = {
		[SHOWS_RATE] = {"bytes per clock and unit",
			y * GIB / 1e9 / all},
		[SHOWS_GIGA] = {"operations per clock and unit", y / all},
		[SHOWS_STEP] = {"clocks", y * ghz},
		[SHOWS_TIME] = {"", NAN},
	};
	const double in_clocks = rows[sweep->shows].y;

	if (sweep->launch.kernel && isfinite(in_clocks))
		text_list_add(list, ", ", "%.3g %s", in_clocks,
			rows[sweep->shows].what);
}

/* Add ", 95 to 97 % of its ceiling" to point i of a rate with one ceiling. */
static void add_share(
	const struct sweep *sweep, size_t i, struct text_list *list)
{
	const struct sweep_bound *own =
		sweep->bound.of ? &sweep->bound.of->bound : &sweep->bound;
	const struct ceiling *ceiling = sweep->bound.bytes
						? &own->own[own->own_at[i]]
						: sweep->bound.ceiling;
	double unit = sweep->bound.ceiling_per_y, rate;
	char text[FIGURE_BYTES];

	if (!ceiling || sweep->bound.other || isnan(ceiling->rate))
		return;
	rate = ceiling->rate / (unit ? unit : 1);
	text_list_add(list, ", ", "%s of its ceiling",
		figure_percent(
			figure_over(sweep_figure(sweep, i),
				(struct median_interval){rate, rate, rate}),
			text));
}

void sweep_report_best(const struct sweep *sweep, double reached)
{
	struct session *session = sweep->session;
	size_t best = sweep_best(sweep), i = 0;
	struct median_interval most = sweep_figure(sweep, best);
	struct text_list list = {.text = NULL};

	if (session->rc || best == sweep->n)
		return;
	text_list_add(&list, "", "at best %s %s",
		session_number(session, most.median),
		sweep_curve(sweep)->facts.y_unit);
	add_clocks(sweep, most.median, &list);
	add_share(sweep, best, &list);
	text_list_add(
		&list, ", ", "at %s", sweep_name_x(sweep, sweep->x[best]));
	/* A point without a figure (NaN) reaches nothing. */
	while (!(sweep_figure(sweep, i).median >= reached * most.median))
		i++;
	if (reached > 0 && i < best && session->left_out == 0)
		text_list_add(&list, "; ", "at least %.0f %% of that at %s",
			100 * reached, sweep_name_x(sweep, sweep->x[i]));
	session_add_list(session, &list, "%s", sweep->name);
}

double sweep_report_falls(const struct sweep *sweep, double share)
{
	bool bytes = sweep->facts.x_axis == CURVE_BYTES;
	struct median_interval figures[SWEEP_MOST];
	struct text_list list = {.text = NULL};
	double first = 0;
	const char *falls;

	sweep_figures(sweep, figures);
	for (size_t i = 0, from = 0, at; i < MOST_FALLS; i++) {
		at = figure_find_drop(figures + from, sweep->n - from, share);
		if (at == 0)
			break;
		from += at;
		first = i == 0 ? sweep->x[from] : first;
		text_list_add(&list, ", ", "%s",
			(bytes ? sweep_text_x : sweep_name_x)(
				sweep, sweep->x[from]));
		/* A fall may span several points: skip to its end. */
		while (from + 1 < sweep->n &&
			figures[from + 1].median <
				FALLING * figures[from].median)
			from++;
	}
	falls = session_list_text(sweep->session, &list);
	if (first > 0)
		session_add_finding(sweep->session,
			"%s: falls by at least %.0f %% at %s", sweep->name,
			100 * (1 - share), falls);
	return first;
}

/* Return point i over point k of another curve: "2.00 times as fast (...)". */
static const char *times_text(const struct sweep *sweep, size_t i,
	const struct sweep *other, size_t k, const char *as,
	char text[FIGURE_BYTES])
{
	return figure_times(
		figure_over(sweep_figure(sweep, i), sweep_figure(other, k)), as,
		text);
}

void sweep_report_compared(const struct sweep *sweep)
{
	double beside = sweep->beside ? sweep->beside : 1;
	struct text_list list = {.text = NULL};
	size_t from = sweep_find_x(sweep, beside);
	char text[FIGURE_BYTES];

	for (size_t i = 0; i < sweep->n_compared; i++) {
		double x = sweep->compared[i];
		size_t at = sweep_find_x(sweep, x);

		if (at == sweep->n)
			continue;
		text_list_add(&list, "; ", "%s, %s", sweep_name_x(sweep, x),
			sweep->beside ? times_text(sweep, at, sweep, from,
						"fast", text)
				      : times_text(sweep, from, sweep, at,
						"long", text));
	}
	session_add_list(sweep->session, &list, "%s beside %s", sweep->name,
		sweep_name_x(sweep, beside));
}

void sweep_compare(const struct sweep *sweep, size_t i,
	const struct sweep *other, size_t k)
{
	struct session *session = sweep->session;
	char text[FIGURE_BYTES];
	const char *beside;

	/* A gap or a point beyond the end is NaN. */
	if (session->rc || isnan(sweep_figure(sweep, i).median /
				   sweep_figure(other, k).median))
		return;
	if (sweep == other)
		beside = sweep_text_x(other, other->x[k]);
	else if (sweep->x[i] == other->x[k])
		beside = other->name;
	else
		beside = sweep_place(other, other->x[k]);
	session_add_finding(session, "%s beside %s: %s",
		sweep_place(sweep, sweep->x[i]), beside,
		times_text(sweep, i, other, k,
			sweep_is_rate(sweep) ? "fast" : "long", text));
}

/* Largest ratio of two medians of the same kernel that may be noise. */
#define SAME 1.25

void sweep_check_same(
	const struct sweep *sweep, const struct sweep *other, double x)
{
	double ratio = sweep_figure_at(sweep, x).median /
		       sweep_figure_at(other, x).median;

	/* Comparisons with a gap (NaN) are false. */
	if (ratio > SAME || ratio < 1 / SAME)
		session_note(sweep->session,
			"%s, and %s: both are the same kernel with the same "
			"arguments, yet they differ by %.2f times: differences "
			"of this size are noise here",
			sweep_place(sweep, x), other->name,
			fmax(ratio, 1 / ratio));
}
