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
#include "result/format.h"
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

/* One side of one pair: "reader, same LLC (CPUs 0 and 2)". */
static void curve_name(char name[128], const struct queue_plan *own, size_t d,
	int side, const struct cpu_list *cpus)
{
	struct pair pair = own->distances[d].pair;

	snprintf(name, 128, "%s, %s (CPUs %u and %u)", side_names[side],
		distance_names[own->distances[d].distance],
		cpus->cpus[pair.first], cpus->cpus[pair.second]);
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
	size_t n_pairs = campaign->schedule.n_pairs;

	fits->n = 0;
	for (size_t pass = 0; pass < campaign->n_complete; pass++) {
		double rates[QUEUE_MOST_SHAPES], a, b;

		for (size_t s = 0; s < own->n_shapes; s++) {
			size_t pair = d * own->n_shapes + s;

			rates[s] = campaign->values[(pass * n_pairs + pair) *
							    campaign->n_values +
						    side];
		}
		fit(own, rates, &a, &b);
		if (isnan(a) || isnan(b))
			continue;
		fits->a[fits->n] = a;
		fits->b[fits->n++] = b;
	}
}

static json_t *number_or_null(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

/* [low, high] of the median over passes. */
static json_t *interval(double *values, size_t n)
{
	double out[SUMMARY_STATISTICS];

	summary_of(values, n, out);
	return json_pack("[o, o]", number_or_null(out[SUMMARY_CI_LOW]),
		number_or_null(out[SUMMARY_CI_HIGH]));
}

/* The rate that the fit gives chunks of so many bytes. */
static double fitted_rate(double bytes, double a_ns, double b_gib_per_s)
{
	return bytes / GIB * 1e9 / (a_ns + bytes / GIB / b_gib_per_s * 1e9);
}

/* How far the fit is from the rate that it is farthest from, as a share. */
static double worst_error(const struct queue_plan *own, const double *rates,
	double a_ns, double b_gib_per_s)
{
	double worst = 0;

	for (size_t s = 0; s < own->n_shapes; s++) {
		double fitted = fitted_rate(
			own->shapes[s].chunk_bytes, a_ns, b_gib_per_s);

		worst = fmax(worst, fabs(fitted / rates[s] - 1));
	}
	return isnan(a_ns) ? NAN : worst;
}

/* A line with the fit's rates over the same sizes. */
static int add_fit_curve(const struct queue_plan *own, struct result *result,
	const char *name, double a_ns, double b_gib_per_s, struct error *err)
{
	struct series *series = result_add_series(result, name, "chunk", "B",
		"rate", "GiB/s", "fit", own->n_shapes);

	if (!series)
		return error_no_memory(err, "a curve");
	for (size_t s = 0; s < own->n_shapes; s++) {
		series->x[s] = own->shapes[s].chunk_bytes;
		series->y[s] = fitted_rate(series->x[s], a_ns, b_gib_per_s);
	}
	return 0;
}

static int add_side(const struct queue_plan *own, struct campaign *campaign,
	struct result *result, size_t d, int side, struct fits *fits,
	double *scratch, json_t *list, struct error *err)
{
	double rates[QUEUE_MOST_SHAPES], a, b;
	struct pair pair = own->distances[d].pair;
	char name[128];
	size_t at;
	json_t *row;
	int rc;

	curve_name(name, own, d, side, &result->cpus);
	rc = queue_add_curves(
		result, name, "chunk", "B", own->n_shapes, &at, err);
	if (rc < 0)
		return rc;
	for (size_t s = 0; s < own->n_shapes; s++) {
		double out[SUMMARY_STATISTICS];
		size_t n = campaign_gather(campaign, d * own->n_shapes + s,
			(size_t)side, 0, campaign->n_passes, 1, scratch);

		summary_of(scratch, n, out);
		rates[s] = out[SUMMARY_MEDIAN];
		queue_put_point(result, at, s, own->shapes[s].chunk_bytes, out);
	}
	fit_passes(own, campaign, d, (size_t)side, fits);
	/* The median of fits, whose interval is given; else a fit of medians.
	 */
	if (fits->n) {
		a = stat_median(fits->a, fits->n);
		b = stat_median(fits->b, fits->n);
	} else {
		fit(own, rates, &a, &b);
	}
	row = json_pack("{s:s, s:s, s:[i, i], s:o, s:o, s:o, s:o, s:o, s:o}",
		"side", side_names[side], "distance",
		distance_names[own->distances[d].distance], "cpus",
		(int)result->cpus.cpus[pair.first],
		(int)result->cpus.cpus[pair.second], "overhead_ns",
		number_or_null(a), "overhead_ci_ns", interval(fits->a, fits->n),
		"rate_gib_per_s", number_or_null(b), "rate_ci_gib_per_s",
		interval(fits->b, fits->n), "half_rate_bytes",
		number_or_null(a > 0 ? a * 1e-9 * b * GIB : NAN), "worst_error",
		number_or_null(worst_error(own, rates, a, b)));
	if (!row || json_array_append_new(list, row))
		return error_no_memory(err, "the fits");
	return isnan(a) ? 0 : add_fit_curve(own, result, name, a, b, err);
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
	json_t *list = json_array();
	int rc = 0;

	if (!fits.a || !fits.b || !scratch || !list)
		rc = error_no_memory(err, "the curves");
	/* Readers first: theirs are the curves that tell distances apart. */
	for (int side = 1; side >= 0; side--) {
		for (size_t d = 0; d < own->n_distances && rc == 0; d++)
			rc = add_side(own, campaign, result, d, side, &fits,
				scratch, list, err);
	}
	facts_set_json(&result->run.other, "fits", list);
	json_decref(list);
	free(fits.a);
	free(fits.b);
	free(scratch);
	return rc;
}

void queue_print_sweep(const struct result *result)
{
	const struct fact *fits = facts_find(&result->run.other, "fits");
	const json_t *list = fits ? json_loads(fits->text, 0, NULL) : NULL;
	size_t i;
	json_t *row;

	puts("time of a chunk = a + bytes / b:");
	json_array_foreach(list, i, row)
	{
		const char *side = "?", *distance = "?";
		const json_t *a = json_object_get(row, "overhead_ns");
		const json_t *half = json_object_get(row, "half_rate_bytes");
		double b = json_number_value(
			json_object_get(row, "rate_gib_per_s"));
		double error =
			json_number_value(json_object_get(row, "worst_error"));
		int first = 0, second = 0;

		json_unpack(row, "{s:s, s:s, s:[i, i]}", "side", &side,
			"distance", &distance, "cpus", &first, &second);
		if (!json_is_number(a))
			continue;
		printf("  %s, %s (CPUs %d and %d): ", side, distance, first,
			second);
		if (error > USELESS_ERROR) {
			printf("no line fits (off by up to %.0f %%)\n",
				100 * error);
			continue;
		}
		printf("a = %.1f ns, b = %.3g GiB/s", json_number_value(a), b);
		if (json_is_number(half))
			printf(", half of b at %.0f bytes",
				json_number_value(half));
		printf("; within %.0f %%\n", 100 * error);
	}
}
