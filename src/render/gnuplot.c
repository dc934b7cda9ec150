/*
 * Lets gnuplot draw a script that c2c writes.
 *
 * Script and picture are in-memory files that gnuplot opens as /proc/self/fd/N.
 * So no temporary file remains if c2c is killed, and c2c reports write errors
 * that gnuplot ignores, like a full disk. User text reaches gnuplot as data,
 * never as commands, and without a shell.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "render/picture.h"
#include "util/child.h"
#include "util/text.h"

/* Bytes of gnuplot's output in a message, with the NUL. */
#define GNUPLOT_OUTPUT_BYTES 400

FILE *gnuplot_memory_file(const char *name, struct error *err)
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
			"plot --term'; the data is intact");
	return error_of_call(
		err, code, "clone and execve", "gnuplot cannot be run");
}

static int gnuplot_stop_error(const struct plot_options *options,
	const struct child_end *end, struct error *err)
{
	if (end->stopped)
		return error_set(err, ERROR_FAILURE, EINTR,
			"a signal to c2c ended gnuplot; the data is intact, "
			"'c2c plot' draws it again");
	return error_set(err, ERROR_FAILURE, ETIMEDOUT,
		"gnuplot took longer than %g s and was ended; the data is "
		"intact: see it with 'c2c plot --term', draw it as .svg, or "
		"less of it (--matrix, --test)",
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

	/* A PDF contains the date with its time zone; c2c only uses UTC. */
	setenv("TZ", "UTC0", 1);
	/* GNUTERM may name a terminal that this gnuplot lacks. */
	unsetenv("GNUTERM");
	unsetenv("GNUPLOT_LIB");
	code = child_run(&child, &end);
	if (code)
		return gnuplot_start_error(code, err);
	if (end.stopped || end.timed_out)
		return gnuplot_stop_error(options, &end, err);
	if (WIFEXITED(end.status) && WEXITSTATUS(end.status) == 0)
		return 0;
	/* A caret marks the position of an error in the previous line. */
	for (char *c = output; (c = strchr(c, '^')); c++)
		*c = ' ';
	text_one_line(output);
	return gnuplot_exit_error(end.status, output, err);
}

/* Check that the picture ends as its format requires. */
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

/* Let gnuplot make a picture in memory from a script in memory. */
static int draw_picture(const struct drawing *drawing, FILE *script,
	FILE *picture, const char *kind, struct error *err)
{
	char paths[2][32];
	/* -d: ignore ~/.gnuplot, which could change the picture. */
	char kind_of[4];
	char *const argv[] = {
		"gnuplot", "-d", "-c", paths[0], paths[1], kind_of, NULL};
	int rc;

	snprintf(
		paths[0], sizeof(paths[0]), "/proc/self/fd/%d", fileno(script));
	snprintf(paths[1], sizeof(paths[1]), "/proc/self/fd/%d",
		fileno(picture));
	snprintf(kind_of, sizeof(kind_of), "%s", kind);
	canvas_write_gnuplot(&drawing->canvas, "picture", true, script);
	if (fflush(script) != 0 || ferror(script))
		return error_set(err, ERROR_FAILURE, errno,
			"no memory for gnuplot: %s", strerror(errno));
	rc = run_gnuplot(argv, drawing->options, err);
	return rc < 0 ? rc : check_picture_end(picture, kind, err);
}

int gnuplot_make_picture(const struct drawing *drawing, const char *kind,
	FILE **picture, struct error *err)
{
	FILE *script = gnuplot_memory_file("script.gp", err);
	int rc = -EIO;

	if (script)
		*picture = gnuplot_memory_file("picture", err);
	if (*picture)
		rc = draw_picture(drawing, script, *picture, kind, err);
	if (script)
		fclose(script);
	return rc;
}
