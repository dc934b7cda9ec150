/*
 * Writes picture files: gnuplot draws PNG and PDF, and c2c writes the other
 * formats.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <strings.h>

#include "figure/strip.h"
#include "render/picture.h"
#include "render/plot.h"
#include "result/file.h"

const char *plot_picture_kind(const char *path)
{
	static const char *const kinds[] = {"png", "svg", "pdf", "gp", "md"};
	const char *dot = strrchr(file_base(path), '.');

	for (size_t i = 0; dot && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcasecmp(dot + 1, kinds[i]) == 0)
			return kinds[i];
	}
	return NULL;
}

/* Make the drawing calls of a picture. */
static int fill_picture_canvas(
	struct drawing *drawing, const char *kind, struct error *err)
{
	struct plot_view *view = drawing->view;
	int rc;

	drawing->canvas.memory = &view->memory;
	drawing->canvas.dark = drawing->options->dark;
	rc = arena_run(&view->memory,
		view->n_images > 0 ? draw_heatmap : draw_curves, drawing,
		"the picture", err);
	/* A PNG has two pixels per 1/72 inch; a script draws one. */
	if (drawing->options->width > 0)
		drawing->canvas.scale =
			(double)drawing->options->width /
			drawing->canvas.width /
			(strcmp(kind, "png") == 0 || strcmp(kind, "gp") == 0
					? 2
					: 1);
	return rc;
}

int plot_write_curves(struct plot_view *view, bool panel,
	const struct plot_options *options, FILE *out, struct error *err)
{
	struct drawing drawing = {.view = view,
		.options = options,
		.panel = panel,
		.canvas = {.memory = &view->memory, .page = true}};
	int rc = arena_run(
		&view->memory, draw_curves, &drawing, "the picture", err);

	if (rc == 0)
		canvas_write_svg(&drawing.canvas, out);
	return rc;
}

int plot_write_panel(struct plot_view *view, const struct plot_panel *panel,
	const struct plot_options *options, FILE *out, struct error *err)
{
	struct plot_panel one = *panel;
	struct plot_view alone = *view;
	int rc;

	alone.curves = panel->curves;
	alone.n_curves = panel->n;
	alone.panels = &one;
	alone.n_panels = 1;
	alone.n_bars = 0;
	rc = plot_write_curves(&alone, true, options, out, err);
	view->memory = alone.memory;
	return rc;
}

void plot_write_strip(
	struct arena *arena, const struct figure_strip *strip, FILE *out)
{
	struct canvas canvas = {.memory = arena, .page = true};

	draw_strip(&canvas, strip);
	canvas_write_svg(&canvas, out);
}

static void copy_picture(FILE *picture, FILE *out)
{
	char bytes[BUFSIZ];
	size_t n;

	rewind(picture);
	while ((n = fread(bytes, 1, sizeof(bytes), picture)) > 0)
		fwrite(bytes, 1, n, out);
}

/* Write a script; the names of its pictures come from its path. */
static void write_script(
	const struct canvas *canvas, const char *path, FILE *out)
{
	const char *name = file_base(path);
	char stem[NAME_MAX + 1];

	snprintf(stem, sizeof(stem), "%.*s",
		(int)(strlen(name) - strlen(".gp")), name);
	canvas_write_gnuplot(canvas, stem, false, out);
}

/* Write an in-memory picture to a file; without one, write a canvas. */
static int write_picture_file(const struct drawing *drawing, const char *kind,
	FILE *picture, const char *path, struct error *err)
{
	struct file_writer writer;
	int rc = file_begin(&writer, path, err);

	if (rc < 0)
		return rc;
	errno = 0;
	if (picture)
		copy_picture(picture, writer.stream);
	else if (strcmp(kind, "gp") == 0)
		write_script(&drawing->canvas, path, writer.stream);
	else
		canvas_write_svg(&drawing->canvas, writer.stream);
	if (!ferror(writer.stream))
		return file_commit(&writer, err);
	rc = file_refuse(path, errno ? errno : EIO, err);
	file_abort(&writer);
	return rc;
}

static int make_picture_file(struct drawing *drawing, const char *kind,
	const char *path, struct error *err)
{
	bool tables = strcmp(kind, "md") == 0;
	FILE *picture = NULL;
	int rc = tables ? plot_write_markdown(drawing, &picture, err)
			: fill_picture_canvas(drawing, kind, err);

	if (rc == 0 && (strcmp(kind, "png") == 0 || strcmp(kind, "pdf") == 0))
		rc = gnuplot_make_picture(drawing, kind, &picture, err);
	if (rc < 0)
		error_prefix(err, "'%s' was not drawn", path);
	else
		rc = write_picture_file(drawing, kind, picture, path, err);
	if (picture)
		fclose(picture);
	return rc;
}

int plot_file(const struct plot_records *records,
	const struct plot_options *options, const char *path, struct error *err)
{
	const char *kind = plot_picture_kind(path);
	struct plot_view view;
	int rc;

	if (!kind)
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s': a picture's name ends in .png, .svg, .pdf, .gp "
			"or .md",
			path);
	rc = plot_view_init(&view, records, options, err);
	if (rc < 0)
		return rc;
	rc = make_picture_file(
		&(struct drawing){.view = &view, .options = options}, kind,
		path, err);
	plot_view_release(&view);
	return rc;
}
