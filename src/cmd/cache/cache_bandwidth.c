/*
 * Rates over the working set: plan the points, and make the curves.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cache/cmd_cache.h"
#include "cmd/cli.h"
#include "util/array.h"
#include "util/text.h"

/* Above this size, c2c measures only every other doubling. */
#define LARGE_BYTES ((uint64_t)64 << 20)

/*
 * Default size of the largest working set. Larger sets have the same rate, and
 * mapping them takes seconds.
 */
#define MOST_BYTES ((uint64_t)512 << 20)

/* Largest warm-up of a visit, in bytes. */
#define WARM_BYTES ((uint64_t)256 << 20)

/* Assumed size of an LLC if the system does not report the size. */
#define CACHE_BYTES ((uint64_t)64 << 20)

/* List the first CPU, then the CPUs that share its LLC, then all others. */
static int order_cpus_by_llc(struct bandwidth_plan *rates,
	const struct measure_selection *selection, struct error *err)
{
	const struct cpu_list *all = &selection->cpus;
	int rc = 0;

	for (int far = 0; far < 2; far++) {
		for (size_t i = 0; i < all->n && rc == 0; i++) {
			bool near = machine_share_llc(
				selection->machine, all->cpus[0], all->cpus[i]);

			if (near != far)
				rc = cpu_list_add(
					&rates->cpus, all->cpus[i], err);
		}
		if (far == 0)
			rates->n_llc = rates->cpus.n;
	}
	return rc;
}

/* List the numbers of CPUs that --threads names, without duplicates. */
static int resolve_thread_counts(struct bandwidth_plan *rates,
	const struct option_list *threads, struct error *err)
{
	for (size_t i = 0; i < threads->n; i++) {
		uint32_t n = (uint32_t)threads->items[i];
		size_t k = 0;

		if (n == BANDWIDTH_LLC)
			n = (uint32_t)rates->n_llc;
		else if (n == BANDWIDTH_ALL)
			n = (uint32_t)rates->cpus.n;
		if (n > rates->cpus.n)
			return error_set(err, ERROR_USAGE, EINVAL,
				"--threads: %u CPUs are more than the %zu that "
				"may be used; choose fewer threads, or more "
				"CPUs with --cpus",
				n, rates->cpus.n);
		while (k < rates->n_counts && rates->counts[k] != n)
			k++;
		if (n > 0 && k == rates->n_counts)
			rates->counts[rates->n_counts++] = n;
	}
	if (rates->n_counts == 0)
		return error_set(err, ERROR_UNAVAILABLE, ENODEV,
			"--threads: the system reports no last-level cache of "
			"CPU %u; give a number of CPUs",
			rates->cpus.cpus[0]);
	return 0;
}

/* Return the largest number of the first n CPUs that share one LLC. */
static size_t most_cpus_under_llc(const struct bandwidth_plan *rates,
	const struct machine_facts *facts, size_t n)
{
	size_t most = 0;

	for (size_t i = 0; i < facts->n_caches; i++) {
		const struct cpu_list *under = &facts->caches[i].cpus;
		size_t found = 0;

		for (size_t k = 0; k < under->n; k++) {
			long at = cpu_list_find(&rates->cpus, under->cpus[k]);

			found += at >= 0 && (size_t)at < n;
		}
		most = found > most ? found : most;
	}
	return most ? most : n;
}

/* Limits for the sum over all CPUs of a curve. */
struct bandwidth_limits {
	uint64_t most_bytes;  /* largest working set */
	uint64_t cache_bytes; /* bytes of all LLCs of these CPUs */
};

/* Return the limits of one CPU, times the number of LLCs. */
static struct bandwidth_limits find_bandwidth_limits(
	const struct cache_plan *own, const struct machine_facts *facts,
	uint32_t n)
{
	double caches =
		(double)n / (double)most_cpus_under_llc(&own->rates, facts, n);
	uint64_t most = own->options->sizes.max, largest = 0;

	for (size_t i = 0; i < facts->n_caches; i++) {
		if (facts->caches[i].bytes > largest)
			largest = facts->caches[i].bytes;
	}
	if (largest == 0)
		largest = CACHE_BYTES;
	if (own->rates.exact || own->options->memory)
		caches = 1;
	else if (most > MOST_BYTES)
		most = MOST_BYTES;
	return (struct bandwidth_limits){(uint64_t)(caches * (double)most),
		(uint64_t)(caches * (double)largest)};
}

/*
 * Return the bytes of the warm-up: the whole set if caches may hold it, else
 * enough to evict all other data. Non-temporal stores evict the lines that they
 * write.
 */
static size_t bandwidth_warm_bytes(
	const struct bandwidth_limits *limits, uint64_t bytes)
{
	uint64_t most =
		bytes > 2 * limits->cache_bytes ? limits->cache_bytes : bytes;

	return (size_t)(most < WARM_BYTES ? most : WARM_BYTES);
}

/* Return the next size: double, or four times for large sizes if that fits. */
static uint64_t next_set_bytes(uint64_t bytes, uint64_t most)
{
	if (bytes < LARGE_BYTES || (4 * bytes > most && 2 * bytes <= most))
		return 2 * bytes;
	return 4 * bytes;
}

/* Add a curve of the first n_cpus CPUs, with a point for each working set. */
static int add_rate(struct cache_plan *own, struct bandwidth_curve curve,
	const struct bandwidth_limits *limits,
	struct measure_selection *selection, struct error *err)
{
	struct bandwidth_plan *rates = &own->rates;
	size_t grain = arch_access_factors[curve.access] * ARCH_GRAIN;
	size_t parts = own->options->memory ? 1 : curve.n_cpus;
	int rc = 0;

	curve.first = rates->n_points;
	for (uint64_t bytes = own->options->sizes.min;
		rc == 0 && bytes <= limits->most_bytes;
		bytes = next_set_bytes(bytes, limits->most_bytes)) {
		if (bytes / parts < grain)
			continue;
		if (!array_grow(&rates->points, rates->n_points,
			    sizeof(*rates->points)))
			return error_no_memory(err, "the streams");
		rates->points[rates->n_points] = (struct stream_point){
			.bytes = (size_t)(bytes / parts / grain * grain),
			.warm_bytes =
				bandwidth_warm_bytes(limits, bytes) / parts,
			.n_cpus = curve.n_cpus,
			.access = curve.access,
			.vector = curve.vector,
		};
		rc = measure_add_pair(selection,
			(struct schedule_pair){
				.variant = (uint32_t)(own->latency.n_points +
						      rates->n_points++),
				.n_others = curve.n_cpus - 1},
			err);
	}
	curve.n = rates->n_points - curve.first;
	if (rc < 0 || curve.n == 0)
		return rc;
	if (!array_grow(
		    &rates->curves, rates->n_curves, sizeof(*rates->curves)))
		return error_no_memory(err, "the streams");
	rates->curves[rates->n_curves++] = curve;
	return rc;
}

/* Add the curves of n_cpus CPUs: one for each access and width. */
static int add_rates(struct cache_plan *own, uint32_t n_cpus,
	struct measure_selection *selection, struct error *err)
{
	const struct option_list *accesses = &own->options->accesses;
	struct bandwidth_limits limits = find_bandwidth_limits(
		own, machine_facts(selection->machine), n_cpus);
	int rc = 0;

	for (size_t w = 0; own->rates.widths[w]; w++) {
		for (size_t i = 0; i < accesses->n && rc == 0; i++)
			rc = add_rate(own,
				(struct bandwidth_curve){
					.access = (enum arch_access)
							  accesses->items[i],
					.vector = own->rates.widths[w],
					.n_cpus = n_cpus},
				&limits, selection, err);
	}
	return rc;
}

/* Return an error that lists the vector registers of this CPU. */
static int refuse_vector_width(const char *word, struct error *err)
{
	struct text_list list = {.text = NULL};
	char *there;

	for (size_t i = 0; arch_vectors[i]; i++) {
		if (arch_vector_usable(arch_vectors[i]))
			text_list_add(&list, ", ", "%s", arch_vectors[i]->name);
	}
	there = text_list_end(&list);
	error_set(err, ERROR_UNAVAILABLE, ENOTSUP,
		"--width: this CPU has no %s registers; choose among %s", word,
		there ? there : "others");
	free(there);
	return -ENOTSUP;
}

/*
 * Write the widths that --width names into list[ARCH_VECTORS_MOST + 1], the
 * widest first, then NULL. If the CPU has none of these, return -ENOTSUP
 * (ERROR_UNAVAILABLE) with its widths in the error.
 */
static int list_widths(
	int width, const struct arch_vector **list, struct error *err)
{
	static const char *const words[] = {BANDWIDTH_WIDTHS(WORDS_LIST)};
	const char *word = words[width];
	size_t n = 0;

	for (size_t i = 0; arch_vectors[i]; i++) {
		bool named = strcmp(word, "all") == 0 ||
			     (strcmp(word, "widest") == 0 && n == 0) ||
			     strcmp(word, arch_vectors[i]->name) == 0;

		if (named && arch_vector_usable(arch_vectors[i]))
			list[n++] = arch_vectors[i];
	}
	list[n] = NULL;
	return n ? 0 : refuse_vector_width(word, err);
}

int cache_select_bandwidth(struct cache_plan *own,
	struct measure_selection *selection, struct error *err)
{
	const struct cache_options *options = own->options;
	struct bandwidth_plan *rates = &own->rates;
	int rc = list_widths(options->width, rates->widths, err);

	selection->others =
		calloc(selection->cpus.n, sizeof(*selection->others));
	if (!selection->others)
		return error_no_memory(err, "the streams");
	if (rc == 0)
		rc = order_cpus_by_llc(rates, selection, err);
	for (size_t i = 1; i < rates->cpus.n && rc == 0; i++)
		selection->others[i - 1] = (uint32_t)cpu_list_find(
			&selection->cpus, rates->cpus.cpus[i]);
	if (rc == 0)
		rc = resolve_thread_counts(rates, &options->threads, err);
	for (size_t i = 0; i < rates->n_counts && rc == 0; i++)
		rc = add_rates(own, rates->counts[i], selection, err);
	if (rc == 0 && rates->n_points == 0 && !own->options->latency)
		rc = error_set(err, ERROR_USAGE, EINVAL,
			"--sizes: %" PRIu64 " bytes are too few for a rate: "
			"each CPU needs %zu bytes of each array",
			own->options->sizes.max, ARCH_GRAIN);
	own->context.stream.points = rates->points;
	own->context.stream.n_points = rates->n_points;
	own->context.stream.cpus = &rates->cpus;
	own->context.stream.shared = options->memory;
	return rc;
}

int cache_prepare_bandwidth(struct cache_plan *own,
	const struct measure_selection *selection, struct error *err)
{
	const struct memory_request request = {
		.pages = cache_pages(own->options), .stopped = cli_is_stopped};
	int rc = stream_init(
		&own->context.stream, selection->machine, &request, err);

	return cache_attribute_pages_error(own->options, rc, err);
}

void cache_release_bandwidth(struct cache_plan *own)
{
	stream_release(&own->context.stream);
	free(own->rates.points);
	free(own->rates.curves);
	cpu_list_release(&own->rates.cpus);
}

/* Add a curve: the sum of the CPUs' rates, or the rate of the slowest CPU. */
static struct curve *new_rate_curve(const struct bandwidth_plan *rates,
	const struct bandwidth_curve *rate, bool slowest, struct result *result,
	struct error *err)
{
	const char *width = rates->widths[1] ? rate->vector->name : "";
	char family[64], variant[64];
	struct curve_facts facts = {
		.test = "bandwidth",
		.family = family,
		.member = arch_access_names[rate->access],
		.x_name = "working set",
		.x_unit = "B",
		.y_name = "rate, write-allocate not counted",
		.y_unit = "GiB/s",
		.x_axis = CURVE_SETS,
		.y_axis = CURVE_RATIOS,
	};

	snprintf(family, sizeof(family), "%u CPU%s", rate->n_cpus,
		rate->n_cpus == 1 ? "" : "s");
	/* "avx2, slowest CPU"; NULL: the sum by the only width */
	snprintf(variant, sizeof(variant), "%s%s%s", width,
		*width && slowest ? ", " : "", slowest ? CACHE_SLOWEST : "");
	facts.variant = *variant ? variant : NULL;
	return summary_add_curve(
		result, &facts, rate->n, rates->cpus.cpus, rate->n_cpus, err);
}

/* Warn if several nodes use a shared array, which is on one node. */
static void warn_of_node(
	const struct bandwidth_plan *rates, struct campaign *campaign)
{
	const struct machine *machine = campaign->options.machine;
	int home = machine_node_of(machine, rates->cpus.cpus[0]);

	for (size_t i = 0; i < rates->cpus.n; i++) {
		unsigned cpu = rates->cpus.cpus[i];

		if (machine_node_of(machine, cpu) == home)
			continue;
		campaign_warn(campaign,
			"--memory shared: the array is on NUMA node %d, and "
			"CPU %u belongs to node %d; choose CPUs of one node "
			"with --cpus, or --memory own",
			home, cpu, machine_node_of(machine, cpu));
		return;
	}
}

/* Collect the rate of the slowest CPU in each pass that has a sum. */
static size_t gather_slowest(const struct campaign *campaign, size_t pair,
	uint32_t n_cpus, double *values)
{
	size_t found = 0;

	for (size_t pass = 0; pass < campaign->n_passes; pass++) {
		double least = NAN;

		if (isnan(summary_sum(campaign, pass, pair, n_cpus)))
			continue;
		for (uint32_t k = 0; k < n_cpus; k++)
			least = fmin(least,
				campaign_value(campaign, pass, pair, 1 + k));
		values[found++] = least;
	}
	return found;
}

static int add_rate_curve(const struct cache_plan *own,
	const struct bandwidth_curve *rate, bool slowest,
	struct campaign *campaign, struct result *result, double *scratch,
	struct error *err)
{
	const struct bandwidth_plan *rates = &own->rates;
	struct curve *curve = new_rate_curve(rates, rate, slowest, result, err);
	size_t parts = own->options->memory ? 1 : rate->n_cpus;

	if (!curve)
		return -ENOMEM;
	if (own->options->memory)
		curve->facts.x_axis = CURVE_BYTES;
	for (size_t i = 0; i < rate->n; i++) {
		double out[SUMMARY_STATISTICS];
		size_t point = rate->first + i;
		size_t pair = own->latency.n_points + point;
		size_t n = slowest ? gather_slowest(campaign, pair,
					     rate->n_cpus, scratch)
				   : summary_gather_sums(campaign, pair,
					     rate->n_cpus, scratch);

		summary_of(scratch, n, out);
		summary_set_point(curve, i,
			(double)(rates->points[point].bytes * parts), out);
	}
	return 0;
}

int cache_add_rates(struct cache_plan *own, struct campaign *campaign,
	struct result *result, double *scratch, struct error *err)
{
	const struct bandwidth_plan *rates = &own->rates;
	int rc = 0;

	if (own->options->memory && rates->n_curves)
		warn_of_node(rates, campaign);
	for (size_t c = 0; c < rates->n_curves && rc == 0; c++) {
		const struct bandwidth_curve *rate = &rates->curves[c];

		rc = add_rate_curve(
			own, rate, false, campaign, result, scratch, err);
		if (rate->n_cpus == 1 &&
			!own->curve_numbers.rates[rate->access])
			own->curve_numbers.rates[rate->access] =
				result->n_curves;
		if (rc == 0 && rate->n_cpus > 1)
			rc = add_rate_curve(own, rate, true, campaign, result,
				scratch, err);
	}
	return rc;
}
