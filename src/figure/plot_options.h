/* Options of a figure: the data that it shows, and how it shows them. */
#ifndef C2C_PLOT_OPTIONS_H
#define C2C_PLOT_OPTIONS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "figure/palette.h"
#include "result/result.h"

enum plot_order {
	PLOT_ORDER_OS,	     /* order of the result, mostly by number */
	PLOT_ORDER_TOPOLOGY, /* by the topology inside the result */
	PLOT_ORDER_GROUPS,   /* by groups: see members cpus and borders */
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
	double range_min, range_max; /* ends of the scale; NaN: from values */
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
	const atomic_bool *stop; /* stops gnuplot when set; or NULL */
	double limit_s;
	/* Called while c2c waits for gnuplot, as in struct child; or NULL. */
	void (*on_halted)(void *context, pid_t pid);
	void (*on_slow)(void *context);
};

/* Default time limit of gnuplot for a picture, in seconds. */
#define PLOT_LIMIT_S 120

void plot_options_init(struct plot_options *options);

#endif
