/* Matrices as text, to the letter. */
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmocka.h>

#include "../case_group.h"
#include "figure/palette.h"
#include "plot_sample.h"

static const double two[] = {NAN, 52.08, 52.08, NAN};

static const double three[] = {NAN, 10, 95.5, 10, NAN, 120, 95.5, 120, NAN};

/* More than any screen; rows that enlarge nothing. */
#define WIDE 500
#define ROWS 24

static void assert_plot(const struct result *result,
	const struct plot_options *options, unsigned columns,
	enum plot_colour colour, const char *expected)
{
	char *text = plot_sample_text(result, options, columns, ROWS, colour);

	assert_string_equal(text, expected);
	free(text);
}

/* The locale of this test's texts: "C.UTF-8" or "C". */
static void use_locale(const char *name)
{
	assert_non_null(setlocale(LC_CTYPE, name));
}

static int use_utf8(void **state)
{
	(void)state;
	use_locale("C.UTF-8");
	return 0;
}

static void plain_numbers_are_aligned(void **state)
{
	struct result result;

	(void)state;
	plot_sample(&result, "0,8,10", three);
	plot_sample_describe(&result);
	/* As wide as it is, not as the terminal. */
	assert_plot(&result, NULL, 5, PLOT_COLOUR_NONE,
		"Test CPU {_^@} · lab\n"
		"c2c latency (line) · one-way latency, median [ns] · 25 "
		"passes · 2026-11-21\n"
		"\n"
		"CPU      0     8    10\n"
		"  0      ·  10.0  95.5\n"
		"  8   10.0     · 120.0\n"
		" 10   95.5 120.0     ·\n"
		"\n"
		"10.0 to 120.0 ns (lower is better)\n");
	result_release(&result);
}

static void plain_text_may_be_ascii(void **state)
{
	struct result result;

	(void)state;
	use_locale("C");
	plot_sample(&result, "0-1", two);
	plot_sample_describe(&result);
	facts_set_text(&result.machine, "cpu_model", "Cœur");
	assert_plot(&result, NULL, 5, PLOT_COLOUR_NONE,
		"C?ur - lab\n"
		"c2c latency (line) - one-way latency, median [ns] - 25 "
		"passes - 2026-11-21\n"
		"\n"
		"CPU     0    1\n"
		"  0     . 52.1\n"
		"  1  52.1    .\n"
		"\n"
		"All values are 52.1 ns (lower is better)\n");
	result_release(&result);
}

/* Numbers in full where no colour says that they are beyond a scale. */
static void plain_numbers_are_never_cut(void **state)
{
	double values[] = {NAN, 0.5, 123456.7, NAN};
	struct plot_options options;
	struct result result;

	(void)state;
	plot_sample(&result, "0-1", values);
	result.matrices[0].symmetric = false;
	plot_options_init(&options);
	options.title = "A title";
	options.range_min = 0;
	options.range_max = 10;
	assert_plot(&result, &options, 5, PLOT_COLOUR_NONE,
		"A title\n"
		"one-way latency [ns]\n"
		"\n"
		"CPU         0        1\n"
		"  0         ·      0.5\n"
		"  1  123456.7        ·\n"
		"\n"
		"Rows: CPU (ping), columns: CPU (pong).\n"
		"0.5 to 123456.7 ns (lower is better)\n");
	result_release(&result);
}

static void no_values_are_said(void **state)
{
	const double values[] = {NAN, NAN, NAN, NAN};
	struct result result;

	(void)state;
	plot_sample(&result, "0-1", values);
	assert_plot(&result, NULL, 80, PLOT_COLOUR_TRUE,
		"one-way latency [ns]\n"
		"\n"
		"CPU  0  1\n"
		"  0  ·  · \n"
		"  1  ·  · \n"
		"\n"
		"No values.\n");
	result_release(&result);
}

/* The ends of the palette with their ink, as in test_plot_palette.c. */
#define DARK   "\033[48;2;68;1;84m\033[38;2;255;255;255m"
#define BRIGHT "\033[48;2;253;231;37m\033[38;2;0;0;0m"
#define RESET  "\033[0m"

/* From the first line of the matrix to before the scale: for free(). */
static char *matrix_lines(const struct result *result, unsigned columns)
{
	char *text =
		plot_sample_text(result, NULL, columns, ROWS, PLOT_COLOUR_TRUE);
	const char *start = strstr(text, "\n\n"), *end;
	char *lines;

	assert_non_null(start);
	start += 2;
	end = strstr(start, "\n\n");
	assert_non_null(end);
	lines = strndup(start, (size_t)(end + 1 - start));
	assert_non_null(lines);
	free(text);
	return lines;
}

static void assert_matrix(
	const struct result *result, unsigned columns, const char *expected)
{
	char *text = matrix_lines(result, columns);

	assert_string_equal(text, expected);
	free(text);
}

static void numbers_are_coloured_by_value(void **state)
{
	const double values[] = {NAN, 10.5, 20, 10.5, NAN, 20, 20, 20, NAN};
	struct result result;

	(void)state;
	plot_sample(&result, "0-2", values);
	assert_matrix(&result, 80,
		"CPU     0     1     2\n"
		"  0     · " DARK " 10.5 " RESET BRIGHT " 20.0 " RESET "\n"
		"  1 " DARK " 10.5 " RESET "    · " BRIGHT " 20.0 " RESET "\n"
		"  2 " BRIGHT " 20.0 " RESET BRIGHT " 20.0 " RESET "    · \n");
	/*
	 * 22 columns are enough, 21 only without the blank on the right, 18
	 * only without decimals.
	 */
	assert_matrix(&result, 22,
		"CPU     0     1     2\n"
		"  0     · " DARK " 10.5 " RESET BRIGHT " 20.0 " RESET "\n"
		"  1 " DARK " 10.5 " RESET "    · " BRIGHT " 20.0 " RESET "\n"
		"  2 " BRIGHT " 20.0 " RESET BRIGHT " 20.0 " RESET "    · \n");
	assert_matrix(&result, 21,
		"CPU     0    1    2\n"
		"  0     ·" DARK " 10.5" RESET BRIGHT " 20.0" RESET "\n"
		"  1 " DARK " 10.5" RESET "    ·" BRIGHT " 20.0" RESET "\n"
		"  2 " BRIGHT " 20.0" RESET BRIGHT " 20.0" RESET "    ·\n");
	assert_matrix(&result, 18,
		"CPU   0   1   2\n"
		"  0   · " DARK " 10 " RESET BRIGHT " 20 " RESET "\n"
		"  1 " DARK " 10 " RESET "  · " BRIGHT " 20 " RESET "\n"
		"  2 " BRIGHT " 20 " RESET BRIGHT " 20 " RESET "  · \n");
	result_release(&result);
}

#define FRONT_DARK   "\033[38;2;68;1;84m"
#define FRONT_BRIGHT "\033[38;2;253;231;37m"
#define BACK_DARK    "\033[48;2;68;1;84m"
#define BACK_BRIGHT  "\033[48;2;253;231;37m"

/* n CPUs, each two of a group near, others far; a result to release. */
static void grouped(struct result *result, size_t n, size_t group)
{
	double *values = calloc(n * n, sizeof(*values));
	char cpus[16];

	assert_non_null(values);
	for (size_t i = 0; i < n * n; i++) {
		size_t row = i / n, column = i % n;

		values[i] = row == column		    ? NAN
			    : row / group == column / group ? 10.5
							    : 20;
	}
	snprintf(cpus, sizeof(cpus), "0-%zu", n - 1);
	plot_sample(result, cpus, values);
	free(values);
}

/* Too narrow for numbers: upper and lower halves are two rows. */
static void pixels_are_half_blocks(void **state)
{
	struct result result;

	(void)state;
	grouped(&result, 3, 2);
	assert_matrix(&result, 8,
		"CPU 0\n"
		"  0 " FRONT_DARK "▄" RESET FRONT_DARK
		"▀" RESET FRONT_BRIGHT BACK_BRIGHT "▀" RESET "\n"
		"  2 " FRONT_BRIGHT "▀" RESET FRONT_BRIGHT "▀" RESET " \n");
	result_release(&result);
}

#define NEAR_NEAR FRONT_DARK BACK_DARK "▀" RESET
#define FAR_FAR	  FRONT_BRIGHT BACK_BRIGHT "▀" RESET
#define NEAR_FAR  FRONT_DARK BACK_BRIGHT "▀" RESET
#define FAR_NEAR  FRONT_BRIGHT BACK_DARK "▀" RESET

/* The text below the captions, with these borders before the CPUs. */
static void assert_parted(const struct result *result,
	const enum plot_border *borders, unsigned columns, const char *expected)
{
	struct plot_options options;
	char *text;

	plot_options_init(&options);
	options.order = PLOT_ORDER_GROUPS;
	options.cpus = &result->cpus;
	options.borders = borders;
	text = plot_sample_text(
		result, &options, columns, ROWS, PLOT_COLOUR_TRUE);
	if (!strstr(text, expected))
		fail_msg("expected:\n%s\nin:\n%s", expected, text);
	free(text);
}

/* Two blanks wider than the numbers: room for both gaps, or for the major. */
static void gaps_part_groups(void **state)
{
	static const enum plot_border borders[] = {
		PLOT_BORDER_NONE, PLOT_BORDER_MINOR, PLOT_BORDER_MAJOR};
	static const enum plot_border last[] = {PLOT_BORDER_NONE,
		PLOT_BORDER_NONE, PLOT_BORDER_NONE, PLOT_BORDER_NONE,
		PLOT_BORDER_MAJOR};
	struct result result;

	(void)state;
	grouped(&result, 3, 2);
	assert_parted(&result, borders, 24,
		"CPU     0      1      2\n"
		"  0     ·  " DARK " 10.5 " RESET " " BRIGHT " 20.0 " RESET "\n"
		"\n"
		"  1 " DARK " 10.5 " RESET "     ·  " BRIGHT " 20.0 " RESET "\n"
		"\n"
		"  2 " BRIGHT " 20.0 " RESET " " BRIGHT " 20.0 " RESET
		"     · \n");
	assert_parted(&result, borders, 23,
		"CPU     0     1      2\n"
		"  0     · " DARK " 10.5 " RESET " " BRIGHT " 20.0 " RESET "\n"
		"  1 " DARK " 10.5 " RESET "    ·  " BRIGHT " 20.0 " RESET "\n"
		"\n"
		"  2 " BRIGHT " 20.0 " RESET BRIGHT " 20.0 " RESET "     · \n");
	assert_parted(&result, borders, 22,
		"CPU     0     1     2\n"
		"  0     · " DARK " 10.5 " RESET BRIGHT " 20.0 " RESET "\n");
	/* A pixel wide and high, in which the background shows. */
	assert_parted(&result, borders, 8,
		"CPU 0\n"
		"  0 " FRONT_DARK "▄" RESET FRONT_DARK "▀" RESET
		" " FRONT_BRIGHT BACK_BRIGHT "▀" RESET "\n"
		"  2 " FRONT_BRIGHT "▄" RESET FRONT_BRIGHT "▄" RESET "  \n");
	assert_parted(&result, borders, 7,
		"CPU 0\n"
		"  0 " FRONT_DARK "▄" RESET FRONT_DARK
		"▀" RESET FRONT_BRIGHT BACK_BRIGHT "▀" RESET "\n"
		"  2 " FRONT_BRIGHT "▀" RESET FRONT_BRIGHT "▀" RESET " \n");
	result_release(&result);

	/* The CPU behind a gap has its label there. */
	grouped(&result, 5, 4);
	assert_parted(&result, last, 10,
		"  4 " FRONT_BRIGHT "▄" RESET FRONT_BRIGHT
		"▄" RESET FRONT_BRIGHT "▄" RESET FRONT_BRIGHT "▄" RESET "  \n");
	result_release(&result);
}

/* 8 CPUs on 4 places: a place is the nearest of 2 by 2, missing ones aside. */
static void more_cpus_than_places_are_binned(void **state)
{
	struct result result;
	double *values;

	(void)state;
	grouped(&result, 8, 2);
	values = result.matrices[0].values;
	/* One near of four is seen; three missing of four leave the fourth. */
	values[0 * 8 + 2] = 10.5;
	values[2 * 8 + 0] = 10.5;
	values[0 * 8 + 7] = values[1 * 8 + 6] = values[0 * 8 + 6] = NAN;
	values[7 * 8 + 0] = values[6 * 8 + 1] = values[6 * 8 + 0] = NAN;
	values[1 * 8 + 7] = values[7 * 8 + 1] = 10.5;
	assert_matrix(&result, 8,
		"CPU 0\n"
		"  0 " NEAR_NEAR NEAR_NEAR FAR_FAR NEAR_FAR "\n"
		"  4 " FAR_NEAR FAR_FAR NEAR_FAR FAR_NEAR "\n"
		"Each cell shows the nearest of 2 by 2.\n");
	result_release(&result);
}

/* 30 CPUs on 10 places: by 4, though by 3 would just do. */
static void bins_are_powers_of_two(void **state)
{
	struct result result;
	char *text;

	(void)state;
	grouped(&result, 30, 2);
	text = matrix_lines(&result, 14); /* 10 places */
	assert_non_null(strstr(text, "of 4 by 4."));
	free(text);
	text = matrix_lines(&result, 19); /* 15 places */
	assert_non_null(strstr(text, "of 2 by 2."));
	free(text);
	text = matrix_lines(&result, 34); /* 30 places */
	assert_null(strstr(text, "Each cell"));
	free(text);
	result_release(&result);
}

/* Columns of a line as a terminal shows it. */
static size_t shown_columns(const char *line, const char *end)
{
	size_t columns = 0;

	for (; line < end; line++) {
		if (*line == '\033')
			line = strchr(line, 'm');
		else
			columns += ((unsigned char)*line & 0xc0) != 0x80;
	}
	return columns;
}

/* Whatever the width and the number of CPUs, nothing is wider. */
static void no_line_is_wider_than_the_terminal(void **state)
{
	static const size_t cpus[] = {2, 9, 16, 33, 64, 100};
	static const unsigned widths[] = {40, 41, 80, 132, 200};

	(void)state;
	for (size_t i = 0; i < sizeof(cpus) / sizeof(cpus[0]); i++) {
		struct result result;

		grouped(&result, cpus[i], 2);
		for (size_t j = 0; j < sizeof(widths) / sizeof(widths[0]);
			j++) {
			char *lines = matrix_lines(&result, widths[j]);
			char *line = lines, *end;

			for (; (end = strchr(line, '\n')); line = end + 1)
				assert_true(
					shown_columns(line, end) <= widths[j]);
			free(lines);
		}
		result_release(&result);
	}
}

static size_t count_lines(const struct result *result, unsigned rows)
{
	char *text = plot_sample_text(result, NULL, 75, rows, PLOT_COLOUR_TRUE);
	size_t lines = 0;

	for (const char *at = text; (at = strchr(at, '\n')); at++)
		lines++;
	free(text);
	return lines;
}

/*
 * Room for more, but not for numbers: a CPU is a square of pixels while the
 * screen holds them all. 24 CPUs are 12 rows; captions, labels and scale are
 * five.
 */
static void few_cpus_are_enlarged(void **state)
{
	struct result result;

	(void)state;
	grouped(&result, 24, 2);
	assert_int_equal(count_lines(&result, 24), 12 + 5);
	assert_int_equal(count_lines(&result, 30), 12 + 5);
	assert_int_equal(count_lines(&result, 31), 24 + 5);
	/* 75 columns are not enough for three pixels each. */
	assert_int_equal(count_lines(&result, 100), 24 + 5);
	result_release(&result);
}

/* No half blocks: two columns with a background make a pixel. */
static void without_utf8_blanks_serve(void **state)
{
	struct result result;

	(void)state;
	use_locale("C");
	grouped(&result, 3, 2);
	assert_matrix(&result, 10,
		"CPU 0   2\n"
		"  0   " BACK_DARK "  " RESET BACK_BRIGHT "  " RESET "\n"
		"  1 " BACK_DARK "  " RESET "  " BACK_BRIGHT "  " RESET "\n"
		"  2 " BACK_BRIGHT "  " RESET BACK_BRIGHT "  " RESET "  \n");
	result_release(&result);
}

/* What comes after the matrix, without escapes: for free(). */
static char *scale_lines(
	const struct result *result, const struct plot_options *options)
{
	char *text =
		plot_sample_text(result, options, WIDE, ROWS, PLOT_COLOUR_TRUE);
	const char *at = strstr(text, "\n\n");
	char *lines, *to;

	assert_non_null(at);
	at = strstr(at + 2, "\n\n");
	assert_non_null(at);
	lines = to = strdup(at + 2);
	assert_non_null(lines);
	for (const char *from = lines; *from; from++) {
		if (*from == '\033')
			from = strchr(from, 'm');
		else
			*to++ = *from;
	}
	*to = '\0';
	free(text);
	return lines;
}

static void assert_scale(const struct result *result,
	const struct plot_options *options, const char *expected)
{
	char *lines = scale_lines(result, options);

	assert_string_equal(lines, expected);
	free(lines);
}

#define BAR "                                "

static void the_scale_says_its_ends(void **state)
{
	struct plot_options options;
	struct result result;

	(void)state;
	grouped(&result, 8, 2);
	assert_scale(
		&result, NULL, "10.50 " BAR " 20.00 ns (lower is better)\n");
	plot_options_init(&options);
	options.range_min = 11;
	options.range_max = 15;
	assert_scale(&result, &options,
		"≤ 11.00 " BAR " ≥ 15.00 ns (lower is better)\n"
		"Values from 10.50 to 20.00 ns; 56 of 56 lie beyond the "
		"colours.\n");
	options.range_min = 0;
	options.range_max = 300;
	assert_scale(&result, &options, "0 " BAR " 300 ns (lower is better)\n");
	result.matrices[0].higher_is_better = true;
	result.matrices[0].symmetric = false;
	free(result.matrices[0].unit);
	result.matrices[0].unit = strdup("GiB/s");
	assert_scale(&result, NULL,
		"Rows: CPU (ping), columns: CPU (pong).\n"
		"10.50 " BAR " 20.00 GiB/s (higher is better)\n");
	result_release(&result);
}

static void the_scale_names_exceptions(void **state)
{
	struct result result;

	(void)state;
	grouped(&result, 8, 2);
	result.matrices[0].values[5] = 10433;
	result.matrices[0].values[5 * 8] = 10433;
	assert_scale(&result, NULL,
		"10.50 " BAR " ≥ 20.00 ns (lower is better)\n"
		"Values from 10 to 10433 ns; 2 of 56 lie beyond the "
		"colours.\n");
	use_locale("C");
	assert_scale(&result, NULL,
		"10.50 " BAR " >= 20.00 ns (lower is better)\n"
		"Values from 10 to 10433 ns; 2 of 56 lie beyond the "
		"colours.\n");
	result_release(&result);
}

/* Turned round: the bar of a rate begins bright. */
static void the_bar_turns_with_the_palette(void **state)
{
	struct result result;
	char *text;

	(void)state;
	grouped(&result, 4, 2);
	text = plot_sample_text(&result, NULL, WIDE, ROWS, PLOT_COLOUR_TRUE);
	assert_non_null(strstr(text, "10.50 " BACK_DARK " "));
	assert_non_null(strstr(text, BACK_BRIGHT " " RESET " 20.00"));
	free(text);
	result.matrices[0].higher_is_better = true;
	text = plot_sample_text(&result, NULL, WIDE, ROWS, PLOT_COLOUR_TRUE);
	assert_non_null(strstr(text, "10.50 " BACK_BRIGHT " "));
	assert_non_null(strstr(text, BACK_DARK " " RESET " 20.00"));
	free(text);
	result_release(&result);
}

/* The end of a number tells its colour: of one scale for both. */
static void matrices_share_a_scale(void **state)
{
	const double first[] = {NAN, 10, 12, NAN};
	const double second[] = {NAN, 15, 20, NAN};
	struct result result;
	struct matrix *matrix;
	char *text;

	(void)state;
	plot_sample(&result, "0-1", first);
	result.matrices[0].symmetric = false;
	matrix = result_add_matrix(
		&result, "second", "median", "ns", "one-way", false, false);
	assert_non_null(matrix);
	memcpy(matrix->values, second, sizeof(second));
	assert_plot(&result, NULL, 80, PLOT_COLOUR_NONE,
		"one-way latency and second [ns]\n"
		"\n"
		"latency\n"
		"CPU   0  1\n"
		"  0   · 10\n"
		"  1  12  ·\n"
		"\n"
		"second\n"
		"CPU   0  1\n"
		"  0   · 15\n"
		"  1  20  ·\n"
		"\n"
		"Rows: CPU (ping), columns: CPU (pong).\n"
		"10 to 20 ns (lower is better)\n");
	/* A longer number in one widens both. */
	matrix->values[1] = 1500;
	assert_plot(&result, NULL, 80, PLOT_COLOUR_NONE,
		"one-way latency and second [ns]\n"
		"\n"
		"latency\n"
		"CPU     0    1\n"
		"  0     ·   10\n"
		"  1    12    ·\n"
		"\n"
		"second\n"
		"CPU     0    1\n"
		"  0     · 1500\n"
		"  1    20    ·\n"
		"\n"
		"Rows: CPU (ping), columns: CPU (pong).\n"
		"10 to 1500 ns (lower is better)\n");
	matrix->values[1] = 15;
	text = plot_sample_text(&result, NULL, 80, ROWS, PLOT_COLOUR_TRUE);
	assert_non_null(strstr(text, DARK " 10 " RESET));
	assert_non_null(strstr(text, BRIGHT " 20 " RESET));
	assert_null(strstr(text, BRIGHT " 12 " RESET));
	assert_null(strstr(text, DARK " 15 " RESET));
	free(text);
	result_release(&result);
}

static void a_matrix_fits_a_window_that_cannot_scroll(void **state)
{
	struct plot_options options;
	struct result result;

	(void)state;
	grouped(&result, 30, 2);
	plot_options_init(&options);
	for (unsigned rows = 8; rows < 60; rows++) {
		for (int colour = 0; colour < 2; colour++) {
			const struct plot_terminal terminal = {200, rows,
				colour ? PLOT_COLOUR_256 : PLOT_COLOUR_NONE,
				true};
			char *text = NULL;
			size_t bytes, n;
			FILE *out = open_memstream(&text, &bytes);

			assert_non_null(out);
			assert_int_equal(
				plot_text(PLOT_RECORD(&result), &options,
					&terminal, out, NULL),
				0);
			assert_int_equal(fclose(out), 0);
			n = 0;
			for (char *c = text; (c = strchr(c, '\n')); c++)
				n++;
			assert_true(n <= rows);
			assert_int_equal(
				strstr(text, "\n 29 ") != NULL, rows >= 30 + 7);
			assert_true(colour || !strchr(text, '\033'));
			free(text);
		}
	}
	result_release(&result);
}

static void a_wrong_matrix_prints_nothing(void **state)
{
	struct plot_terminal terminal = {80, 24, PLOT_COLOUR_NONE, false};
	struct plot_options options;
	struct result result;
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);
	struct error err;

	(void)state;
	assert_non_null(out);
	grouped(&result, 4, 2);
	plot_options_init(&options);
	options.statistic = "p99";
	assert_true(plot_text(PLOT_RECORD(&result), &options, &terminal, out,
			    &err) < 0);
	assert_int_equal(err.class, ERROR_USAGE);
	fclose(out);
	assert_int_equal(bytes, 0);
	free(text);
	result_release(&result);
}

/* A terminal of 100 by 30 with TERM: both ends to close, the stream too. */
static FILE *open_terminal(int *master)
{
	struct winsize size = {.ws_col = 100, .ws_row = 30};
	FILE *stream;

	*master = posix_openpt(O_RDWR | O_NOCTTY);
	assert_true(*master >= 0);
	assert_int_equal(grantpt(*master), 0);
	assert_int_equal(unlockpt(*master), 0);
	assert_int_equal(ioctl(*master, TIOCSWINSZ, &size), 0);
	stream = fopen(ptsname(*master), "w");
	assert_non_null(stream);
	return stream;
}

static void assert_terminal(struct plot_terminal terminal, unsigned columns,
	unsigned rows, enum plot_colour colour)
{
	assert_int_equal(terminal.columns, columns);
	assert_int_equal(terminal.rows, rows);
	assert_int_equal(terminal.colour, colour);
}

static void terminals_are_recognised(void **state)
{
	int master;
	FILE *stream = open_terminal(&master);
	FILE *file = tmpfile();

	(void)state;
	assert_non_null(file);
	unsetenv("COLUMNS");
	unsetenv("LINES");
	unsetenv("NO_COLOR");
	unsetenv("CLICOLOR_FORCE");
	unsetenv("COLORTERM");
	setenv("TERM", "xterm", 1);
	assert_terminal(plot_terminal_of(stream), 100, 30, PLOT_COLOUR_16);
	assert_terminal(plot_terminal_of(file), 80, 24, PLOT_COLOUR_NONE);
	setenv("NO_COLOR", "", 1);
	assert_terminal(plot_terminal_of(stream), 100, 30, PLOT_COLOUR_16);
	setenv("NO_COLOR", "1", 1);
	assert_terminal(plot_terminal_of(stream), 100, 30, PLOT_COLOUR_NONE);
	unsetenv("NO_COLOR");
	setenv("TERM", "dumb", 1);
	assert_terminal(plot_terminal_of(stream), 100, 30, PLOT_COLOUR_NONE);
	unsetenv("TERM");
	assert_terminal(plot_terminal_of(stream), 100, 30, PLOT_COLOUR_NONE);
	setenv("TERM", "xterm", 1);
	setenv("COLUMNS", "132", 1);
	setenv("LINES", "nonsense", 1);
	assert_terminal(plot_terminal_of(stream), 132, 30, PLOT_COLOUR_16);
	assert_terminal(plot_terminal_of(file), 132, 24, PLOT_COLOUR_NONE);
	fclose(file);
	fclose(stream);
	close(master);
}

/* Where the variables are these, a terminal and a file get such colours. */
static void colours_are_those_that_are_announced(void **state)
{
	static const struct {
		const char *no, *force, *more, *term;
		enum plot_colour terminal, file;
	} cases[] = {
		{"", "", "", "xterm-256color", PLOT_COLOUR_256, 0},
		{"", "", "", "tmux-256color", PLOT_COLOUR_256, 0},
		{"", "", "truecolor", "xterm", PLOT_COLOUR_TRUE, 0},
		{"", "", "24bit", "xterm-256color", PLOT_COLOUR_TRUE, 0},
		{"", "", "", "xterm-direct", PLOT_COLOUR_TRUE, 0},
		{"", "", "yes", "linux", PLOT_COLOUR_16, 0},
		{"", "", "", "xterm-16color", PLOT_COLOUR_16, 0},
		{"", "", "truecolor", "dumb", 0, 0},
		{"", "", "truecolor", "", 0, 0},
		{"", "0", "", "xterm", PLOT_COLOUR_16, 0},
		{"", "1", "", "xterm", PLOT_COLOUR_16, PLOT_COLOUR_16},
		{"", "1", "", "dumb", PLOT_COLOUR_16, PLOT_COLOUR_16},
		{"", "1", "24bit", "", PLOT_COLOUR_TRUE, PLOT_COLOUR_TRUE},
		{"1", "", "", "xterm-256color", 0, 0},
		{"1", "1", "24bit", "xterm", 0, 0},
	};
	int master;
	FILE *stream = open_terminal(&master);
	FILE *file = tmpfile();

	(void)state;
	assert_non_null(file);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		setenv("NO_COLOR", cases[i].no, 1);
		setenv("CLICOLOR_FORCE", cases[i].force, 1);
		setenv("COLORTERM", cases[i].more, 1);
		setenv("TERM", cases[i].term, 1);
		assert_int_equal(
			plot_terminal_of(stream).colour, cases[i].terminal);
		assert_int_equal(plot_terminal_of(file).colour, cases[i].file);
	}
	unsetenv("CLICOLOR_FORCE");
	unsetenv("COLORTERM");
	unsetenv("NO_COLOR");
	fclose(file);
	fclose(stream);
	close(master);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(plain_numbers_are_aligned),
	cmocka_unit_test_teardown(plain_text_may_be_ascii, use_utf8),
	cmocka_unit_test(plain_numbers_are_never_cut),
	cmocka_unit_test(no_values_are_said),
	cmocka_unit_test(numbers_are_coloured_by_value),
	cmocka_unit_test(pixels_are_half_blocks),
	cmocka_unit_test(gaps_part_groups),
	cmocka_unit_test(more_cpus_than_places_are_binned),
	cmocka_unit_test(bins_are_powers_of_two),
	cmocka_unit_test(a_matrix_fits_a_window_that_cannot_scroll),
	cmocka_unit_test(no_line_is_wider_than_the_terminal),
	cmocka_unit_test(few_cpus_are_enlarged),
	cmocka_unit_test_teardown(without_utf8_blanks_serve, use_utf8),
	cmocka_unit_test(the_scale_says_its_ends),
	cmocka_unit_test_teardown(the_scale_names_exceptions, use_utf8),
	cmocka_unit_test(the_bar_turns_with_the_palette),
	cmocka_unit_test(matrices_share_a_scale),
	cmocka_unit_test(a_wrong_matrix_prints_nothing),
	cmocka_unit_test(terminals_are_recognised),
	cmocka_unit_test(colours_are_those_that_are_announced),
};

CASE_GROUP(cases, .set_up = use_utf8);
