/*
 * Pictures: what they show, what gnuplot is started with, and what comes of its
 * failures.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "../case_group.h"
#include "machine/machine.h"
#include "plot_sample.h"
#include "render/plot.h"

/*
 * A gnuplot that keeps what it was given: -d -c SCRIPT OUT. Then it does what
 * the case at hand says.
 */
#define FAKE                                                                   \
	"#!/bin/sh\n"                                                          \
	"PATH=/usr/bin:/bin\n"                                                 \
	"folder=${0%/*}\n"                                                     \
	"printf '%s\\n' \"$1\" \"$2\" \"$#\" >\"$folder/arguments\"\n"         \
	"cat \"$3\" >\"$folder/script\"\n"                                     \
	"out=$4\n"

#define FAKE_PNG "printf 'a whole picture ends in IEND' >\"$out\"\n"

static const double three[] = {NAN, 1, 2, 1, NAN, 3, 2, 3, NAN};

/* The scratch folder of a case: work in it, bin/gnuplot is its gnuplot. */
struct scratch {
	char folder[32];
	char bin[64];
};

static void write_text(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static char *read_text(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = NULL;
	size_t bytes = 0;

	assert_non_null(file);
	/* What has a NUL ends there: bytes of images, behind all text. */
	assert_true(getdelim(&text, &bytes, '\0', file) >= 0);
	fclose(file);
	return text;
}

static void assert_file(const char *path, const char *expected)
{
	char *text = read_text(path);

	assert_string_equal(text, expected);
	free(text);
}

static void fake_gnuplot(const char *then)
{
	char text[2048];

	snprintf(text, sizeof(text), "%s%s", FAKE, then);
	write_text("bin/gnuplot", text);
	assert_int_equal(chmod("bin/gnuplot", 0755), 0);
}

static int set_up(void **state)
{
	struct scratch *scratch = calloc(1, sizeof(*scratch));

	assert_non_null(scratch);
	strcpy(scratch->folder, "/tmp/test-plot-XXXXXX");
	assert_non_null(mkdtemp(scratch->folder));
	assert_int_equal(chdir(scratch->folder), 0);
	assert_int_equal(mkdir("bin", 0755), 0);
	snprintf(scratch->bin, sizeof(scratch->bin), "%s/bin", scratch->folder);
	assert_int_equal(setenv("PATH", scratch->bin, 1), 0);
	*state = scratch;
	return 0;
}

static void remove_files(const char *folder)
{
	DIR *stream = opendir(folder);
	struct dirent *entry;

	assert_non_null(stream);
	while ((entry = readdir(stream))) {
		char path[512];

		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		unlink(path);
	}
	closedir(stream);
}

static int tear_down(void **state)
{
	struct scratch *scratch = *state;

	assert_int_equal(chdir("/"), 0);
	remove_files(scratch->bin);
	rmdir(scratch->bin);
	remove_files(scratch->folder);
	rmdir(scratch->folder);
	free(scratch);
	return 0;
}

/* How many files are in the working folder, bin aside. */
static size_t count_files(void)
{
	DIR *stream = opendir(".");
	struct dirent *entry;
	size_t count = 0;

	assert_non_null(stream);
	while ((entry = readdir(stream)))
		count += strcmp(entry->d_name, ".") != 0 &&
			 strcmp(entry->d_name, "..") != 0 &&
			 strcmp(entry->d_name, "bin") != 0;
	closedir(stream);
	return count;
}

/* How often something is in a file. */
static size_t count_in(const char *path, const char *what)
{
	char *text = read_text(path);
	size_t count = 0;

	for (const char *at = text; (at = strstr(at, what)); at++)
		count++;
	free(text);
	return count;
}

/* All texts of an SVG, each behind a blank. */
static char *svg_texts(const char *path)
{
	char *text = read_text(path), *end = text;

	for (char *at = text; (at = strstr(at, "<text "));) {
		at = strchr(at, '>') + 1;
		*end++ = ' ';
		while (*at != '<')
			*end++ = *at++;
	}
	*end = '\0';
	return text;
}

static void gnuplot_gets_a_script(void **state)
{
	struct plot_options options;
	struct result result;

	(void)state;
	fake_gnuplot(FAKE_PNG);
	plot_sample(&result, "5,0,2", three);
	plot_options_init(&options);
	assert_int_equal(
		plot_file(PLOT_RECORD(&result), &options, "x.png", NULL), 0);
	assert_file("x.png", "a whole picture ends in IEND");
	assert_int_equal(count_files(), 1);
	assert_file("bin/arguments", "-d\n-c\n5\n");
	assert_int_equal(count_in("bin/script", "set terminal pngcairo "), 1);
	assert_int_equal(count_in("bin/script", "set output picture\n"), 1);
	/* The scale and the cells. */
	assert_int_equal(count_in("bin/script", " with rgbimage"), 2);
	assert_int_equal(count_in("bin/script", "binary array=(513,513) "), 1);
	assert_int_equal(
		plot_file(PLOT_RECORD(&result), &options, "x.svg", NULL), 0);
	result_release(&result);
}

/* What users write is data, as it is: no shell, no gnuplot command. */
static void texts_are_data(void **state)
{
	struct plot_options options;
	struct result result;

	(void)state;
	fake_gnuplot("printf 'the end is %%%%EOF\n' >\"$out\"\n");
	plot_sample(&result, "0-2", three);
	plot_options_init(&options);
	options.title = "`id` $(id) \"; exit\nend\nexit {/Bold x}_y";
	options.range_min = 0.5;
	options.range_max = 1e6;
	assert_int_equal(
		plot_file(PLOT_RECORD(&result), &options, "-x.PDF", NULL), 0);
	assert_int_equal(count_in("bin/script", "set terminal pdfcairo "), 1);
	/* On one line: none begins with what is in it. */
	assert_int_equal(
		count_in("bin/script", " \"`id` $(id) \\042; exit end exit "
				       "{/Bold x}_y\"\n"),
		1);
	assert_int_equal(count_in("bin/script", " \"1000000\"\n"), 1);
	result_release(&result);
}

static void only_the_chosen_matrix_in_order_is_drawn(void **state)
{
	struct plot_options options;
	struct machine *machine;
	struct matrix *matrix;
	struct result result;
	char *texts;

	(void)state;
	result_init(&result);
	assert_int_equal(cpu_list_parse(&result.cpus, "0-7", NULL), 0);
	result_add_matrix(
		&result, "latency", "median", "ns", NULL, false, true);
	matrix = result_add_matrix(
		&result, "latency", "min", "ns", NULL, false, true);
	for (size_t i = 0; i < 8; i++) {
		for (size_t j = 0; j < 8; j++)
			matrix->values[i * 8 + j] = (double)(i + j);
	}
	assert_int_equal(machine_new_synthetic(&machine,
				 "package:2 l3:2 pu:2(indexes=2*4:1*2)", NULL),
		0);
	result.hwloc_xml = machine_export_xml(machine);
	machine_free(machine);
	plot_options_init(&options);
	options.statistic = "min";
	options.order = PLOT_ORDER_TOPOLOGY;
	assert_int_equal(
		plot_file(PLOT_RECORD(&result), &options, "x.svg", NULL), 0);
	/* Lines across and down before CPUs 2 and 6, and before CPU 4. */
	assert_int_equal(
		count_in("x.svg", "\"#FFFFFF\" stroke-width=\"0.6\""), 4);
	assert_int_equal(
		count_in("x.svg", "\"#FFFFFF\" stroke-width=\"2\""), 2);
	texts = svg_texts("x.svg");
	assert_non_null(strstr(texts, " latency, min [ns]"));
	assert_null(strstr(texts, "median"));
	/* Labels below and beside the cells, and the numbers of two rows. */
	assert_non_null(strstr(texts, " 0 0 4 4 1 1 5 5 2 2 6 6 3 3 7 7 "
				      "0 4 1 5 2 6 3 7 4 8 5 9 6 10 7 11 "));
	free(texts);
	result_release(&result);
}

/* 0 4 8 ... 92 would look like the labels of half as many CPUs. */
static void second_siblings_have_labels_too(void **state)
{
	struct plot_options options;
	struct machine *machine;
	struct result result;

	(void)state;
	result_init(&result);
	assert_int_equal(cpu_list_parse(&result.cpus, "0-191", NULL), 0);
	result_add_matrix(
		&result, "latency", "median", "ns", NULL, false, true);
	assert_int_equal(machine_new_synthetic(&machine,
				 "l3:12 core:8 pu:2(indexes=2*96:96*1)", NULL),
		0);
	result.hwloc_xml = machine_export_xml(machine);
	machine_free(machine);
	plot_options_init(&options);
	options.order = PLOT_ORDER_TOPOLOGY;
	assert_int_equal(
		plot_file(PLOT_RECORD(&result), &options, "x.svg", NULL), 0);
	/* At every ninth place, across and down. */
	assert_int_equal(count_in("x.svg", ">0</text>"), 2);
	assert_int_equal(count_in("x.svg", ">100</text>"), 2);
	assert_int_equal(count_in("x.svg", ">9</text>"), 2);
	result_release(&result);
}

static void curves_have_the_range_of_the_options(void **state)
{
	struct plot_options options;
	struct result result;
	const struct curve_facts facts = {
		.family = "y",
		.member = "a b",
		.x_name = "x",
		.x_unit = "B",
		.x_axis = CURVE_BYTES,
		.y_unit = "GiB/s",
	};
	struct curve *curve;
	char *texts;

	(void)state;
	plot_sample(&result, "0-2", three);
	curve = result_add_curve(&result, &facts, 1);
	assert_non_null(curve);
	curve->x[0] = 64;
	curve->median[0] = 1.5;
	plot_options_init(&options);
	options.series = true;
	options.range_min = 0;
	options.range_max = 2;
	assert_int_equal(
		plot_file(PLOT_RECORD(&result), &options, "x.svg", NULL), 0);
	texts = svg_texts("x.svg");
	assert_non_null(strstr(texts, " 0.0 0.2 0.4 "));
	assert_non_null(strstr(texts, " 1.8 2.0 64 B "));
	assert_non_null(strstr(texts, " a b"));
	free(texts);
	/* The axis and its marks, and the curve, whose one point is no line. */
	assert_int_equal(count_in("x.svg", " fill=\"#0072B2\""), 2);
	/* Those of tests have axes of many kinds. */
	curve->facts.test = strdup("stride");
	assert_int_equal(
		plot_file(PLOT_RECORD(&result), &options, "x.svg", NULL), 0);
	assert_int_equal(count_in("x.svg", ">bandwidth [GiB/s]<"), 1);
	result_release(&result);
}

/* Draw x.png, where an older one is, and fail: the older one stays. */
static void assert_fails(int rc, enum error_class class, const char *message)
{
	struct plot_options options;
	struct result result;
	struct error err;

	write_text("x.png", "old");
	plot_sample(&result, "0-2", three);
	plot_options_init(&options);
	assert_int_equal(
		plot_file(PLOT_RECORD(&result), &options, "x.png", &err), rc);
	assert_int_equal(err.class, class);
	assert_non_null(strstr(err.text, message));
	assert_ptr_equal(strstr(err.text, "'x.png' was not drawn: "), err.text);
	assert_file("x.png", "old");
	assert_int_equal(count_files(), 1);
	result_release(&result);
}

static void no_gnuplot_is_unavailable(void **state)
{
	(void)state;
	assert_fails(-ENOENT, ERROR_UNAVAILABLE, "install it (package");
	assert_fails(-ENOENT, ERROR_UNAVAILABLE, "the data is intact");
}

static void what_gnuplot_says_is_told(void **state)
{
	(void)state;
	fake_gnuplot("printf 'half' >\"$out\"\n"
		     "printf '\\n\\nset terminal pngcairo\\n     ^\\n' >&2\n"
		     "echo 'line 3: unknown terminal' >&2\n"
		     "exit 1\n");
	assert_fails(-EIO, ERROR_FAILURE,
		"gnuplot failed with status 1: set terminal pngcairo line 3: "
		"unknown terminal; c2c needs gnuplot 5.4");
	fake_gnuplot("exit 7\n");
	assert_fails(
		-EIO, ERROR_FAILURE, "gnuplot failed with status 7; c2c needs");
	fake_gnuplot("kill -9 $$\n");
	assert_fails(-EIO, ERROR_FAILURE, "gnuplot was ended by signal 9;");
}

/* Much talk neither blocks gnuplot nor overflows the message. */
static void much_talk_is_cut(void **state)
{
	(void)state;
	fake_gnuplot("i=0\n"
		     "while [ $i -lt 5000 ]; do\n"
		     "	echo 'a line of forty characters, or nearly so'\n"
		     "	i=$((i + 1))\n"
		     "done >&2\n"
		     "exit 1\n");
	assert_fails(-EIO, ERROR_FAILURE, "a line of forty characters");
}

/*
 * Draw with a gnuplot that never ends, and see that it is ended, with what it
 * started: only then has its FIFO no writer left.
 */
static void assert_is_ended(
	const struct plot_options *options, int rc, const char *message)
{
	struct result result;
	struct error err;
	char byte;
	int fd;

	assert_int_equal(mkfifo("bin/alive", 0600), 0);
	fd = open("bin/alive", O_RDONLY | O_NONBLOCK);
	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_SETFL, 0), 0);
	fake_gnuplot("exec 9>\"$folder/alive\"\n"
		     "sleep 1000 &\n"
		     "wait\n");
	write_text("x.png", "old");
	plot_sample(&result, "0-2", three);
	assert_int_equal(
		plot_file(PLOT_RECORD(&result), options, "x.png", &err), rc);
	assert_int_equal(err.class, ERROR_FAILURE);
	assert_non_null(strstr(err.text, message));
	assert_int_equal(read(fd, &byte, 1), 0);
	assert_int_equal(close(fd), 0);
	assert_int_equal(unlink("bin/alive"), 0);
	assert_file("x.png", "old");
	assert_int_equal(count_files(), 1);
	result_release(&result);
}

static void a_gnuplot_beyond_its_time_is_ended(void **state)
{
	struct plot_options options;

	(void)state;
	plot_options_init(&options);
	assert_true(options.limit_s > 60);
	options.limit_s = 0.1;
	assert_is_ended(&options, -ETIMEDOUT,
		"'x.png' was not drawn: gnuplot took longer than 0.1 s");
}

/* It never stops talking: c2c has to stop reading. */
static void a_gnuplot_that_talks_forever_is_ended(void **state)
{
	struct plot_options options;
	struct result result;
	struct error err;

	(void)state;
	fake_gnuplot("exec yes 'a line of some length that comes for ever'\n");
	plot_sample(&result, "0-2", three);
	plot_options_init(&options);
	options.limit_s = 0.1;
	assert_int_equal(
		plot_file(PLOT_RECORD(&result), &options, "x.png", &err),
		-ETIMEDOUT);
	result_release(&result);
}

static void a_gnuplot_is_ended_on_request(void **state)
{
	atomic_bool stop = true;
	struct plot_options options;

	(void)state;
	plot_options_init(&options);
	options.stop = &stop;
	assert_is_ended(&options, -EINTR,
		"'x.png' was not drawn: a signal to c2c ended gnuplot");
}

/* One that says no more is waited for all the same. */
static void a_gnuplot_that_closes_its_streams_is_waited_for(void **state)
{
	struct plot_options options;
	struct result result;

	(void)state;
	fake_gnuplot("exec >&- 2>&-\n"
		     "sleep 0.1\n" FAKE_PNG);
	plot_sample(&result, "0-2", three);
	plot_options_init(&options);
	assert_int_equal(
		plot_file(PLOT_RECORD(&result), &options, "x.png", NULL), 0);
	result_release(&result);
}

static void an_unfinished_picture_is_none(void **state)
{
	(void)state;
	fake_gnuplot("printf 'a picture without its end chunk' >\"$out\"\n");
	assert_fails(-EIO, ERROR_FAILURE, "did not finish the picture");
	fake_gnuplot("");
	assert_fails(-EIO, ERROR_FAILURE, "did not finish the picture");
}

static void a_gnuplot_that_cannot_run_is_told(void **state)
{
	(void)state;
	write_text("bin/gnuplot", "#!/nonexistent/interpreter\n");
	assert_int_equal(chmod("bin/gnuplot", 0755), 0);
	assert_fails(-ENOENT, ERROR_UNAVAILABLE, "gnuplot");
}

static void other_names_are_no_pictures(void **state)
{
	struct plot_options options;
	struct result result;
	struct error err;

	(void)state;
	assert_non_null(plot_picture_kind("x.png"));
	assert_non_null(plot_picture_kind("a.b/x.y.Svg"));
	assert_non_null(plot_picture_kind("x.PDF"));
	assert_null(plot_picture_kind("x.json"));
	assert_null(plot_picture_kind("png"));
	assert_null(plot_picture_kind("x.png/y"));
	assert_null(plot_picture_kind("x.png.gz"));
	plot_sample(&result, "0-2", three);
	plot_options_init(&options);
	assert_int_equal(
		plot_file(PLOT_RECORD(&result), &options, "x.gif", &err),
		-EINVAL);
	assert_int_equal(err.class, ERROR_USAGE);
	assert_string_equal(err.text,
		"'x.gif': a picture's name ends in .png, .svg, .pdf, .gp or "
		".md");
	assert_int_equal(
		plot_file(PLOT_RECORD(&result), &options, "none/x.png", &err),
		-ENOENT);
	assert_non_null(strstr(err.text, "'none/x.png'"));
	assert_int_equal(count_files(), 0);
	result_release(&result);
}

#define CASE(function)                                                         \
	cmocka_unit_test_setup_teardown(function, set_up, tear_down)

static const struct CMUnitTest cases[] = {
	CASE(gnuplot_gets_a_script),
	CASE(texts_are_data),
	CASE(only_the_chosen_matrix_in_order_is_drawn),
	CASE(second_siblings_have_labels_too),
	CASE(curves_have_the_range_of_the_options),
	CASE(no_gnuplot_is_unavailable),
	CASE(what_gnuplot_says_is_told),
	CASE(much_talk_is_cut),
	CASE(a_gnuplot_beyond_its_time_is_ended),
	CASE(a_gnuplot_that_talks_forever_is_ended),
	CASE(a_gnuplot_is_ended_on_request),
	CASE(a_gnuplot_that_closes_its_streams_is_waited_for),
	CASE(an_unfinished_picture_is_none),
	CASE(a_gnuplot_that_cannot_run_is_told),
	CASE(other_names_are_no_pictures),
};

CASE_GROUP(cases);
