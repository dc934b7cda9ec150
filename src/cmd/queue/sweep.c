/*
 * c2c queue --sweep: rates over the size of chunks, for pairs of every kind of
 * distance, and what a chunk and what a byte cost.
 *
 * A chunk takes a + bytes / b: a is what its ready word costs, b the rate that
 * data alone would have. Half of b is reached where both are equal, at a * b
 * bytes. This is Hockney's description of a channel (R. W. Hockney, "The
 * communication challenge for MPP", Parallel Computing 20, 1994), whose
 * half-performance length that is.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/queue/queue.h"
#include "stat/stat.h"

#define GIB 1073741824.0

/* A fit that is so far from a rate describes none. */
#define USELESS_ERROR 0.5

static const char *const distance_names[QUEUE_DISTANCES] = {
	[QUEUE_SAME_CORE] = "SMT siblings",
	[QUEUE_SAME_LLC] = "same LLC",
	[QUEUE_SAME_PACKAGE] = "same package",
	[QUEUE_OTHER_PACKAGE] = "other package",
};

static const char *const side_names[2] = {"writer", "reader"};

/* What the topology says of two different CPUs. */
static enum queue_distance distance_of(
	const struct machine *machine, unsigned a, unsigned b)
{
	const char *shared = machine_shared_by(machine, a, b);

	if (shared && strcmp(shared, "Core") == 0)
		return QUEUE_SAME_CORE;
	if (machine_share_llc(machine, a, b))
		return QUEUE_SAME_LLC;
	/* One package is all of the machine then, or its parts are shared. */
	if (machine_facts(machine)->packages <= 1 ||
		(shared && strcmp(shared, "Machine") != 0))
		return QUEUE_SAME_PACKAGE;
	return QUEUE_OTHER_PACKAGE;
}

static void note_distance(struct queue_plan *own, enum queue_distance distance,
	uint32_t first, uint32_t second)
{
	size_t i = own->n_distances++;

	own->distances[i].distance = distance;
	own->distances[i].pair =
		(struct pair){.first = first, .second = second};
}

/* The first pair of each kind, row by row, near kinds first. */
static void find_distances(struct queue_plan *own,
	const struct machine *machine, const struct cpu_list *cpus)
{
	for (int d = 0; d < QUEUE_DISTANCES; d++) {
		bool found = false;

		for (uint32_t i = 0; i < cpus->n && !found; i++) {
			for (uint32_t j = i + 1; j < cpus->n && !found; j++) {
				found = distance_of(machine, cpus->cpus[i],
						cpus->cpus[j]) ==
					(enum queue_distance)d;
				if (found)
					note_distance(own,
						(enum queue_distance)d, i, j);
			}
		}
	}
}

/* Keep the CPUs of those pairs only, and name them by their new places. */
static int keep_used(struct queue_plan *own,
	struct measure_selection *selection, const struct cpu_list *cpus,
	struct error *err)
{
	int rc = 0;

	for (size_t d = 0; d < own->n_distances && rc == 0; d++) {
		struct pair *pair = &own->distances[d].pair;
		unsigned first = cpus->cpus[pair->first];
		unsigned second = cpus->cpus[pair->second];

		rc = cpu_list_add(&selection->cpus, first, err);
		if (rc == 0)
			rc = cpu_list_add(&selection->cpus, second, err);
		if (rc < 0)
			break;
		pair->first = (uint32_t)cpu_list_find(&selection->cpus, first);
		pair->second =
			(uint32_t)cpu_list_find(&selection->cpus, second);
	}
	return rc;
}

static size_t count_shapes(const struct queue_options *options)
{
	size_t n = 0;

	for (uint64_t b = options->sweep.min; b <= options->sweep.max; b *= 2)
		n++;
	return n;
}

int queue_select_sweep(struct measure_plan *plan,
	const struct measure_options *options,
	struct measure_selection *selection, struct error *err)
{
	struct queue_plan *own = plan->context;
	struct measure_selection all = {.machine = selection->machine};
	size_t n_shapes = count_shapes(own->options);
	int rc;

	if (options->pairs == MEASURE_PAIR) {
		rc = measure_select_pair(options, &all, err);
		if (rc == 0)
			note_distance(own,
				distance_of(all.machine, all.cpus.cpus[0],
					all.cpus.cpus[1]),
				0, 1);
	} else {
		rc = measure_select_cpus(options, &all, err);
		if (rc == 0)
			find_distances(own, all.machine, &all.cpus);
	}
	if (rc == 0 && own->n_distances == 0)
		rc = error_set(err, ERROR_USAGE, EINVAL,
			"--sweep: one CPU is left, and a pair needs two");
	if (rc == 0)
		rc = keep_used(own, selection, &all.cpus, err);
	for (size_t d = 0; d < own->n_distances; d++) {
		for (uint32_t s = 0; s < n_shapes && rc == 0; s++) {
			struct pair pair = own->distances[d].pair;

			pair.variant = s;
			rc = measure_add_pair(selection, pair, err);
		}
	}
	cpu_list_release(&all.cpus);
	return rc;
}

/*
 * Least squares of the relative error of the time of a chunk in ns, so that
 * small chunks count as much as large ones.
 */
static void fit(const struct queue_plan *own, const double *rates, double *a_ns,
	double *b_gib_per_s)
{
	double x[QUEUE_MOST_SHAPES], t[QUEUE_MOST_SHAPES];
	double w[QUEUE_MOST_SHAPES], slope;

	for (size_t s = 0; s < own->n_shapes; s++) {
		x[s] = own->shapes[s].chunk_bytes;
		t[s] = x[s] / GIB / rates[s] * 1e9;
		w[s] = 1 / (t[s] * t[s]);
	}
	/* Where larger chunks took less time, noise is all there was. */
	if (stat_fit_line(x, t, w, own->n_shapes, a_ns, &slope) < 0 ||
		slope <= 0) {
		*a_ns = NAN;
		*b_gib_per_s = NAN;
		return;
	}
	*b_gib_per_s = 1e9 / slope / GIB;
}

/* Fits of single passes, so that a and b have intervals too. */
struct fits {
	double *a, *b; /* [n] */
	size_t n;
};

static void fit_passes(const struct queue_plan *own,
	const struct campaign *campaign, size_t d, size_t side,
	struct fits *fits)
{
	fits->n = 0;
	for (size_t pass = 0; pass < campaign->n_complete; pass++) {
		double rates[QUEUE_MOST_SHAPES], a, b;

		for (size_t s = 0; s < own->n_shapes; s++) {
			size_t pair = d * own->n_shapes + s;

			rates[s] = campaign_value(campaign, pass, pair, side);
		}
		fit(own, rates, &a, &b);
		if (isnan(a) || isnan(b))
			continue;
		fits->a[fits->n] = a;
		fits->b[fits->n++] = b;
	}
}

/* The median of fits with its interval; of none a fit of the medians. */
static void put_fit(double figure[3], double *fits, size_t n, double otherwise)
{
	double out[SUMMARY_STATISTICS];

	summary_of(fits, n, out);
	figure[0] = n ? out[SUMMARY_MEDIAN] : otherwise;
	figure[1] = out[SUMMARY_CI_LOW];
	figure[2] = out[SUMMARY_CI_HIGH];
}

/* How far the fit is from the rate that it is farthest from, as a share. */
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

/* What no line fits has none. */
static int add_fit(struct curve *curve, const struct queue_plan *own,
	struct fits *fits, struct error *err)
{
	struct curve_fit *line = calloc(1, sizeof(*line));
	double a, b;

	if (!line)
		return error_no_memory(err, "a fit");
	fit(own, curve->median, &a, &b);
	put_fit(line->overhead_ns, fits->a, fits->n, a);
	put_fit(line->rate_gib_per_s, fits->b, fits->n, b);
	a = line->overhead_ns[0];
	b = line->rate_gib_per_s[0];
	if (isnan(a)) {
		free(line);
		return 0;
	}
	line->half_rate_bytes = a > 0 ? a * 1e-9 * b * GIB : NAN;
	line->worst_error = worst_error(curve, line);
	curve->fit = line;
	return 0;
}

/* One side of one pair. */
static int add_side(const struct queue_plan *own, struct campaign *campaign,
	struct result *result, size_t d, int side, struct fits *fits,
	double *scratch, struct error *err)
{
	struct pair pair = own->distances[d].pair;
	const unsigned cpus[2] = {
		result->cpus.cpus[pair.first], result->cpus.cpus[pair.second]};
	const struct curve_facts facts = {
		.member = side_names[side],
		.variant = distance_names[own->distances[d].distance],
		.x_name = "chunk",
		.x_unit = "B",
		.x_axis = CURVE_BYTES,
	};
	struct curve *curve =
		queue_add_curve(result, &facts, own->n_shapes, cpus, 2, err);

	if (!curve)
		return -ENOMEM;
	for (size_t s = 0; s < own->n_shapes; s++) {
		double out[SUMMARY_STATISTICS];

		summary_of_pair(campaign, d * own->n_shapes + s, (size_t)side,
			scratch, out);
		queue_put_point(curve, s, own->shapes[s].chunk_bytes, out);
	}
	fit_passes(own, campaign, d, (size_t)side, fits);
	return add_fit(curve, own, fits, err);
}

int queue_finish_sweep(struct measure_plan *plan, struct campaign *campaign,
	struct result *result, struct error *err)
{
	const struct queue_plan *own = plan->context;
	size_t room = campaign->n_passes + 1;
	struct fits fits = {
		.a = calloc(room, sizeof(double)),
		.b = calloc(room, sizeof(double)),
	};
	double *scratch = calloc(room, sizeof(*scratch));
	int rc = 0;

	if (!fits.a || !fits.b || !scratch)
		rc = error_no_memory(err, "the curves");
	/* Readers first: theirs are the curves that tell distances apart. */
	for (int side = 1; side >= 0; side--) {
		for (size_t d = 0; d < own->n_distances && rc == 0; d++)
			rc = add_side(own, campaign, result, d, side, &fits,
				scratch, err);
	}
	free(fits.a);
	free(fits.b);
	free(scratch);
	return rc;
}

void queue_print_sweep(const struct result *result)
{
	char name[CURVE_NAME_BYTES];

	puts("time of a chunk = a + bytes / b:");
	for (size_t i = 0; i < result->n_curves; i++) {
		const struct curve *curve = &result->curves[i];
		const struct curve_fit *fit = curve->fit;

		if (!fit)
			continue;
		printf("  %s: ", curve_name(curve, name));
		if (fit->worst_error > USELESS_ERROR) {
			printf("no line fits (off by up to %.0f %%)\n",
				100 * fit->worst_error);
			continue;
		}
		printf("a = %.1f ns, b = %.3g GiB/s", fit->overhead_ns[0],
			fit->rate_gib_per_s[0]);
		if (!isnan(fit->half_rate_bytes))
			printf(", half of b at %.0f bytes",
				fit->half_rate_bytes);
		printf("; within %.0f %%\n", 100 * fit->worst_error);
	}
}
