/*
 * c2c queue --sweep and --sweep-chunks: measure rates over the size or number
 * of chunks, for pairs at each kind of distance; fit the costs of a chunk.
 *
 * A chunk takes `a + bytes / b`: `a` is the cost of its ready word, and `b` is
 * the rate of data alone. At `a * b` bytes, the rate is half of `b`. Hockney
 * calls this size the half-performance length of a channel (R. W. Hockney, "The
 * communication challenge for MPP", Parallel Computing 20, 1994).
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/queue/cmd_queue.h"
#include "stat/stat.h"
#include "util/text.h"

#define GIB 1073741824.0

static const char *const side_names[2] = {"writer", "reader"};

/* Add a pair of CPUs, with their distance in the topology. */
static int add_sweep_pair(struct queue_plan *own,
	struct measure_selection *selection, unsigned first, unsigned second,
	struct error *err)
{
	size_t i = own->n_distances++;
	struct cpu_list *cpus = &selection->cpus;

	if (cpu_list_add(cpus, first, err) < 0 ||
		cpu_list_add(cpus, second, err) < 0)
		return -ENOMEM;
	own->distances[i].distance =
		distance_of_cpus(selection->machine, first, second);
	own->distances[i].pair = (struct schedule_pair){
		.first = (uint32_t)cpu_list_find(cpus, first),
		.second = (uint32_t)cpu_list_find(cpus, second),
	};
	return 0;
}

/* Add the first pair at this distance, if any. */
static int add_first_pair(struct queue_plan *own,
	struct measure_selection *selection, const struct cpu_list *among,
	enum cpu_distance distance, struct error *err)
{
	for (size_t i = 0; i < among->n; i++) {
		for (size_t j = i + 1; j < among->n; j++) {
			unsigned a = among->cpus[i], b = among->cpus[j];

			if (distance_of_cpus(selection->machine, a, b) ==
				distance)
				return add_sweep_pair(
					own, selection, a, b, err);
		}
	}
	return 0;
}

int queue_select_sweep(struct measure_plan *plan,
	const struct measure_options *options,
	struct measure_selection *selection, struct error *err)
{
	struct queue_plan *own = plan->context;
	const struct option_range *sweep = queue_sweep(own->options);
	struct measure_selection all = {.machine = selection->machine};
	bool one = options->pairs == MEASURE_PAIR;
	int rc = one ? measure_select_pair(options, &all, err)
		     : measure_select_cpus(options, &all, err);

	if (rc == 0 && one)
		rc = add_sweep_pair(own, selection, all.cpus.cpus[0],
			all.cpus.cpus[1], err);
	/* Near pairs come first. */
	for (int d = 0; d < DISTANCES && rc == 0 && !one; d++)
		rc = add_first_pair(
			own, selection, &all.cpus, (enum cpu_distance)d, err);
	if (rc == 0 && own->n_distances == 0)
		rc = error_set(err, ERROR_USAGE, EINVAL,
			"%s: there is only one CPU, and a pair needs two",
			own->options->sweep.min ? "--sweep" : "--sweep-chunks");
	for (size_t d = 0; d < own->n_distances; d++) {
		struct schedule_pair pair = own->distances[d].pair;

		for (; rc == 0 && sweep->min << pair.variant <= sweep->max;
			pair.variant++)
			rc = measure_add_pair(selection, pair, err);
	}
	cpu_list_release(&all.cpus);
	return rc;
}

/*
 * Fit a line to the time of a chunk in ns, by least squares of the relative
 * error, so that small chunks count as much as large ones.
 */
static void fit_chunk_times(const struct queue_plan *own, const double *rates,
	double *a_ns, double *b_gib_per_s)
{
	double x[QUEUE_MOST_SHAPES], t[QUEUE_MOST_SHAPES];
	double w[QUEUE_MOST_SHAPES], slope;

	for (size_t s = 0; s < own->n_shapes; s++) {
		x[s] = own->shapes[s].chunk_bytes;
		t[s] = x[s] / GIB / rates[s] * 1e9;
		w[s] = 1 / (t[s] * t[s]);
	}
	/* If larger chunks take less time, the times are noise. */
	if (stat_fit_line(x, t, w, own->n_shapes, a_ns, &slope) < 0 ||
		slope <= 0) {
		*a_ns = NAN;
		*b_gib_per_s = NAN;
		return;
	}
	*b_gib_per_s = 1e9 / slope / GIB;
}

/* The passes of a sweep, and fits of each pass. */
struct sweep_fits {
	const struct queue_plan *own;
	const struct campaign *campaign;
	double *a, *b; /* [passes] */
};

/* Fit a and b in each pass, for their intervals; return the number of fits. */
static size_t fit_passes(const struct sweep_fits *work, size_t d, size_t side)
{
	size_t n_shapes = work->own->n_shapes, n = 0;

	for (size_t pass = 0; pass < work->campaign->n_complete; pass++) {
		double rates[QUEUE_MOST_SHAPES];

		for (size_t s = 0; s < n_shapes; s++)
			rates[s] = campaign_value(
				work->campaign, pass, d * n_shapes + s, side);
		fit_chunk_times(work->own, rates, &work->a[n], &work->b[n]);
		n += !isnan(work->a[n]) && !isnan(work->b[n]);
	}
	return n;
}

/* Set the median and interval of n fits, or `otherwise` if n is 0. */
static void set_fit_figure(
	double figure[3], double *fits, size_t n, double otherwise)
{
	double out[SUMMARY_STATISTICS];

	summary_of(fits, n, out);
	figure[0] = n ? out[SUMMARY_MEDIAN] : otherwise;
	figure[1] = out[SUMMARY_CI_LOW];
	figure[2] = out[SUMMARY_CI_HIGH];
}

/* Return the largest error of the fit, as a share of the rate. */
static double worst_error(
	const struct curve *curve, const struct curve_fit *fit)
{
	double worst = 0;

	for (size_t s = 0; s < curve->n; s++)
		worst = fmax(worst,
			fabs(curve_fit_at(fit, curve->x[s]) / curve->median[s] -
				1));
	return worst;
}

/* Add the fit to a curve, if there is one. */
static int add_curve_fit(const struct sweep_fits *work, struct curve *curve,
	size_t n_fits, struct error *err)
{
	struct curve_fit line = {.worst_error = 0};
	double a, b;

	fit_chunk_times(work->own, curve->median, &a, &b);
	set_fit_figure(line.overhead_ns, work->a, n_fits, a);
	set_fit_figure(line.rate_gib_per_s, work->b, n_fits, b);
	a = line.overhead_ns[0];
	b = line.rate_gib_per_s[0];
	if (isnan(a))
		return 0;
	line.half_rate_bytes = a > 0 ? a * 1e-9 * b * GIB : NAN;
	line.worst_error = worst_error(curve, &line);
	curve->fit = malloc(sizeof(line));
	if (!curve->fit)
		return error_no_memory(err, "a fit");
	*curve->fit = line;
	return 0;
}

static int add_side_curve(const struct sweep_fits *work, struct result *result,
	size_t d, size_t side, struct error *err)
{
	const struct queue_plan *own = work->own;
	struct schedule_pair pair = own->distances[d].pair;
	const unsigned cpus[2] = {
		result->cpus.cpus[pair.first], result->cpus.cpus[pair.second]};
	bool sizes = own->options->sweep.min;
	const struct curve_facts facts = {
		.member = side_names[side],
		.variant = distance_names[own->distances[d].distance],
		.x_name = sizes ? "chunk" : "chunks",
		.x_unit = sizes ? "B" : NULL,
		.x_axis = sizes ? CURVE_BYTES : CURVE_COUNTS,
	};
	struct curve *curve =
		queue_add_curve(result, &facts, own->n_shapes, cpus, 2, err);

	if (!curve)
		return -ENOMEM;
	for (size_t s = 0; s < own->n_shapes; s++) {
		const struct queue_shape *shape = &own->shapes[s];
		double out[SUMMARY_STATISTICS];

		summary_of_pair(
			work->campaign, d * own->n_shapes + s, side, out);
		summary_set_point(curve, s,
			sizes ? shape->chunk_bytes : shape->chunks, out);
	}
	if (!sizes)
		return 0;
	return add_curve_fit(work, curve, fit_passes(work, d, side), err);
}

int queue_finish_sweep(struct measure_plan *plan, struct campaign *campaign,
	struct result *result, struct error *err)
{
	const struct queue_plan *own = plan->context;
	size_t room = campaign->n_passes + 1;
	double *memory = calloc(2 * room, sizeof(*memory));
	const struct sweep_fits work = {own, campaign, memory, memory + room};
	int rc = memory ? 0 : error_no_memory(err, "the curves");

	/* Print readers first, because their curves differ by distance. */
	for (size_t side = 2; side-- > 0;) {
		for (size_t d = 0; d < own->n_distances && rc == 0; d++)
			rc = add_side_curve(&work, result, d, side, err);
	}
	free(memory);
	return rc;
}

void queue_print_sweep(const struct result *result)
{
	char name[CURVE_NAME_BYTES], share[TEXT_SHARE_BYTES];

	puts("time of a chunk = a + bytes / b:");
	for (size_t i = 0; i < result->n_curves; i++) {
		const struct curve *curve = &result->curves[i];
		const struct curve_fit *fit = curve->fit;

		if (!fit)
			continue;
		printf("  %s: ", curve_name(curve, name));
		if (!curve_good_fit(curve)) {
			printf("no line fits: errors of up to %.0f %%\n",
				100 * fit->worst_error);
			continue;
		}
		printf("a = %.1f ns, b = %.3g GiB/s", fit->overhead_ns[0],
			fit->rate_gib_per_s[0]);
		if (!isnan(fit->half_rate_bytes))
			printf(", half of b at %.0f bytes",
				fit->half_rate_bytes);
		printf("; within %s\n", text_bound(fit->worst_error, share));
	}
}
