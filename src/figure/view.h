/*
 * The content of a plot: matrices of records in the chosen order, or their
 * curves, with captions. Pictures and terminal text are drawn from a view.
 */
#ifndef C2C_VIEW_H
#define C2C_VIEW_H

#include "figure/colour_scale.h"
#include "figure/curve_places.h"
#include "figure/plot_options.h"
#include "result/result.h"
#include "util/arena.h"
#include "util/error.h"

/* The curves of one panel or table of a view. */
struct plot_panel {
	struct curve *curves; /* [n] */
	size_t n;
};

/* An item of comparison: a device, or one of several records. */
struct plot_source {
	const struct result *record;
	const char *device; /* device in the facts of its curves; or NULL */
	const char *model;  /* short model of the device or of the CPUs */
	const char *name;   /* model with a unique suffix */
};

/* A matrix to draw, with values in the order of cpus. */
struct plot_image {
	struct matrix matrix;
	struct cpu_list cpus;
	enum plot_border *borders; /* [cpus.n] */
	const struct plot_source *source;
	const char *title; /* unique title; NULL: only one image */
};

struct plot_view {
	struct plot_records records; /* borrowed */
	struct plot_source *sources; /* [n_sources] */
	size_t n_sources;
	/*
	 * Images of one statistic, unit, quantity and direction, or curves with
	 * the values of --statistic as their median. The arena owns members
	 * that are not borrowed. With several sources, a curve's member is the
	 * source's name, and its recorded member is part of the family, the
	 * panel's title.
	 */
	struct plot_image *images; /* [n_images] */
	size_t n_images;
	struct curve *curves; /* [n_curves] */
	size_t n_curves;
	/* For bars: curves before the comparison, and their sources. */
	struct curve *bars;		  /* [n_bars] */
	const size_t *bar_sources;	  /* [n_bars] */
	size_t n_bars;			  /* 0: one source, or ratios */
	const struct cache_level *caches; /* [n_caches] of a single record */
	size_t n_caches;
	const char *test;  /* draw only the curves of this test; NULL: all */
	const char *doubt; /* doubts in the options, or NULL */
	const char *statistic; /* of matrices or points: "median", say */
	/* The values of one-cell matrices, as text for the caption; or NULL. */
	const char *cells;
	/*
	 * Median width of the intervals of the matrices' medians. INFINITY: too
	 * few passes for intervals; NaN: unknown.
	 */
	double noise;
	/* The curves by panel, in the order of curves. */
	struct plot_panel *panels; /* [n_panels] */
	size_t n_panels;
	struct arena memory; /* memory of the view and its drawing */
};

/* Whether the options choose a record's matrices, not its curves. */
bool plot_draws_matrices(
	const struct result *record, const struct plot_options *options);

/*
 * Choose what to draw. -EINVAL (ERROR_USAGE) if a record lacks the chosen
 * matrix or curve, or the topology to order by, or if records have no common
 * unit; *err lists the choices. On success the caller releases *view before the
 * records.
 */
int plot_view_init(struct plot_view *view, const struct plot_records *records,
	const struct plot_options *options, struct error *err);

void plot_view_release(struct plot_view *view);

/*
 * Return captions: the machine ("CPU model · host · hypervisor", empty if
 * unknown) and the measurement ("c2c latency (line) · one-way latency, median
 * [ns] · 25 passes · 2026-11-21"; for two matrices "writer and reader rate",
 * for curves "rate", for curves with different axes only "median", since each
 * table has a title).
 */
char *plot_caption_machine(struct plot_view *view);
char *plot_caption_method(struct plot_view *view);

/*
 * Return doubts, a line a record. Doubts about matrices are the doubt in the
 * options, passes that do not agree, or CPUs that moved during the run. Doubts
 * about curves are short warnings of the run, or the number of points with wide
 * intervals of each test. NULL if there are none.
 */
char *plot_caption_doubts(struct plot_view *view);

/*
 * Return the title of the colour bar: "one-way latency, median [ns]", for
 * several matrices "rate".
 */
char *plot_caption_bar(const struct plot_view *view, struct arena *memory);

/*
 * figure_sources.c: return the source of a record and a device (NULL: none),
 * and add it if it is new. After the last source, name all sources.
 */
size_t plot_view_source(
	struct plot_view *view, size_t record, const char *device);
void plot_view_name_sources(struct plot_view *view);

/* Return the OpenCL device, or NULL if it is the machine's CPUs. */
const char *plot_opencl_device(const struct result *result);

/*
 * figure_units.c: return the factor from one unit to another; NaN: none.
 * plot_unit_factor_of() also converts a curve of a record to units like clk and
 * B/clk/unit, by the clock of the record's cores. plot_refuse_unit() returns
 * -EINVAL (ERROR_USAGE).
 */
double plot_unit_factor(const char *from, const char *to);
double plot_unit_factor_of(const struct result *record,
	const struct curve_facts *curve, const char *to);
int plot_refuse_unit(const char *from, const char *to, struct error *err);

/* Report that two sources differ in `what`: -EINVAL (ERROR_USAGE). */
int plot_sources_differ(const struct plot_source *a, const char *what_a,
	const struct plot_source *b, const char *what_b, struct error *err);

/*
 * Compare several sources: curve i is from source from[i]. Name the curves by
 * their sources, convert them to one unit, repeat bounds in each panel of their
 * family, and drop single CPUs behind a mean.
 */
int plot_view_compare_curves(
	struct plot_view *view, const size_t *from, struct error *err);

/* Convert all values to ratios to the first source's values. */
int plot_view_make_relative(struct plot_view *view, struct error *err);

/*
 * Convert curves to a unit (--in); curve i is from source from[i]. Other curves
 * keep their unit. -EINVAL (ERROR_USAGE): no curve has that unit.
 */
int plot_view_convert(struct plot_view *view, const size_t *from,
	const char *unit, struct error *err);

/*
 * Show x as the occupancy: work-items of a unit in per cent of the largest
 * number that it holds. If a record lacks this number, all curves keep their x.
 */
void plot_view_show_occupancy(struct plot_view *view, const size_t *from);

/* Write a matrix's title: its name, or "bandwidth (reads only)" of c2c numa. */
#define PLOT_MATRIX_BYTES 64
const char *plot_matrix_name(
	const struct matrix *matrix, char name[PLOT_MATRIX_BYTES]);

/* Return "(lower is better)", or the meaning of high values; static. */
const char *plot_direction(const struct matrix *matrix);

/* Return the role of a row's CPU (second: a column's): "CPU (ping)"; static. */
const char *plot_role(const struct plot_image *image, bool second);

/*
 * Return the name that all curves of a panel have for an x, or the number as
 * text: "31.1 KiB". The name is borrowed.
 */
const char *plot_x_text(
	const struct plot_panel *panel, double x, char text[PLOT_NUMBER_BYTES]);

/* Return the title of x: "stride [words]", "size". */
char *plot_x_title(struct plot_view *view, const struct curve *curve);

#endif
