/*
 * What a plot shows: matrices of records in the chosen order, or their curves,
 * with captions. Pictures and terminal text are drawn from it.
 */
#ifndef C2C_VIEW_H
#define C2C_VIEW_H

#include "plot/plot.h"
#include "result/result.h"
#include "util/arena.h"
#include "util/error.h"

/* The curves of one panel, or table, of a view. */
struct plot_panel {
	const struct curve *curves; /* [n] */
	size_t n;
};

/* What is compared: a device, or one of several records of a machine. */
struct plot_source {
	const struct result *record;
	const char *device; /* of its curves, as they say it; or NULL */
	const char *model;  /* short: of the device, or of the CPUs */
	const char *name;   /* the same, and no other's */
};

/* A matrix that is drawn, its values in the order of cpus. */
struct plot_image {
	struct matrix matrix;
	struct cpu_list cpus;
	enum plot_border *borders; /* [cpus.n] */
	const struct plot_source *source;
	const char *title; /* what tells it from the others; NULL: alone */
};

struct plot_view {
	struct plot_records records; /* borrowed */
	struct plot_source *sources; /* [n_sources] */
	size_t n_sources;
	/*
	 * Images of one statistic, unit, quantity and direction, or curves with
	 * the values of --statistic as their median. The arena owns what is not
	 * borrowed. The member of a curve of several sources is its source's
	 * name; what it was is in the family, the title of its panel.
	 */
	struct plot_image *images; /* [n_images] */
	size_t n_images;
	struct curve *curves; /* [n_curves] */
	size_t n_curves;
	/* The same before sources were compared, for bars; of which source. */
	struct curve *bars;		  /* [n_bars] */
	const size_t *bar_sources;	  /* [n_bars] */
	size_t n_bars;			  /* 0: one source, or ratios */
	const struct cache_level *caches; /* [n_caches] of a record alone */
	size_t n_caches;
	const char *test;      /* whose curves alone these are; NULL: all */
	const char *doubt;     /* as the options have it, or NULL */
	const char *statistic; /* of the matrices; of the curves' points */
	/* Beside curves: what matrices of one cell say, as text; or NULL. */
	const char *cells;
	/*
	 * Median width of the intervals of the matrices' medians. INFINITY:
	 * there are none, because of too few passes; NaN: not known.
	 */
	double noise;
	/* The curves by their panels, in the order of curves. */
	struct plot_panel *panels; /* [n_panels] */
	size_t n_panels;
	struct arena memory; /* of the view, and of what draws it */
};

/*
 * -EINVAL (ERROR_USAGE) when a record has no such matrix or curve, or no
 * topology to order by, or when the records have no common unit; *err lists
 * what there is. On success the caller releases *view before the records.
 */
int plot_view_init(struct plot_view *view, const struct plot_records *records,
	const struct plot_options *options, struct error *err);

void plot_view_release(struct plot_view *view);

/*
 * Captions: the machine ("CPU
 * model · host · hypervisor", empty when nothing is known) and how the numbers
 * were got ("c2c latency (line) · one-way latency, median [ns] · 25 passes ·
 * 2026-11-21"; of two matrices "writer and reader rate", of curves "rate", but
 * of those of several axes "median" alone, since each table has a title).
 */
char *plot_caption_machine(struct plot_view *view);
char *plot_caption_method(struct plot_view *view);

/*
 * What makes the matrices doubtful: what the options say, or passes that do not
 * agree, CPUs that moved during the run. What makes curves so: the warnings of
 * the run in short, or how many points of each test have wide intervals. NULL
 * if nothing is known.
 */
char *plot_caption_doubts(struct plot_view *view);

/* What colours stand for: "one-way latency, median [ns]", of several "rate". */
char *plot_caption_bar(struct plot_view *view);

/*
 * figure_sources.c: the source of what a record has, of a device or of none
 * (NULL); name them once all are there.
 */
size_t plot_view_source(
	struct plot_view *view, size_t record, const char *device);
void plot_view_name_sources(struct plot_view *view);

/* The OpenCL device, or NULL if it is the CPUs of the machine. */
const char *plot_opencl_device(const struct result *result);

/*
 * The factor from one unit to another; NaN: there is none. Say that two sources
 * differ in what: -EINVAL (ERROR_USAGE).
 */
double plot_unit_factor(const char *from, const char *to);
int plot_sources_differ(const struct plot_source *a, const char *what_a,
	const struct plot_source *b, const char *what_b, struct error *err);

/*
 * Of several sources: curve i is of source from[i]. Tell them by their sources,
 * in one unit, without bounds and single CPUs behind a mean.
 */
int plot_view_compare_curves(
	struct plot_view *view, const size_t *from, struct error *err);

/* All values as ratios to those of the first source. */
int plot_view_make_relative(struct plot_view *view, struct error *err);

/* All curves in another unit (--in); refuse it: -EINVAL (ERROR_USAGE). */
int plot_view_convert(
	struct plot_view *view, const char *unit, struct error *err);
int plot_refuse_unit(const char *from, const char *to, struct error *err);

/* What to call a matrix: its name, or "bandwidth (reads only)" of c2c numa. */
#define PLOT_MATRIX_BYTES 64
const char *plot_matrix_name(
	const struct matrix *matrix, char name[PLOT_MATRIX_BYTES]);

/* "(lower is better)", or what high values mean; static. */
const char *plot_direction(const struct matrix *matrix);

/* What a row's CPU does (a column's when second): "CPU (ping)"; static. */
const char *plot_role(const struct plot_view *view, bool second);

/* What x is: "stride [words]", "size". */
char *plot_x_title(struct plot_view *view, const struct curve *curve);

#endif
