/*
 * Draws results: SVG, PNG and PDF (both by gnuplot), gnuplot scripts, Markdown
 * tables, or text in a terminal.
 */
#ifndef C2C_PLOT_H
#define C2C_PLOT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "plot/palette.h"
#include "result/result.h"
#include "util/error.h"

enum plot_order {
	PLOT_ORDER_OS,	     /* as in the result, mostly by number */
	PLOT_ORDER_TOPOLOGY, /* by the topology inside the result */
	PLOT_ORDER_GROUPS,   /* by groups: see cpus and borders below */
};

/* The border before a CPU that begins a group. */
enum plot_border {
	PLOT_BORDER_NONE,
	PLOT_BORDER_MINOR, /* another LLC or NUMA node */
	PLOT_BORDER_MAJOR, /* another package */
};

/* Records to draw together. */
struct plot_records {
	const struct result *results; /* [n] */
	const char *const *names; /* [n] of files; NULL: one record, no file */
	size_t n;
};

#define PLOT_RECORD(result) (&(struct plot_records){(result), NULL, 1})

/*
 * By default, draw all matrices with the same statistic, unit, quantity and
 * direction as the first, or the curves of a result without matrices.
 */
struct plot_options {
	const char *name;      /* only the matrix of that name; NULL: all */
	bool series;	       /* draw curves even if there are matrices */
	const char *statistic; /* NULL: "median" */
	const char *test;      /* only the curves of that test; NULL: all */
	const char *group;     /* word for in_group()'s curves; NULL: all */
	bool (*in_group)(const char *test);
	bool main;	       /* only curves for a page with several tests */
	enum plot_order order; /* order of matrices */
	/*
	 * for PLOT_ORDER_GROUPS: all CPUs of one record, and their [n] borders
	 */
	const struct cpu_list *cpus;
	const enum plot_border *borders;
	double range_min, range_max; /* fixed scale; NaN: from values */
	bool relative;	  /* draw ratios to the first record or device */
	const char *unit; /* NULL: unit of the first record */
	bool difference;  /* values are changes: zero is white */
	enum palette_kind palette;
	bool dark;	   /* for a dark page */
	uint64_t width;	   /* width of the picture; 0: as needed */
	const char *title; /* NULL: made from the result */
	const char *doubt; /* sentences; NULL: made from the result */
	bool chart;	   /* over working sets, even without a terminal */
	/* Conditions that stop gnuplot. */
	const atomic_bool *stop; /* stop when set; or NULL */
	double limit_s;
	/* Called while c2c waits for gnuplot, as in struct child; or NULL. */
	void (*on_halted)(void *context, pid_t pid);
	void (*on_slow)(void *context);
};

/*
 * Time limit of gnuplot for a picture, in seconds; 1,024 CPUs take about one.
 */
#define PLOT_LIMIT_S 120

void plot_options_init(struct plot_options *options);

/*
 * Return "png", "svg", "pdf", "gp" or "md" by the extension, static; else NULL.
 */
const char *plot_picture_kind(const char *path);

/*
 * Draw the chosen data to path, atomically; gnuplot draws .png and .pdf.
 * -ENOENT (ERROR_UNAVAILABLE) without gnuplot; -EINVAL if the result has no
 * such data; -EINTR if options->stop stopped gnuplot, -ETIMEDOUT if
 * options->limit_s did.
 */
int plot_file(const struct plot_records *records,
	const struct plot_options *options, const char *path,
	struct error *err);

/* The number of colours of a terminal. */
enum plot_colour {
	PLOT_COLOUR_NONE, /* NO_COLOR, or not a terminal */
	PLOT_COLOUR_16,	  /* the 16 colours of all terminals */
	PLOT_COLOUR_256,  /* 216 colours and greys */
	PLOT_COLOUR_TRUE, /* 24-bit escapes */
};

struct plot_terminal {
	unsigned columns; /* width of the terminal */
	unsigned rows;
	enum plot_colour colour;
};

/*
 * Return columns, rows and colours of an open stream: from ioctl, COLUMNS,
 * LINES; NO_COLOR, CLICOLOR_FORCE, COLORTERM, TERM.
 */
struct plot_terminal plot_terminal_of(FILE *stream);

/*
 * Draw the chosen data as text. Matrices are numbers on coloured cells if these
 * fit the width; otherwise heatmaps of half blocks, binned if there are more
 * CPUs than columns. Their scale is below the last. Curves with the same axes
 * form a table, with x downwards and a column for each curve; on a terminal,
 * curves over working sets are a chart.
 */
int plot_text(const struct plot_records *records,
	const struct plot_options *options,
	const struct plot_terminal *terminal, FILE *out, struct error *err);

#endif
