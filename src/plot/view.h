/*
 * What a plot shows: matrices of a result in the chosen order, or its curves,
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

struct plot_view {
	/*
	 * The result as if it held only what is drawn: matrices of one
	 * statistic, unit, quantity and direction, or curves, with the values
	 * of --statistic as their median. The arena owns what is not borrowed.
	 */
	struct result result;
	const char *test;	   /* whose curves alone these are; NULL: all */
	const char *doubt;	   /* as the options have it, or NULL */
	const char *statistic;	   /* of the matrices; of the curves' points */
	enum plot_border *borders; /* [n] */
	/* Beside curves: what matrices of one cell say, as text; or NULL. */
	const char *cells;
	/*
	 * Median width of the intervals of the matrices' medians. INFINITY:
	 * there are none, because of too few passes; NaN: not known.
	 */
	double noise;
	/* The curves by their panels, in the order of result.curves. */
	struct plot_panel *panels; /* [n_panels] */
	size_t n_panels;
	struct arena memory; /* of the view, and of what draws it */
};

/*
 * -EINVAL (ERROR_USAGE) when the result has no such matrix or curve, or no
 * topology to order by; *err lists what there is. On success the caller
 * releases *view before *result.
 */
int plot_view_init(struct plot_view *view, const struct result *result,
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
