/*
 * Curves of tests: a panel for each family. Of one test all panels are drawn,
 * of several the main ones of each; where there are several devices each has
 * its part of the page.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/draw.h"

#define LEFT   36.0 /* of a panel in its cell */
#define RIGHT  12.0
#define HEAD   15.0 /* its title */
#define BELOW  29.0 /* marks and name of x */
#define STRIP  68.0 /* below the strip: names, legend */
#define NATIVE 9.0  /* a line on ceilings */
#define LEGEND 11.0 /* a line of the legend */

#define MOST_NATIVE_LINES 6

/* Ceilings are drawn up to so many times the highest value. */
#define NEAR_CEILING 3

/* What bands may add to the height of curves. */
#define BAND_ROOM 1.4

struct line {
	const struct curve *curve;
	size_t panel, look;
	bool listed; /* has an entry in the legend */
	bool drawn;  /* its ceiling is near enough */
	struct draw_extent ceiling;
	double best;
};

struct panel {
	const struct curve *first;
	struct draw_extent x, y;
	char native[MOST_NATIVE_LINES][64]; /* what the CPUs do natively */
	size_t n_native, n_ceilings;
	/* Where it stands; those of a group are side by side. */
	size_t row, column, group, run;
	size_t run_cells; /* that share its legend; 0: it has none */
	size_t run_lines;
	double cell_x, top; /* of its cell */
};

struct row {
	const char *device;
	size_t used;	       /* columns */
	double native, legend; /* heights */
	double y, strip_y;     /* strip_y < 0: no strip follows */
};

struct page {
	struct drawing *drawing;
	struct line *lines; /* [n] */
	size_t n;
	struct panel *panels; /* [n_panels], in their order on the page */
	size_t n_panels;
	struct row *rows; /* [n_rows] */
	size_t n_rows, across;
	bool all, several, with_band, any_drawn;
	const char *hollow; /* a variant that is hollow */
	double cell_wide, wide, tall, indent;
};

static bool same(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool is_ceiling(const struct curve *curve)
{
	return curve->is.statistic == CURVE_CEILING;
}

/* Whether a page of several tests shows the curve in a panel. */
static bool is_shown(const struct page *page, const struct curve *curve)
{
	return !page->all || curve->is.place == CURVE_MAIN;
}

/* The place of a curve's first like among those that are drawn. */
static size_t first_like(const struct result *drawn, size_t i,
	bool (*like)(const struct curve *a, const struct curve *b))
{
	size_t k = 0;

	while (!like(&drawn->curves[k], &drawn->curves[i]))
		k++;
	return k;
}

static bool same_device(const struct curve *a, const struct curve *b)
{
	return same(a->is.device, b->is.device);
}

static bool same_test(const struct curve *a, const struct curve *b)
{
	return same_device(a, b) && same(a->is.test, b->is.test);
}

/* By device, by test on a page of several, by part, and as they come. */
struct key {
	size_t device, test, part, panel;
};

static int compare_keys(const void *a, const void *b)
{
	const size_t *one = a, *other = b;

	/* All of them are numbers. */
	for (size_t i = 0; i < sizeof(struct key) / sizeof(size_t); i++) {
		if (one[i] != other[i])
			return one[i] > other[i] ? 1 : -1;
	}
	return 0;
}

/* The panels in their order, and the lines of each: -ENOMEM. */
static int take_panels(struct page *page, struct error *err)
{
	const struct result *drawn = &page->drawing->view->result;
	struct key *keys = calloc(drawn->n_curves, sizeof(*keys));
	size_t n = 0;

	if (!keys)
		return error_no_memory(err, "the panels");
	for (size_t i = 0; i < drawn->n_curves; i++) {
		const struct curve *curve = &drawn->curves[i];
		size_t first = first_like(drawn, i, curve_same_panel);

		if (first == i && is_shown(page, curve))
			keys[n++] = (struct key){
				first_like(drawn, i, same_device),
				page->all ? first_like(drawn, i, same_test) : 0,
				curve->is.part, i};
		page->lines[i] = (struct line){.curve = curve, .panel = first};
	}
	qsort(keys, n, sizeof(*keys), compare_keys);
	for (size_t p = 0; p < n; p++)
		page->panels[p] = (struct panel){
			.first = &drawn->curves[keys[p].panel],
			.x = {NAN, NAN},
			.y = {NAN, NAN},
			/* One number for what stands side by side. */
			.group =
				p > 0 && keys[p].device == keys[p - 1].device &&
						keys[p].test ==
							keys[p - 1].test &&
						(page->all ||
							keys[p].part ==
								keys[p - 1]
									.part)
					? page->panels[p - 1].group
					: p,
		};
	for (size_t i = 0; i < page->n; i++) {
		struct line *line = &page->lines[i];
		size_t p = 0;

		while (p < n && keys[p].panel != line->panel)
			p++;
		line->panel = p;
	}
	page->n_panels = n;
	free(keys);
	return 0;
}

/* The least and the most of each panel; bands have some room above. */
static void measure(struct page *page)
{
	for (size_t i = 0; i < page->n; i++) {
		struct line *line = &page->lines[i];
		const struct curve *curve = line->curve;
		struct draw_extent best = {NAN, NAN};

		draw_extend(&best, curve->median, curve->n);
		line->best = best.most;
		line->ceiling = (struct draw_extent){NAN, NAN};
		draw_extend(&line->ceiling, curve->ceiling, curve->n);
		if (line->panel == page->n_panels)
			continue;
		for (size_t k = 0; k < curve->n; k++) {
			if (!isnan(curve->median[k]))
				draw_extend(&page->panels[line->panel].x,
					&curve->x[k], 1);
		}
		draw_extend(
			&page->panels[line->panel].y, curve->median, curve->n);
	}
	for (size_t p = 0; p < page->n_panels; p++) {
		struct panel *panel = &page->panels[p];
		struct draw_extent band = {NAN, NAN};

		for (size_t i = 0; i < page->n; i++) {
			const struct curve *curve = page->lines[i].curve;

			if (page->lines[i].panel == p)
				draw_extend(&band, curve->high, curve->n);
		}
		page->with_band |= !isnan(band.most);
		if (!isnan(band.most))
			panel->y.most = fmax(panel->y.most,
				fmin(band.most, BAND_ROOM * panel->y.most));
	}
}

static void grouped(char text[PLOT_NUMBER_BYTES], double value)
{
	snprintf(
		text, PLOT_NUMBER_BYTES, value < 1000 ? "%.3g" : "%.0f", value);
}

/* One more item of what stands below a title, in this line or the next. */
static void say(const struct page *page, struct panel *panel,
	const char *before, const char *text)
{
	size_t room = (size_t)(page->cell_wide / 3.8);
	size_t n = panel->n_native;
	char *last = n ? panel->native[n - 1] : NULL;
	size_t used = last ? strlen(last) : 0;

	if (last &&
		(size_t)draw_length(last) + strlen(before) +
				(size_t)draw_length(text) <=
			room &&
		used + strlen(text) + 3 < sizeof(panel->native[0])) {
		snprintf(last + used, sizeof(panel->native[0]) - used, "%s %s",
			before, text);
		return;
	}
	if (last && used + strlen(before) < sizeof(panel->native[0]))
		snprintf(last + used, sizeof(panel->native[0]) - used, "%s",
			before);
	if (n < MOST_NATIVE_LINES)
		snprintf(panel->native[panel->n_native++],
			sizeof(panel->native[0]), "%s", text);
}

/* What the CPUs do natively: in numbers, and drawn where it is near. */
static void take_ceilings(struct page *page, size_t p)
{
	struct panel *panel = &page->panels[p];
	double highest = panel->y.most;
	bool differs = false;

	for (size_t i = 0; i < page->n; i++)
		panel->n_ceilings += page->lines[i].panel == p &&
				     !isnan(page->lines[i].ceiling.most);
	for (size_t i = 0; i < page->n; i++) {
		struct line *line = &page->lines[i];
		char least[PLOT_NUMBER_BYTES], most[PLOT_NUMBER_BYTES];
		char name[CURVE_NAME_BYTES], text[300];
		bool span = line->ceiling.most > 1.05 * line->ceiling.least;

		if (line->panel != p || isnan(line->ceiling.most))
			continue;
		differs = differs || span;
		grouped(least, line->ceiling.least);
		grouped(most, line->ceiling.most);
		snprintf(text, sizeof(text), "%s%s%s%s%s%s",
			panel->n_native ? "" : "natively ",
			panel->n_ceilings > 1 ? curve_name(line->curve, name)
					      : "",
			panel->n_ceilings > 1 ? " " : "", least,
			span ? "–" : "", span ? most : "");
		say(page, panel, ",", text);
		line->drawn = line->ceiling.most <= NEAR_CEILING * highest;
		page->any_drawn |= line->drawn;
		if (line->drawn)
			panel->y.most = fmax(panel->y.most, line->ceiling.most);
	}
	if (differs) {
		char text[200];

		/* From the least to the most along the axis: no interval. */
		snprintf(text, sizeof(text), "by %s", panel->first->is.x_name);
		say(page, panel, "", text);
	}
}

/* That of the member in other panels of the test, or one not taken here. */
static void choose_look(struct page *page, size_t i)
{
	struct line *line = &page->lines[i];
	const struct curve *curve = line->curve;
	size_t look = 0;

	for (size_t k = 0; k < i; k++) {
		const struct line *other = &page->lines[k];

		if (other->panel < page->n_panels &&
			!is_ceiling(other->curve) &&
			same(other->curve->is.test, curve->is.test) &&
			same(other->curve->is.member, curve->is.member))
			look = other->look;
	}
	for (size_t k = 0; k < i;) {
		const struct line *other = &page->lines[k];
		bool taken = other->panel == line->panel &&
			     !is_ceiling(other->curve) && other->look == look &&
			     !same(other->curve->is.member, curve->is.member);

		look += taken;
		k = taken ? 0 : k + 1;
	}
	line->look = look;
}

/* One look for a member within a test; a variant is hollow. */
static void choose_looks(struct page *page)
{
	for (size_t i = 0; i < page->n; i++) {
		struct line *line = &page->lines[i];
		const struct curve *curve = line->curve;

		if (line->panel == page->n_panels || is_ceiling(curve))
			continue;
		choose_look(page, i);
		line->listed = true;
		for (size_t k = 0; k < page->n && curve->is.variant; k++) {
			const struct line *plain = &page->lines[k];

			if (plain->panel == line->panel &&
				!plain->curve->is.variant &&
				!is_ceiling(plain->curve) &&
				same(plain->curve->is.member, curve->is.member))
				line->listed = false;
		}
		if (!line->listed)
			page->hollow = curve->is.variant;
	}
}

/* A group goes to the first row of its device that has room. */
static void place_groups(struct page *page)
{
	for (size_t p = 0, end; p < page->n_panels; p = end) {
		const char *device = page->panels[p].first->is.device;
		size_t r = page->n_rows;

		for (end = p; end < page->n_panels &&
			      page->panels[end].group == page->panels[p].group;)
			end++;
		for (size_t i = page->n_rows; i-- > 0;) {
			if (page->rows[i].used + (end - p) <= page->across &&
				same(page->rows[i].device, device))
				r = i;
		}
		for (size_t k = p; k < end; k++) {
			if (r == page->n_rows)
				page->rows[page->n_rows++] = (struct row){
					.device = device, .strip_y = -1};
			page->panels[k].row = r;
			page->panels[k].column = page->rows[r].used++;
			r += page->rows[r].used == page->across;
		}
	}
}

static bool has_name(const struct page *page, size_t p, const char *name)
{
	char other[CURVE_NAME_BYTES];

	for (size_t i = 0; i < page->n; i++) {
		if (page->lines[i].panel == p &&
			!is_ceiling(page->lines[i].curve) &&
			strcmp(curve_name(page->lines[i].curve, other), name) ==
				0)
			return true;
	}
	return false;
}

/* Whether a panel has no curves but those of the one before its run. */
static bool shares_legend(const struct page *page, size_t p, size_t first)
{
	const struct panel *one = &page->panels[first];
	const struct panel *other = &page->panels[p];
	char name[CURVE_NAME_BYTES];

	if (one->row != other->row || (page->all && one->group != other->group))
		return false;
	for (size_t i = 0; i < page->n; i++) {
		if (page->lines[i].panel == p &&
			!is_ceiling(page->lines[i].curve) &&
			!has_name(page, first,
				curve_name(page->lines[i].curve, name)))
			return false;
	}
	return true;
}

static double entry_wide(const struct curve *curve)
{
	char name[CURVE_NAME_BYTES];

	return 25 + 4.4 * draw_length(curve_name(curve, name));
}

/* The first entry of a legend's line, from the i-th line on; its width. */
static size_t fill_legend(
	const struct page *page, size_t p, size_t i, double *width)
{
	double room =
		(double)page->panels[p].run_cells * page->cell_wide - RIGHT;

	*width = 0;
	for (; i < page->n; i++) {
		double w;

		if (page->lines[i].panel != p || !page->lines[i].listed)
			continue;
		w = entry_wide(page->lines[i].curve);
		if (*width > 0 && *width + w > room)
			break;
		*width += w;
	}
	return i;
}

/* Neighbours whose curves are alike share a legend. */
static void plan_legends(struct page *page)
{
	for (size_t p = 0; p < page->n_panels; p++) {
		struct panel *panel = &page->panels[p];
		size_t first = p > 0 ? page->panels[p - 1].run : p;

		if (p > 0 && shares_legend(page, p, first)) {
			panel->run = first;
			page->panels[first].run_cells++;
		} else {
			panel->run = p;
			panel->run_cells = 1;
		}
	}
	for (size_t p = 0; p < page->n_panels; p++) {
		struct panel *panel = &page->panels[p];
		struct row *row = &page->rows[panel->row];
		double width;

		row->native =
			fmax(row->native, NATIVE * (double)panel->n_native);
		for (size_t i = 0; panel->run == p && i < page->n;) {
			i = fill_legend(page, p, i, &width);
			panel->run_lines += width > 0;
		}
		if (panel->run_lines)
			row->legend = fmax(row->legend,
				LEGEND * (double)panel->run_lines + 3);
	}
}

static bool is_in_strip(
	const struct page *page, const struct curve *curve, const char *device)
{
	return page->all && curve->is.place == CURVE_STRIP &&
	       same(curve->is.device, device);
}

/* Rows from the top; the strip of a device follows its last row. */
static double stack_rows(struct page *page)
{
	double down = 0;

	for (size_t r = 0; r < page->n_rows; r++) {
		struct row *row = &page->rows[r];
		bool first = r == 0 || !same(row->device, row[-1].device);
		bool last = r + 1 == page->n_rows ||
			    !same(row->device, row[1].device);
		bool strip = false;

		down += first && page->several ? 30 : 0;
		row->y = down;
		down += (page->all ? 20 : 6) + HEAD + row->native + page->tall +
			BELOW + row->legend + 8;
		for (size_t i = 0; last && i < page->n; i++)
			strip |= is_in_strip(
				page, page->lines[i].curve, row->device);
		if (strip) {
			row->strip_y = down;
			down += HEAD + page->tall + STRIP;
		}
	}
	return down;
}

static void draw_legend(const struct page *page, size_t p)
{
	const struct panel *panel = &page->panels[p];
	double y = panel->top + page->tall + BELOW + 8, width;
	char name[CURVE_NAME_BYTES];

	for (size_t i = 0, end; i < page->n; i = end) {
		double x;

		end = fill_legend(page, p, i, &width);
		x = panel->cell_x + LEFT / 2 +
		    ((double)panel->run_cells * page->cell_wide - width) / 2;
		for (; i < end; i++) {
			const struct line *line = &page->lines[i];
			const char *colour = draw_colour(line->look);

			if (line->panel != p || !line->listed)
				continue;
			draw(page->drawing, "front", DRAW_LINE, x, y, x + 14, y,
				1.2, colour);
			draw(page->drawing, "point", "%.2f %.2f %d 0.75 %s",
				x + 7, y,
				draw_shape(line->look,
					line->curve->is.variant != NULL),
				colour);
			draw_text(page->drawing, x + 17, y,
				"left 7.5 plain 0 #000000",
				curve_name(line->curve, name));
			x += entry_wide(line->curve);
		}
		y += LEGEND;
	}
}

/* The curve that a ceiling is of: itself, or that member; or NULL. */
static const struct line *member_of(
	const struct page *page, const struct line *ceiling)
{
	for (size_t i = 0; i < page->n; i++) {
		const struct line *line = &page->lines[i];

		if (line->panel == ceiling->panel && !is_ceiling(line->curve) &&
			same(line->curve->is.member, ceiling->curve->is.member))
			return line;
	}
	return NULL;
}

/* A dashed line; its name stands beside it where no colour says it. */
static void draw_bound(const struct page *page, const struct draw_panel *place,
	const struct line *line)
{
	const struct curve *curve = line->curve;
	const struct line *of = member_of(page, line);
	size_t first = 0, last = curve->n;
	const char *font = "left 6.5 plain 0 #444444";

	draw(page->drawing, "bound", "%zu %s 0.9",
		draw_block(page->drawing, curve),
		of ? draw_colour(of->look) : DRAW_GREY);
	if (of || page->panels[line->panel].n_ceilings < 2)
		return;
	while (isnan(curve->ceiling[first]))
		first++;
	while (isnan(curve->ceiling[last - 1]))
		last--;
	/* At the higher end, from where the line leads down. */
	if (curve->ceiling[first] < curve->ceiling[last - 1]) {
		font = "right 6.5 plain 0 #444444";
		first = last - 1;
	}
	draw_text(page->drawing, draw_panel_x(place, curve->x[first]),
		draw_panel_y(place, curve->ceiling[first]) - 4.5, font,
		curve->is.member);
}

static void draw_line_of(const struct page *page,
	const struct draw_panel *place, const struct line *line)
{
	const struct curve *curve = line->curve;
	bool hollow = curve->is.variant != NULL;
	size_t at = 0;

	draw(page->drawing, "curve", "%zu %s %g %d 0.75 %d",
		draw_block(page->drawing, curve), draw_colour(line->look),
		hollow ? 0.8 : 1.2, draw_shape(line->look, hollow), hollow);
	while (at < curve->n && curve->x[at] != curve->mark_x)
		at++;
	if (curve->mark && at < curve->n && !isnan(curve->median[at])) {
		double x = draw_panel_x(place, curve->mark_x);
		double y = draw_panel_y(place, curve->median[at]);

		draw(page->drawing, "point", "%.2f %.2f 6 1.9 %s", x, y,
			draw_colour(line->look));
		draw_text(page->drawing, x + 7, y - 6, "left 7 plain 0 #000000",
			curve->mark);
	}
}

static void draw_titles(const struct page *page, const struct panel *panel)
{
	const struct curve_facts *is = &panel->first->is;
	double middle = panel->cell_x + LEFT + page->wide / 2;
	double native = page->rows[panel->row].native;
	char *title = text_format("%s [%s]", is->family, is->y_unit);
	char *x = plot_x_title(panel->first);

	if (title && x) {
		draw_text(page->drawing, middle - 6, panel->top - native - 8,
			draw_length(is->family) > 26
				? "center 7.5 bold 0 #000000"
				: "center 8.5 bold 0 #000000",
			title);
		draw_text(page->drawing, middle, panel->top + page->tall + 22,
			"center 8 plain 0 #000000", x);
	}
	for (size_t i = 0; i < panel->n_native; i++)
		draw_text(page->drawing, middle,
			panel->top - native + 2 + NATIVE * (double)i,
			"center 7 plain 0 #444444", panel->native[i]);
	free(title);
	free(x);
}

/* What begins with a panel: a device, a test. */
static void draw_heads(const struct page *page, size_t p)
{
	const struct panel *panel = &page->panels[p];
	const struct row *row = &page->rows[panel->row];
	double top = panel->top - row->native - HEAD - (page->all ? 20 : 6);
	double end = panel->cell_x;

	if (page->several && panel->column == 0 &&
		(panel->row == 0 || !same(row->device, row[-1].device)))
		draw_text(page->drawing, page->indent + 4, top - 15,
			"left 12 bold 0 #000000", row->device);
	if (!page->all || (p > 0 && panel[-1].group == panel->group))
		return;
	for (size_t k = p; k < page->n_panels; k++) {
		if (page->panels[k].group == panel->group &&
			page->panels[k].row == panel->row)
			end += page->cell_wide;
	}
	draw(page->drawing, "back", DRAW_LINE, panel->cell_x + 4, top + 2,
		end - 4, top + 2, 0.6, "#BBBBBB");
	draw_text(page->drawing, panel->cell_x + 4, top + 11,
		"left 9.5 bold 0 #000000", panel->first->is.test);
}

static void draw_one(struct page *page, size_t p)
{
	struct panel *panel = &page->panels[p];
	const struct curve_facts *is = &panel->first->is;
	struct draw_panel place = {.x = panel->cell_x + LEFT,
		.y = panel->top,
		.wide = page->wide,
		.tall = page->tall,
		.size = 7.5};
	struct draw_extent y = panel->y;

	if (isnan(y.most))
		y = (struct draw_extent){0, 0};
	draw_choose_x(&place.across, &panel->x, is->x_axis, page->wide, 7.5);
	draw_choose_y(&place.up, &y, is->y_axis, page->drawing->options, 5);
	draw_heads(page, p);
	draw_titles(page, panel);
	draw_panel(page->drawing, &place);
	if (isnan(panel->y.most))
		draw_text(page->drawing, place.x + place.wide / 2,
			place.y + place.tall / 2, "center 9 plain 0 #000000",
			"no values");
	for (size_t i = 0; i < page->n; i++) {
		const struct line *line = &page->lines[i];

		if (line->panel != p || line->curve->n == 0)
			continue;
		if (line->drawn)
			draw_bound(page, &place, line);
		if (!is_ceiling(line->curve))
			draw_line_of(page, &place, line);
	}
	if (panel->run == p)
		draw_legend(page, p);
}

#define MOST_KINDS 4

/* Curves of a device by their best values: names, and the kinds of them. */
struct strip {
	const char **names; /* [n] */
	size_t n;
	const char *kinds[MOST_KINDS];
	size_t n_kinds;
	struct draw_panel place;
};

/* Its place in a list, at whose end it is added while there is room. */
static size_t place_of(
	const char **list, size_t *n, size_t room, const char *name)
{
	size_t i = 0;

	while (i < *n && strcmp(list[i], name) != 0)
		i++;
	if (i == *n && i < room)
		list[(*n)++] = name;
	return i < room ? i : room - 1;
}

static void draw_strip_frame(const struct page *page, const struct strip *strip)
{
	const struct draw_panel *place = &strip->place;
	double middle = place->x + place->wide / 2;
	double bottom = place->y + place->tall;

	draw_panel(page->drawing, place);
	draw_text(page->drawing, middle, place->y - 8,
		"center 8.5 bold 0 #000000",
		"built-in functions, the best of all vectors [Gcalls/s]");
	for (size_t i = 0; i < strip->n; i++) {
		double x = draw_panel_x(place, (double)i + 1);

		draw_text(page->drawing, x, bottom + 5,
			"right 7.5 plain 90 #444444", strip->names[i]);
		draw(page->drawing, "back", DRAW_LINE, x, place->y, x, bottom,
			0.5, "#E0E0E0");
	}
	for (size_t k = 0; k < strip->n_kinds; k++) {
		double x = middle - 60 + 60 * (double)k;

		draw(page->drawing, "point", "%.2f %.2f %d 0.75 %s", x,
			bottom + 58, draw_shape(k, false), draw_colour(k));
		draw_text(page->drawing, x + 8, bottom + 58,
			"left 7.5 plain 0 #000000", strip->kinds[k]);
	}
}

static int draw_strip(
	struct page *page, const struct row *row, double top, struct error *err)
{
	struct draw_extent y = {NAN, NAN};
	struct strip strip = {.names = calloc(page->n, sizeof(char *))};
	double grid = (double)page->across * page->cell_wide;

	if (!strip.names)
		return error_no_memory(err, "the strip");
	for (size_t i = 0; i < page->n; i++) {
		const struct line *line = &page->lines[i];

		if (!is_in_strip(page, line->curve, row->device))
			continue;
		place_of(
			strip.names, &strip.n, page->n, line->curve->is.member);
		place_of(strip.kinds, &strip.n_kinds, MOST_KINDS,
			line->curve->is.y_name);
		draw_extend(&y, &line->best, 1);
	}
	strip.place = (struct draw_panel){.x = page->indent + LEFT,
		.y = top + row->strip_y + HEAD,
		.wide = fmin(grid - LEFT - RIGHT,
			fmax(page->wide, 40 * (double)strip.n)),
		.tall = page->tall,
		.size = 7.5,
		.across = {.low = 0.3, .high = (double)strip.n + 0.7}};
	if (isnan(y.most))
		y = (struct draw_extent){0.1, 1};
	/* Always in powers: functions differ by nature. */
	y.least = fmin(y.least, y.most / 4);
	draw_choose_y(&strip.place.up, &y, CURVE_RATIOS,
		&(struct plot_options){.range_min = NAN}, 5);
	draw_strip_frame(page, &strip);
	for (size_t i = 0; i < page->n; i++) {
		const struct line *line = &page->lines[i];
		size_t x, k;

		if (!is_in_strip(page, line->curve, row->device) ||
			isnan(line->best))
			continue;
		x = place_of(
			strip.names, &strip.n, page->n, line->curve->is.member);
		k = place_of(strip.kinds, &strip.n_kinds, MOST_KINDS,
			line->curve->is.y_name);
		draw(page->drawing, "point", "%.2f %.2f %d 0.75 %s",
			draw_panel_x(&strip.place, (double)x + 1),
			draw_panel_y(&strip.place, line->best),
			draw_shape(k, false), draw_colour(k));
	}
	free(strip.names);
	return 0;
}

static void size_cells(struct page *page)
{
	size_t shown = page->n_panels ? page->n_panels : 1;

	page->across = !page->all && shown < 4 ? shown : 4;
	page->cell_wide = page->all	      ? 216
			  : page->across == 4 ? 230
			  : page->across == 3 ? 270
					      : 320;
	page->wide = page->cell_wide - LEFT - RIGHT;
	page->tall = page->all ? 88 : page->across == 4 ? 130 : 160;
	page->drawing->width =
		fmax(28 + (double)page->across * page->cell_wide, 560);
	page->indent = (page->drawing->width -
			       (double)page->across * page->cell_wide) /
		       2;
}

static char *note_of(const struct page *page)
{
	return text_format("%s%s%s%s%s",
		page->with_band ? "Bands: 95 % intervals of the medians. " : "",
		page->hollow ? "Hollow: " : "",
		page->hollow ? page->hollow : "", page->hollow ? ". " : "",
		page->any_drawn ? "Dashed: what the same CPUs do natively."
				: "");
}

static int lay_out(struct page *page, struct error *err)
{
	const struct result *drawn = &page->drawing->view->result;
	int rc;

	page->n = drawn->n_curves;
	for (size_t i = 1; i < page->n; i++) {
		page->all |= !same(
			drawn->curves[i].is.test, drawn->curves[0].is.test);
		page->several |= !same_device(&drawn->curves[i], drawn->curves);
	}
	rc = take_panels(page, err);
	if (rc < 0)
		return rc;
	size_cells(page);
	measure(page);
	for (size_t p = 0; p < page->n_panels; p++)
		take_ceilings(page, p);
	choose_looks(page);
	place_groups(page);
	plan_legends(page);
	return 0;
}

static int draw_page(struct page *page, struct error *err)
{
	static const char all[] = "Main curves of each test; c2c plot --test "
				  "NAME draws all of one.";
	double high = stack_rows(page);
	char *note = note_of(page);
	const char *const notes[2] = {note, page->all ? all : NULL};
	double top = draw_captions(page->drawing, notes, high);
	int rc = note ? 0 : error_no_memory(err, "the note");

	free(note);
	for (size_t p = 0; p < page->n_panels && rc == 0; p++) {
		struct panel *panel = &page->panels[p];
		const struct row *row = &page->rows[panel->row];

		panel->cell_x =
			page->indent + (double)panel->column * page->cell_wide;
		panel->top = top + row->y + (page->all ? 20 : 6) + HEAD +
			     row->native;
		draw_one(page, p);
	}
	for (size_t r = 0; r < page->n_rows && rc == 0; r++) {
		if (page->rows[r].strip_y >= 0)
			rc = draw_strip(page, &page->rows[r], top, err);
	}
	return rc;
}

int draw_panels(struct drawing *drawing, struct error *err)
{
	size_t n = drawing->view->result.n_curves;
	struct page page = {.drawing = drawing,
		.lines = calloc(n, sizeof(struct line)),
		.panels = calloc(n, sizeof(struct panel)),
		.rows = calloc(n + 1, sizeof(struct row))};
	int rc = -ENOMEM;

	if (page.lines && page.panels && page.rows)
		rc = lay_out(&page, err);
	else
		error_no_memory(err, "the panels");
	if (rc == 0)
		rc = draw_page(&page, err);
	free(page.lines);
	free(page.panels);
	free(page.rows);
	return rc;
}
