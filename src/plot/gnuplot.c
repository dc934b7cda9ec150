/*
 * Files of pictures. c2c writes an SVG itself. gnuplot draws the others: it
 * runs heatmap.gp or curves.gp on a .dat with what is drawn, in the order asked
 * for. Copies of the scripts are in the program.
 *
 * Script, data and picture are files in memory that gnuplot opens as
 * /proc/self/fd/N. So nothing is left behind, however the program ends, and c2c
 * notices what it cannot write to the user's file (a full disk, a device),
 * which gnuplot does not tell. What users wrote reaches gnuplot as arguments
 * and data, never as commands, and no shell is in between.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plot/curves_gp.h"
#include "plot/draw.h"
#include "plot/heatmap_gp.h"
#include "plot/plot.h"
#include "plot/stamp.h"
#include "plot/view.h"
#include "result/file.h"
#include "result/format.h"
#include "util/child.h"
#include "util/text.h"

/* How much of gnuplot's output goes into a message, with a NUL. */
#define GNUPLOT_OUTPUT_BYTES 400

/* A file in memory that children inherit; NULL with *err. */
static FILE *memory_file(const char *name, struct error *err)
{
	int fd = memfd_create(name, 0);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w+");

	if (!file) {
		error_of_call(err, errno, "memfd_create",
			"no memory file for gnuplot");
		if (fd >= 0)
			close(fd);
	}
	return file;
}

static int gnuplot_exit_error(int status, const char *output, struct error *err)
{
	char how[64];

	if (WIFSIGNALED(status))
		snprintf(how, sizeof(how), "was ended by signal %d",
			WTERMSIG(status));
	else
		snprintf(how, sizeof(how), "failed with status %d",
			WEXITSTATUS(status));
	return error_set(err, ERROR_FAILURE, EIO,
		"gnuplot %s%s%s; c2c needs gnuplot 5.4 or later with the cairo "
		"terminals",
		how, *output ? ": " : "", output);
}

static int gnuplot_start_error(int code, struct error *err)
{
	if (code == ENOENT)
		return error_set(err, ERROR_UNAVAILABLE, ENOENT,
			"gnuplot is not in PATH: install it (package "
			"gnuplot-nox on Debian, gnuplot elsewhere) and plot "
			"the saved result with 'c2c plot', or see it with 'c2c "
			"plot --term'; the data is unharmed");
	return error_of_call(
		err, code, "clone and execve", "gnuplot cannot be run");
}

static int gnuplot_stop_error(const struct plot_options *options,
	const struct child_end *end, struct error *err)
{
	if (end->stopped)
		return error_set(err, ERROR_FAILURE, EINTR,
			"a signal to c2c ended gnuplot; the data is unharmed, "
			"'c2c plot' draws it again");
	return error_set(err, ERROR_FAILURE, ETIMEDOUT,
		"gnuplot took longer than %g s and was ended; the data is "
		"unharmed: see it with 'c2c plot --term', draw less of it "
		"(--matrix, --test), or run gnuplot by hand, which 'man "
		"c2c-plot' tells",
		options->limit_s);
}

static int run_gnuplot(char *const *argv, const struct plot_options *options,
	struct error *err)
{
	static const struct child_file files[] = {
		{CHILD_PIPE, STDOUT_FILENO}, {CHILD_PIPE, STDERR_FILENO}};
	char output[GNUPLOT_OUTPUT_BYTES] = "";
	const struct child child = {
		.argv = argv,
		.files = files,
		.n_files = sizeof(files) / sizeof(*files),
		.limit_s = options->limit_s,
		.stop = options->stop,
		.text = output,
		.text_bytes = sizeof(output),
		.on_halted = options->on_halted,
		.on_slow = options->on_slow,
	};
	struct child_end end;
	int code;

	/* A PDF has the date with its zone, and c2c itself only uses UTC. */
	setenv("TZ", "UTC0", 1);
	/* A profile may choose a terminal that this gnuplot does not have. */
	unsetenv("GNUTERM");
	unsetenv("GNUPLOT_LIB");
	code = child_run(&child, &end);
	if (code)
		return gnuplot_start_error(code, err);
	if (end.stopped || end.timed_out)
		return gnuplot_stop_error(options, &end, err);
	if (WIFEXITED(end.status) && WEXITSTATUS(end.status) == 0)
		return 0;
	/* A caret points to the place of an error in the line above. */
	for (char *c = output; (c = strchr(c, '^')); c++)
		*c = ' ';
	text_one_line(output);
	return gnuplot_exit_error(end.status, output, err);
}

/* Whether the picture ends as its format must. */
static int check_picture_end(FILE *file, const char *kind, struct error *err)
{
	static const struct {
		const char *kind, *end;
	} ends[] = {{"png", "IEND"}, {"pdf", "%%EOF"}};
	char tail[24] = {0};
	size_t n = 0;

	if (fseek(file, -16, SEEK_END) == 0)
		n = fread(tail, 1, 16, file);
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		if (strcmp(kind, ends[i].kind) == 0 &&
			memmem(tail, n, ends[i].end, strlen(ends[i].end)))
			return 0;
	}
	return error_set(err, ERROR_FAILURE, EIO,
		"gnuplot did not finish the picture: check the free memory");
}

/* What draws a view, and the script that draws its lines. */
struct picture_script {
	const char *script, *text;
	int (*draw)(struct arena *memory, void *drawing, struct error *err);
};

static const struct picture_script *find_picture_script(
	const struct result *drawn)
{
	static const struct picture_script heatmap = {
		"heatmap.gp", heatmap_gp, draw_heatmap};
	static const struct picture_script curves = {
		"curves.gp", curves_gp, draw_curves};

	return drawn->n_matrices > 0 ? &heatmap : &curves;
}

/* Make all calls of a picture. */
static int fill_picture_canvas(struct drawing *drawing, struct error *err)
{
	const struct picture_script *kind =
		find_picture_script(&drawing->view->result);

	drawing->canvas.memory = &drawing->view->memory;
	return arena_run(&drawing->view->memory, kind->draw, drawing,
		"the picture", err);
}

/* Write blocks, with the picture of a view of them. */
static int write_picture_dat(struct plot_view *view,
	const struct plot_options *options, const struct result *blocks,
	FILE *out, struct error *err)
{
	struct drawing drawing = {
		.view = view, .options = options, .blocks = blocks};
	int rc = fill_picture_canvas(&drawing, err);

	if (rc == 0) {
		canvas_write_lines(&drawing.canvas,
			find_picture_script(&view->result)->script, out);
		rc = result_write_dat(blocks, out, err);
	}
	if (rc < 0 || !drawing.cells)
		return rc;
	fputs("\n\n# cells: PANEL COLUMN ROW COLOUR NUMBER\n", out);
	draw_cell_numbers(&drawing, out);
	return format_flush(out, err);
}

int plot_write_dat(const struct result *result, FILE *out, struct error *err)
{
	struct plot_options options;
	struct plot_view view;
	int rc;

	plot_options_init(&options);
	/* A result without anything to draw still has facts. */
	if (plot_view_init(&view, result, &options, NULL) < 0)
		return result_write_dat(result, out, err);
	rc = write_picture_dat(&view, &options, result, out, err);
	plot_view_release(&view);
	return rc;
}

int plot_save(const struct result *result, const char *path, struct error *err)
{
	enum file_format format;
	int rc = file_format_of(path, &format, err);

	if (rc < 0 || format != FILE_DAT)
		return rc < 0 ? rc : result_save(result, path, err);
	return file_save(result, path, plot_write_dat, err);
}

/* Let gnuplot make the picture from a script and a .dat in memory. */
static int draw_picture(struct plot_view *view,
	const struct plot_options *options, FILE *const files[3],
	const char *kind, struct error *err)
{
	char paths[3][32];
	/* -d: the picture is the same whatever ~/.gnuplot says. */
	char *const argv[] = {"gnuplot", "-d", "-c", paths[0], paths[1],
		paths[2], (char *)kind, NULL};
	int rc = 0;

	for (size_t i = 0; i < 3; i++)
		snprintf(paths[i], sizeof(paths[i]), "/proc/self/fd/%d",
			fileno(files[i]));
	if (fputs(find_picture_script(&view->result)->text, files[0]) < 0 ||
		fflush(files[0]) != 0)
		rc = error_set(err, ERROR_FAILURE, errno,
			"no memory for gnuplot: %s", strerror(errno));
	if (rc == 0)
		rc = write_picture_dat(
			view, options, &view->result, files[1], err);
	if (rc == 0)
		rc = run_gnuplot(argv, options, err);
	return rc < 0 ? rc : check_picture_end(files[2], kind, err);
}

static int write_picture(
	FILE *picture, const char *kind, const char *path, struct error *err)
{
	struct file_writer writer;
	int rc = file_begin(&writer, path, err);

	if (rc < 0)
		return rc;
	errno = 0;
	rc = plot_stamp(picture, kind, writer.stream);
	if (rc == 0)
		return file_commit(&writer, err);
	rc = file_refuse(path, errno ? errno : EIO, err);
	file_abort(&writer);
	return rc;
}

static int write_svg_file(struct plot_view *view,
	const struct plot_options *options, const char *path, struct error *err)
{
	struct drawing drawing = {
		.view = view, .options = options, .blocks = &view->result};
	struct file_writer writer;
	int rc = fill_picture_canvas(&drawing, err);

	if (rc < 0)
		error_prefix(err, "'%s' was not drawn", path);
	else
		rc = file_begin(&writer, path, err);
	if (rc < 0)
		return rc;
	canvas_write_svg(&drawing.canvas, writer.stream);
	return file_commit(&writer, err);
}

static int write_gnuplot_file(struct plot_view *view,
	const struct plot_options *options, const char *kind, const char *path,
	struct error *err)
{
	static const char *const names[] = {
		"script.gp", "result.dat", "picture"};
	FILE *files[3] = {NULL, NULL, NULL};
	int rc = 0;

	for (size_t i = 0; i < 3 && rc == 0; i++) {
		files[i] = memory_file(names[i], err);
		rc = files[i] ? 0 : -EIO;
	}
	if (rc == 0)
		rc = draw_picture(view, options, files, kind, err);
	if (rc < 0)
		error_prefix(err, "'%s' was not drawn", path);
	else
		rc = write_picture(files[2], kind, path, err);
	for (size_t i = 0; i < 3; i++) {
		if (files[i])
			fclose(files[i]);
	}
	return rc;
}

int plot_file(const struct result *result, const struct plot_options *options,
	const char *path, struct error *err)
{
	const char *kind = plot_picture_kind(path);
	struct plot_view view;
	int rc;

	if (!kind)
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s': a picture's name ends in .png, .svg or .pdf",
			path);
	rc = plot_view_init(&view, result, options, err);
	if (rc < 0)
		return rc;
	rc = strcmp(kind, "svg") == 0
		     ? write_svg_file(&view, options, path, err)
		     : write_gnuplot_file(&view, options, kind, path, err);
	plot_view_release(&view);
	return rc;
}
