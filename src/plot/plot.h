/*
 * Pictures of results: SVG, PNG or PDF (these two by gnuplot), a script for
 * gnuplot, tables in Markdown, or text in the terminal.
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
	PLOT_ORDER_GROUPS,   /* by groups, as cpus and borders below say */
};

/* The line before a CPU that begins a group. */
enum plot_border {
	PLOT_BORDER_NONE,
	PLOT_BORDER_MINOR, /* another LLC or NUMA node */
	PLOT_BORDER_MAJOR, /* another package */
};

/* Records that are drawn together. */
struct plot_records {
	const struct result *results; /* [n] */
	const char *const *names; /* [n] of their files; NULL: one of none */
	size_t n;
};

#define PLOT_RECORD(result) (&(struct plot_records){(result), NULL, 1})

/*
 * The default is all matrices that share the statistic, unit, quantity and
 * direction of the first, or the curves of a result without matrices.
 */
struct plot_options {
	const char *name;      /* the matrix of that name alone; NULL: all */
	bool series;	       /* the curves, though there are matrices */
	const char *statistic; /* NULL: "median" */
	const char *test;      /* the curves of that test alone; NULL: all */
	const char *group; /* a name for those in_group() takes; NULL: all */
	bool (*in_group)(const char *test);
	bool main; /* of curves, those for a page of several tests */
	enum plot_order order; /* of matrices */
	/* PLOT_ORDER_GROUPS: all CPUs of one record, and their [n] borders. */
	const struct cpu_list *cpus;
	const enum plot_border *borders;
	double range_min, range_max; /* NaN: from the values */
	bool relative;		     /* ratios to the first record or device */
	const char *unit;	     /* NULL: that of the first record */
	bool difference;	     /* values are changes: zero is white */
	enum palette_kind palette;
	bool dark;	   /* a picture for a dark page */
	uint64_t width;	   /* of it; 0: as large as it has to be */
	const char *title; /* NULL: made from the result */
	const char *doubt; /* the same; sentences */
	bool chart; /* of curves over working sets, also without a terminal */
	/* These end gnuplot. */
	const atomic_bool *stop; /* once it is set; NULL: nothing sets it */
	double limit_s;
	/* While c2c waits for gnuplot, as in struct child; or NULL. */
	void (*on_halted)(void *context, pid_t pid);
	void (*on_slow)(void *context);
};

/* Time limit of gnuplot for a picture; 1,024 CPUs take about one. */
#define PLOT_LIMIT_S 120

void plot_options_init(struct plot_options *options);

/* "png", "svg", "pdf", "gp" or "md" by the extension; NULL: another. Static. */
const char *plot_picture_kind(const char *path);

/*
 * Draw what options choose to path, atomically; gnuplot draws .png and .pdf.
 * -ENOENT (ERROR_UNAVAILABLE) when there is no gnuplot; -EINVAL when the result
 * holds nothing of that kind; -EINTR when options->stop ended gnuplot,
 * -ETIMEDOUT when options->limit_s did.
 */
int plot_file(const struct plot_records *records,
	const struct plot_options *options, const char *path,
	struct error *err);

/* How many colours text may have. */
enum plot_colour {
	PLOT_COLOUR_NONE, /* NO_COLOR, or not a terminal */
	PLOT_COLOUR_16,	  /* those that every terminal has */
	PLOT_COLOUR_256,  /* a cube of 216 colours, and greys */
	PLOT_COLOUR_TRUE, /* 24-bit escapes */
};

struct plot_terminal {
	unsigned columns; /* width to stay within */
	unsigned rows;
	enum plot_colour colour;
};

/*
 * Columns, rows and colours of an open stream: ioctl, COLUMNS, LINES; NO_COLOR,
 * CLICOLOR_FORCE, COLORTERM, TERM.
 */
struct plot_terminal plot_terminal_of(FILE *stream);

/*
 * The same as text. Matrices follow one another, with their scale below:
 * numbers on coloured cells if these fit the width, otherwise a heatmap of half
 * blocks, binned if there are more CPUs than places. Curves of the same axes
 * are a table, with x downwards and a column for each; over working sets they
 * are a chart on a terminal.
 */
int plot_text(const struct plot_records *records,
	const struct plot_options *options,
	const struct plot_terminal *terminal, FILE *out, struct error *err);

#endif
