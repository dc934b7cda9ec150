/*
 * Curves that are of no test: one panel, and a text at the end of each curve.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/draw.h"

/* Texts at the ends stand so far apart at least. */
#define APART 13.0

/* An interval beyond so many times the highest value is cut off. */
#define FAR 1.5

static const char grey[] = "#AAAAAA";

struct line {
	const struct curve *curve;
	bool single; /* of one CPU: thin and grey, behind the mean */
	size_t look,
		rank; /* colour and shape; which one of that look, from 0 */
};

struct end {
	char text[CURVE_NAME_BYTES];
	const struct line *line; /* NULL: of all single ones */
	double x, y;		 /* the last value; NaN: none */
	double wanted, at;	 /* from the top of the panel */
};

struct sweep {
	struct drawing *drawing;
	struct line *lines; /* [n] of the panel of the first curve */
	size_t n, n_others, n_bounds;
	struct end *ends; /* [n_ends] */
	size_t n_ends;
	struct draw_panel panel;
	bool with_band, with_fit, cut_off;
};

static bool same_cpus(const struct curve *a, const struct curve *b)
{
	return a->cpus.n == b->cpus.n &&
	       (a->cpus.n == 0 ||
		       memcmp(a->cpus.cpus, b->cpus.cpus,
			       a->cpus.n * sizeof(*a->cpus.cpus)) == 0);
}

/*
 * Curves on the same CPUs have one colour and one shape, the first filled and
 * the second hollow. If all are on the same, each has its own.
 */
static void choose_looks(struct sweep *sweep)
{
	bool alike = true;
	size_t looks = 0;

	for (size_t i = 0; i < sweep->n; i++)
		alike = alike &&
			same_cpus(sweep->lines[i].curve, sweep->lines[0].curve);
	for (size_t i = 0; i < sweep->n; i++) {
		struct line *line = &sweep->lines[i];

		line->look = looks;
		for (size_t j = 0; j < i && !line->single && !alike; j++) {
			if (sweep->lines[j].single ||
				!same_cpus(sweep->lines[j].curve, line->curve))
				continue;
			line->look = sweep->lines[j].look;
			line->rank++;
		}
		looks += !line->single && line->rank == 0;
	}
}

static void take_lines(struct sweep *sweep)
{
	const struct result *drawn = &sweep->drawing->view->result;

	for (size_t i = 0; i < drawn->n_curves; i++) {
		const struct curve *curve = &drawn->curves[i];

		if (!curve_same_panel(curve, drawn->curves)) {
			sweep->n_others++;
			continue;
		}
		sweep->lines[sweep->n++] = (struct line){.curve = curve,
			.single = curve_is_behind_mean(
				curve, drawn->curves, drawn->n_curves)};
		sweep->with_fit |= curve->fit != NULL;
	}
	choose_looks(sweep);
}

/* Where a curve has its last value. */
static void find_end(const struct curve *curve, double *x, double *y)
{
	*x = NAN;
	*y = NAN;
	for (size_t i = 0; i < curve->n; i++) {
		if (isnan(curve->median[i]))
			continue;
		*x = curve->x[i];
		*y = curve->median[i];
	}
}

/* A text for each curve, and one for all single ones at the lowest. */
static void take_ends(struct sweep *sweep)
{
	struct end all = {.y = NAN};
	bool any = false;

	for (size_t i = 0; i < sweep->n; i++) {
		const struct line *line = &sweep->lines[i];
		struct end end = {.line = line};

		find_end(line->curve, &end.x, &end.y);
		if (!line->single) {
			curve_name(line->curve, end.text);
			sweep->ends[sweep->n_ends++] = end;
		} else if (!any || end.y < all.y) {
			all = end;
			any = true;
		}
	}
	if (!any)
		return;
	snprintf(all.text, sizeof(all.text), "each %s CPU",
		all.line->curve->is.member);
	all.line = NULL;
	sweep->ends[sweep->n_ends++] = all;
}

static void choose_axes(struct sweep *sweep, double wide)
{
	const struct draw_extent none = {NAN, NAN};
	const struct curve_facts *is = &sweep->drawing->view->result.curves->is;
	struct draw_extent x = none, y = none, band = none;
	const struct plot_options *options = sweep->drawing->options;

	for (size_t i = 0; i < sweep->n; i++) {
		const struct curve *curve = sweep->lines[i].curve;

		for (size_t k = 0; k < curve->n; k++) {
			if (!isnan(curve->median[k]))
				draw_extend(&x, &curve->x[k], 1);
		}
		draw_extend(&y, curve->median, curve->n);
		draw_extend(&band, curve->low, curve->n);
		draw_extend(&band, curve->high, curve->n);
	}
	sweep->with_band = !isnan(band.most);
	draw_choose_x(&sweep->panel.across, &x, is->x_axis, wide, 10);
	if (sweep->with_band)
		y.most = fmax(y.most, fmin(band.most, FAR * y.most));
	if (isnan(y.most))
		y = (struct draw_extent){0, 0};
	draw_choose_y(&sweep->panel.up, &y, is->y_axis, options, 6);
	sweep->cut_off = band.most > sweep->panel.up.high ||
			 band.least < sweep->panel.up.low;
}

static int compare_ends(const void *a, const void *b)
{
	const struct end *one = a, *other = b;

	return (one->wanted > other->wanted) - (one->wanted < other->wanted);
}

/* Texts want the height of their ends and push each other apart. */
static void spread_ends(struct sweep *sweep)
{
	const struct draw_panel *panel = &sweep->panel;
	struct end *ends = sweep->ends;
	size_t n = sweep->n_ends;

	for (size_t i = 0; i < n; i++)
		ends[i].wanted =
			isnan(ends[i].y)
				? panel->tall
				: draw_panel_y(panel, ends[i].y) - panel->y;
	qsort(ends, n, sizeof(*ends), compare_ends);
	for (size_t i = 0; i < n; i++)
		ends[i].at = ends[i].wanted;
	for (int turn = 0; turn < 200; turn++) {
		for (size_t i = 0; i + 1 < n; i++) {
			double near = APART - (ends[i + 1].at - ends[i].at);

			ends[i].at -= fmax(0, near) / 2;
			ends[i + 1].at += fmax(0, near) / 2;
		}
	}
	for (size_t i = 0; i < n; i++)
		ends[i].at = fmax(ends[i].at, APART * (double)i);
	for (size_t i = n; i-- > 0;)
		ends[i].at = fmin(
			ends[i].at, panel->tall - APART * (double)(n - 1 - i));
}

static void draw_end(const struct sweep *sweep, const struct end *end)
{
	const struct draw_panel *panel = &sweep->panel;
	const char *colour = end->line ? draw_colour(end->line->look) : grey;
	double right = panel->x + panel->wide;
	double y = panel->y + end->wanted, at = panel->y + end->at;
	char font[48];

	if (isnan(end->y))
		return;
	snprintf(font, sizeof(font), "left 10 plain 0 %s",
		end->line ? draw_ink(end->line->look) : "#6A6A6A");
	draw_text(sweep->drawing, right + 24, at, font, end->text);
	draw(sweep->drawing, "back", DRAW_LINE, draw_panel_x(panel, end->x), y,
		right + 8, y, 0.5, colour);
	draw(sweep->drawing, "back", DRAW_LINE, right + 8, y, right + 21, at,
		0.5, colour);
}

static void draw_curve(const struct sweep *sweep, const struct line *line)
{
	static const double sizes[] = {1.2, 1.1, 1.4, 1.5, 1.4, 1.3};
	size_t block = draw_block(sweep->drawing, line->curve);
	const char *colour = line->single ? grey : draw_colour(line->look);
	bool hollow = line->rank % 2;

	/* gnuplot takes no block without a line. */
	if (line->curve->n == 0)
		return;
	if (line->single) {
		draw(sweep->drawing, "single", "%zu %s 0.6", block, colour);
		return;
	}
	if (line->curve->fit)
		draw(sweep->drawing, "fit", "%zu %s 0.9", block, colour);
	draw(sweep->drawing, "curve", "%zu %s 1.5 %d %g %d", block, colour,
		draw_shape(line->look, hollow), sizes[line->look % 6], hollow);
}

static char *note_of(const struct sweep *sweep)
{
	char others[80] = "";

	if (sweep->n_others == 1)
		snprintf(others, sizeof(others),
			"One curve with other axes is left out.");
	else if (sweep->n_others > 1)
		snprintf(others, sizeof(others),
			"%zu curves with other axes are left out.",
			sweep->n_others);
	return text_format("%s%s%s%s%s",
		!sweep->with_band ? ""
		: sweep->cut_off  ? "With 95 % intervals of the medians, some "
				    "of them cut off."
				  : "With 95 % intervals of the medians.",
		sweep->with_band && sweep->with_fit ? " " : "",
		sweep->with_fit ? "Dashed: fit." : "",
		(sweep->with_band || sweep->with_fit) && *others ? " " : "",
		others);
}

/* The panel's place, and the page around it. */
static void lay_out(struct sweep *sweep)
{
	struct draw_panel *panel = &sweep->panel;
	double longest = 1, marks = 1;
	char text[PLOT_NUMBER_BYTES];

	for (size_t i = 0; i < sweep->n_ends; i++)
		longest = fmax(longest, draw_length(sweep->ends[i].text));
	for (size_t i = 0; i < panel->up.n; i++) {
		draw_mark(&panel->up, i, text);
		marks = fmax(marks, draw_length(text));
	}
	panel->x = 12 + 20 + marks * DRAW_DIGIT * 10 + 8;
	panel->tall = fmax(320, 14 * (double)(sweep->n_ends + 1));
	sweep->drawing->width =
		ceil(panel->x + panel->wide + 26 + longest * 0.58 * 10 + 12);
}

static void draw_names(const struct sweep *sweep)
{
	const struct curve_facts *is = &sweep->drawing->view->result.curves->is;
	const struct draw_panel *panel = &sweep->panel;
	double middle = panel->y + panel->tall / 2;
	char *x = plot_x_title(sweep->drawing->view->result.curves);
	char *y = text_format("%s [%s]", is->y_name, is->y_unit);

	if (x && y) {
		draw_text(sweep->drawing, panel->x + panel->wide / 2,
			panel->y + panel->tall + 32,
			"center 10.5 plain 0 #000000", x);
		draw_text(sweep->drawing, 22, middle,
			"center 10.5 plain 90 #000000", y);
	}
	if (panel->across.n == 0)
		draw_text(sweep->drawing, panel->x + panel->wide / 2, middle,
			"center 12 plain 0 #000000", "no values");
	free(x);
	free(y);
}

int draw_sweep(struct drawing *drawing, struct error *err)
{
	size_t n = drawing->view->result.n_curves;
	struct sweep sweep = {.drawing = drawing,
		.lines = calloc(n + 1, sizeof(struct line)),
		.ends = calloc(n + 1, sizeof(struct end)),
		.panel = {.wide = 500, .size = 10}};
	char *note = NULL;
	int rc = 0;

	if (!sweep.lines || !sweep.ends) {
		rc = error_no_memory(err, "the curves to plot");
	} else {
		take_lines(&sweep);
		take_ends(&sweep);
		choose_axes(&sweep, sweep.panel.wide);
		lay_out(&sweep);
		note = note_of(&sweep);
		sweep.panel.y = draw_captions(drawing,
			(const char *const[2]){note, NULL},
			sweep.panel.tall + 40);
		spread_ends(&sweep);
		draw_panel(drawing, &sweep.panel);
		draw_names(&sweep);
		for (size_t i = 0; i < sweep.n; i++)
			draw_curve(&sweep, &sweep.lines[i]);
		for (size_t i = 0; i < sweep.n_ends; i++)
			draw_end(&sweep, &sweep.ends[i]);
	}
	free(note);
	free(sweep.lines);
	free(sweep.ends);
	return rc;
}
