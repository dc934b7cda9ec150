/*
 * c2c cache --shared: the matrix of CPUs that share a level of the caches.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "analyze/caches/sharing.h"
#include "cmd/cache/cmd_cache.h"
#include "cmd/cli.h"
#include "machine/machine.h"
#include "probe/probe_share.h"
#include "util/parse.h"
#include "util/text.h"

/* Largest number of CPUs whose memory c2c inspects. */
#define ACCOUNT_CPUS 16

/*
 * Largest ratio of the sizes of a level's caches. One ring must fit the
 * smallest cache, and two rings must not fit the largest.
 */
#define DIFFER_MOST 1.6

/*
 * Limits for the size of a level or from the user. Below the minimum, the large
 * ring is hardly larger than the small ring.
 */
#define SHARE_BYTES_LEAST ((uint64_t)16 << 10)
#define SHARE_BYTES_MOST  ((uint64_t)512 << 20)
#define LEVEL_BYTES_MOST  ((uint64_t)128 << 20)

/* Share of the available memory that all rings may use. */
#define SHARE_OF_MEMORY 0.5

/* Size of a huge page. */
#define HUGE_BYTES ((size_t)2 << 20)

/*
 * Ratios below the first value are impossible, as a full cache makes no CPU
 * faster. If a larger share of the pairs than the second value has such a
 * ratio, all ratios are noise.
 */
#define IMPOSSIBLE	 0.85
#define IMPOSSIBLE_SHARE 0.02

/* Rings below this size are in a few base pages, which never miss the TLB. */
#define BASE_BYTES ((size_t)64 << 10)

/* Samples of a short visit. Their trimmed mean ignores a disturbed sample. */
#define SAMPLES 3

/*
 * A visit takes about LOAD_S for each load of its PARTS. A visit longer than
 * MANY_S has only one sample. If it is longer than ANNOUNCE_VISIT_S, c2c prints
 * the expected time of the run. A visit may take SLOW_BY times the estimate.
 */
#define LOAD_S		 1e-8
#define MANY_S		 2e-3
#define ANNOUNCE_VISIT_S 1e-2
#define PARTS		 3
#define SLOW_BY		 20

/* Longest time that the CPUs of a visit wait for each other. */
#define WAIT_S 8.0

/* Find the size of a level, which is the size of its largest cache. */
static int size_of_level(const struct measure_selection *selection,
	unsigned level, uint64_t *bytes, struct error *err)
{
	char least_text[TEXT_SIZE_BYTES], most_text[TEXT_SIZE_BYTES];
	uint64_t least = 0, most = 0;
	unsigned least_cpu = 0, most_cpu = 0;

	for (size_t i = 0; i < selection->cpus.n; i++) {
		unsigned cpu = selection->cpus.cpus[i];
		struct machine_cpu_cache cache;

		if (!machine_cpu_cache(
			    selection->machine, cpu, level, &cache) ||
			!cache.bytes)
			return error_set(err, ERROR_UNAVAILABLE, ENODEV,
				"--shared: the system reports no L%u of CPU "
				"%u; give the size in bytes instead (for "
				"instance --shared 1M)",
				level, cpu);
		if (i == 0 || cache.bytes < least) {
			least = cache.bytes;
			least_cpu = cpu;
		}
		if (i == 0 || cache.bytes > most) {
			most = cache.bytes;
			most_cpu = cpu;
		}
	}
	if ((double)most >= DIFFER_MOST * (double)least)
		return error_set(err, ERROR_USAGE, EINVAL,
			"--shared: the L%u of CPU %u has %s and that of CPU %u "
			"has %s; choose CPUs with caches of one size (--cpus), "
			"or give a size in bytes",
			level, least_cpu, text_size(least, least_text),
			most_cpu, text_size(most, most_text));
	if (most > LEVEL_BYTES_MOST)
		return error_set(err, ERROR_USAGE, EINVAL,
			"--shared: the system reports an L%u of %s, and a run "
			"would take minutes; a virtual machine can seldom use "
			"all of an L3: give a size (for instance --shared 32M)",
			level, text_size(most, most_text));
	*bytes = most;
	return 0;
}

static int parse_size(const struct measure_selection *selection,
	const char *text, uint64_t *bytes, struct error *err)
{
	int rc;

	if (strchr(text, ','))
		return error_set(err, ERROR_USAGE, EINVAL,
			"--shared: '%s' names several levels; expected one "
			"(L1, L2, L3, or a size in bytes): make a record of "
			"each; 'c2c analyze' reads several records",
			text);
	if ((text[0] == 'L' || text[0] == 'l') && text[1] >= '1' &&
		text[1] <= '9' && !text[2])
		return size_of_level(
			selection, (unsigned)(text[1] - '0'), bytes, err);
	if (text[0] < '0' || text[0] > '9')
		return error_set(err, ERROR_USAGE, EINVAL,
			"--shared: found '%s', expected a level (L1, L2, L3) "
			"or a size in bytes (for instance 48K)",
			text);
	rc = parse_bytes(text, SHARE_BYTES_LEAST, SHARE_BYTES_MOST, bytes, err);
	if (rc < 0)
		error_prefix(err, "--shared");
	return rc;
}

static int check_ring_memory(
	size_t bytes, size_t cpus, enum memory_pages pages, struct error *err)
{
	char needed[TEXT_SIZE_BYTES], left[TEXT_SIZE_BYTES];
	uint64_t available = memory_available();

	if (pages != MEMORY_PAGES_BASE)
		bytes = (bytes + HUGE_BYTES - 1) / HUGE_BYTES * HUGE_BYTES;
	/* Mapping will report the missing hugetlb pages. */
	if (pages == MEMORY_PAGES_HUGETLB || !available ||
		(double)bytes * (double)cpus <=
			SHARE_OF_MEMORY * (double)available)
		return 0;
	return error_set(err, ERROR_FAILURE, ENOMEM,
		"--shared: not enough memory: each of %zu CPUs needs %s; %s "
		"are free, and c2c may use %.0f %% of the free memory; choose "
		"fewer CPUs (--cpus) or a smaller size",
		cpus, text_size(bytes, needed), text_size(available, left),
		100 * SHARE_OF_MEMORY);
}

/* Inspect the memory of only a few CPUs, as inspection takes long. */
static int inspect_memory(
	struct cache_plan *own, enum memory_pages asked, struct error *err)
{
	int rc = 0;

	own->share_pages = asked;
	cache_account_init(&own->share_memory);
	for (size_t i = 0; i < own->share.n && i < ACCOUNT_CPUS && rc == 0;
		i++) {
		struct memory_mapping *memory = &own->share.chases[i].memory;

		rc = memory_inspect(memory, asked, err);
		cache_account_add(&own->share_memory, memory);
	}
	return rc;
}

int cache_finish_shared(struct measure_plan *plan, struct campaign *campaign,
	struct result *result, struct error *err)
{
	const struct cache_plan *own = plan->context;
	size_t n = campaign->schedule.n_pairs, impossible = 0;
	double least = 1;

	for (size_t p = 0; p < n; p++) {
		double out[SUMMARY_STATISTICS];

		summary_of_pair(campaign, p, 0, out);
		impossible += out[SUMMARY_MEDIAN] < IMPOSSIBLE;
		least = fmin(least, out[SUMMARY_MEDIAN]);
	}
	if ((double)impossible > IMPOSSIBLE_SHARE * (double)n)
		campaign_warn(campaign,
			"%zu of %zu pairs are faster while the other CPU fills "
			"the cache than while it does not (down to %.2f "
			"times): the ratios are noise, because other programs "
			"use this cache or the cache is smaller; try a smaller "
			"size, a longer --budget or a quieter machine",
			impossible, n, least);
	return cache_account_record(
		&own->share_memory, own->share_pages, campaign, result, err);
}

static int print_sharing_verdict(
	struct arena *arena, void *context, struct error *err)
{
	const char *verdict = sharing_verdict(context, arena);

	(void)err;
	cli_wrap(stdout, arena_format(arena, "%s.", verdict), 0, 2);
	return 0;
}

void cache_print_shared(const struct result *result)
{
	struct arena arena = {0};
	struct result borrowed = *result;

	/* Without memory, the report only lacks this line. */
	(void)arena_run(
		&arena, print_sharing_verdict, &borrowed, "a verdict", NULL);
	arena_release(&arena);
}

int cache_prepare_shared(struct measure_plan *plan,
	const struct measure_selection *selection, struct error *err)
{
	struct cache_plan *own = plan->context;
	struct cache_options *options = own->options;
	struct chase_plan chase = {.seed = options->measure.seed,
		.request = {.pages = cache_pages(options),
			.stopped = cli_is_stopped}};
	size_t ring;
	double visit_s;
	int rc = parse_size(
		selection, options->shared, &options->shared_bytes, err);

	if (rc < 0 || outputs_are_checked(&options->measure.outputs))
		return rc;
	ring = (size_t)(SHARE_OF_LEVEL * (double)options->shared_bytes) /
	       CHASE_LINE_BYTES * CHASE_LINE_BYTES;
	/* For a small ring, a huge page would waste memory. */
	if (ring < BASE_BYTES && cache_pages(options) == MEMORY_PAGES_AUTO)
		chase.request.pages = MEMORY_PAGES_BASE;
	rc = check_ring_memory(
		share_bytes(ring), selection->cpus.n, chase.request.pages, err);
	if (rc < 0)
		return rc;
	visit_s = PARTS * LOAD_S * (double)ring / CHASE_LINE_BYTES;
	if (visit_s > ANNOUNCE_VISIT_S)
		plan->pair_s = visit_s;
	plan->shorter_by = "--per core, or fewer --cpus,";
	plan->campaign.params.samples = visit_s > MANY_S ? 1 : SAMPLES;
	plan->campaign.patience_s = WAIT_S + SLOW_BY * visit_s;
	own->share.cpus = &selection->cpus;
	rc = share_init(&own->share, selection->machine, &chase, ring, err);
	if (rc == 0)
		rc = inspect_memory(own, chase.request.pages, err);
	return cache_attribute_pages_error(options, rc, err);
}
