/*
 * What a plot shows: one matrix of a result in the order that was asked for,
 * and what to call it. Both kinds of picture are drawn from it.
 */
#ifndef C2C_PLOT_VIEW_H
#define C2C_PLOT_VIEW_H

#include "plot/plot.h"
#include "result/result.h"
#include "util/error.h"

/* What begins at a CPU in topology order, as a line before it. */
enum plot_border {
	PLOT_BORDER_NONE,
	PLOT_BORDER_MINOR, /* another LLC or NUMA node */
	PLOT_BORDER_MAJOR, /* another package */
};

struct plot_view {
	/*
	 * The result as if it held this matrix alone. Everything in it is
	 * borrowed but cpus and the values of the matrix.
	 */
	struct result result;
	struct matrix matrix;
	enum plot_border *borders; /* [n] */
};

/*
 * -EINVAL (ERROR_USAGE) when the result has no such matrix, or no topology to
 * order by; *err lists what there is. On success the caller releases *view
 * before *result, and does not move it.
 */
int plot_view_init(struct plot_view *view, const struct result *result,
	const struct plot_options *options, struct error *err);

void plot_view_release(struct plot_view *view);

/*
 * Captions as strings for free(), NULL without memory: the machine ("CPU
 * model · host · hypervisor", empty when nothing is known) and how the numbers
 * were got ("c2c latency (line) · one-way latency, median [ns] · 25 passes ·
 * 2026-11-21").
 */
char *plot_caption_machine(const struct plot_view *view);
char *plot_caption_method(const struct plot_view *view);

/* What a row's CPU does (a column's when second): "CPU (ping)"; static. */
const char *plot_role(const struct plot_view *view, bool second);

#endif
