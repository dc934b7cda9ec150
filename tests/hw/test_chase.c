/*
 * The rings that c2c cache chases through, and its probes on the CPUs at hand.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../case_group.h"
#include "arch/arch.h"
#include "arch/vector.h"
#include "probe/probe_cache.h"
#include "visits.h"

#define KIB ((size_t)1024)

static void rings_open(struct chase_context *context,
	const struct chase_spec *specs, size_t n, uint64_t seed)
{
	const struct chase_plan plan = {.specs = specs,
		.n = n,
		.page_bytes = 4 * KIB,
		.seed = seed,
		.request = {
			.node = MEMORY_ANY_NODE, .pages = MEMORY_PAGES_BASE}};
	struct error err;

	assert_int_equal(chase_init(context, &plan, NULL, &err), 0);
	assert_int_equal(context->n, n);
}

/* Which word of the memory a pointer of a ring is. */
static size_t word_of(const struct chase_context *context, const void *at)
{
	size_t offset =
		(size_t)((const char *)at - (const char *)context->memory.base);

	assert_true(offset < context->memory.bytes);
	assert_int_equal(offset % sizeof(void *), 0);
	return offset / sizeof(void *);
}

/*
 * Go around once: each pointer of the ring is met once, none of another ring,
 * which would have taken it before.
 */
static void go_around(const struct chase_context *context,
	const struct chase_ring *ring, unsigned char *taken)
{
	void *at = ring->at;
	bool known = false;

	for (size_t i = 0; i < ring->n; i++) {
		size_t word = word_of(context, at);

		assert_int_equal(taken[word], 0);
		taken[word] = 1;
		at = *(void **)at;
	}
	assert_ptr_equal(at, ring->at);
	for (size_t i = 0; i < ring->n; i++)
		assert_int_equal(
			taken[word_of(context, chase_pointer(ring, i))], 1);
	for (size_t i = 0; i < ring->n && !known; i++)
		known = chase_pointer(ring, i) == ring->cells[0];
	assert_true(known);
}

static void check_rings(const struct chase_spec *specs, size_t n)
{
	for (uint64_t seed = 1; seed <= 3; seed++) {
		struct chase_context context;
		unsigned char *taken;

		rings_open(&context, specs, n, seed);
		taken = calloc(context.memory.bytes / sizeof(void *), 1);
		assert_non_null(taken);
		for (size_t i = 0; i < n; i++)
			go_around(&context, &context.rings[i], taken);
		free(taken);
		chase_release(&context);
	}
}

static void a_ring_meets_every_line_once(void **state)
{
	/* One line, two, a page, odd ones, and many pages. */
	static const size_t lines[] = {
		1, 2, 3, 31, 63, 64, 65, 100, 1000, 4097};
	static const struct chase_spec orders[] = {{.order = CHASE_RANDOM},
		{.order = CHASE_PAGE},
		{.order = CHASE_STRIDE, .step_bytes = 64},
		{.order = CHASE_STRIDE, .step_bytes = 192},
		{.order = CHASE_STRIDE, .step_bytes = 4 * KIB}};
	struct chase_spec specs[10 * 5];
	size_t n = 0;

	(void)state;
	for (size_t o = 0; o < 5; o++) {
		for (size_t i = 0; i < 10; i++) {
			specs[n] = orders[o];
			specs[n++].bytes = lines[i] * CHASE_LINE_BYTES;
		}
	}
	check_rings(specs, n);
}

static void rings_of_pairs_and_of_lines_apart_meet_no_other(void **state)
{
	struct chase_spec specs[64 + 5 + 1];
	size_t n = 0;

	(void)state;
	for (size_t lines = 1; lines <= 32; lines++)
		specs[n++] = (struct chase_spec){
			lines * CHASE_LINE_BYTES, CHASE_APART, 64 * KIB};
	for (size_t lines = 1; lines <= 32; lines++)
		specs[n++] = (struct chase_spec){
			lines * CHASE_LINE_BYTES, CHASE_APART, 4 * KIB};
	for (size_t distance = 8; distance <= 128; distance *= 2)
		specs[n++] = (struct chase_spec){
			64 * CHASE_BLOCK_BYTES, CHASE_PAIRS, distance};
	specs[n++] = (struct chase_spec){300 * KIB, CHASE_RANDOM, 0};
	check_rings(specs, n);
}

static void pairs_lie_their_distance_apart(void **state)
{
	const struct chase_spec spec = {
		64 * CHASE_BLOCK_BYTES, CHASE_PAIRS, 96};
	struct chase_context context;
	size_t together = 0;
	char *at;

	(void)state;
	rings_open(&context, &spec, 1, 1);
	at = context.rings[0].at;
	for (size_t i = 0; i < context.rings[0].n; i++) {
		char *next = *(void **)at;

		together += next - at == 96;
		at = next;
	}
	/* Every other step is within a block. */
	assert_true(together >= 64 && together < 70);
	chase_release(&context);
}

static void random_rings_differ_by_seed_and_jump(void **state)
{
	const struct chase_spec specs[] = {
		{64 * KIB, CHASE_RANDOM, 0}, {256 * KIB, CHASE_RANDOM, 0}};
	struct chase_context one, other;
	size_t same = 0, near = 0, n = 256 * KIB / CHASE_LINE_BYTES;

	(void)state;
	rings_open(&one, specs, 2, 1);
	rings_open(&other, specs, 2, 2);
	for (size_t r = 0; r < 2; r++) {
		n = specs[r].bytes / CHASE_LINE_BYTES;
		same = near = 0;
		for (size_t i = 0; i < n; i++) {
			char *at = (char *)chase_pointer(&one.rings[r], i);
			char *there = (char *)chase_pointer(&other.rings[r], i);
			ptrdiff_t step = *(char **)at - at;

			same += step == *(char **)there - there;
			near += llabs(step) <= 2 * (long)CHASE_LINE_BYTES;
		}
		assert_true(same < n / 50);
		assert_true(near < n / 50);
	}
	chase_release(&one);
	chase_release(&other);
}

static void chains_begin_apart_and_stay_in_the_ring(void **state)
{
	const struct chase_spec spec = {64 * KIB, CHASE_RANDOM, 0};
	struct chase_context context;

	(void)state;
	rings_open(&context, &spec, 1, 1);
	for (unsigned chains = 1; chains <= CHASE_MOST_CHAINS; chains++) {
		struct chase_point point;
		void *expected[CHASE_MOST_CHAINS];

		chase_point_init(&point, &context.rings[0], chains, false);
		for (unsigned c = 0; c < chains; c++) {
			for (unsigned d = 0; d < c; d++)
				assert_ptr_not_equal(point.at[c], point.at[d]);
			expected[c] = point.at[c];
			for (int i = 0; i < 64; i++)
				expected[c] = *(void **)expected[c];
		}
		chase_follow(&point, 64);
		for (unsigned c = 0; c < chains; c++)
			assert_ptr_equal(point.at[c], expected[c]);
		assert_int_equal(chase_steps(&point) % 4, 0);
		assert_true(chase_steps(&point) * chains > 8000);
	}
	chase_release(&context);
}

static void stores_leave_the_ring_as_it_was(void **state)
{
	const struct chase_spec spec = {8 * KIB, CHASE_RANDOM, 0};
	struct chase_context context;
	struct chase_point point;
	void *before[128];

	(void)state;
	rings_open(&context, &spec, 1, 1);
	for (size_t i = 0; i < 128; i++)
		before[i] = *chase_pointer(&context.rings[0], i);
	chase_point_init(&point, &context.rings[0], 1, true);
	chase_follow(&point, 128);
	/* Once around. */
	assert_ptr_equal(point.at[0], context.rings[0].cells[0]);
	for (size_t i = 0; i < 128; i++)
		assert_ptr_equal(
			before[i], *chase_pointer(&context.rings[0], i));
	chase_release(&context);
}

/* A run of probe_cache: some chases and some streams. */
struct cache_rig {
	struct real_rig real;
	struct chase_context rings;
	struct chase_point points[4];
	struct stream_point streams[2];
	struct cache_context context;
};

static void cache_open(struct cache_rig *rig, const struct probe *probe)
{
	static const struct chase_spec specs[] = {{KIB, CHASE_RANDOM, 0},
		{300 * KIB, CHASE_PAGE, 0}, {9 * KIB * KIB, CHASE_RANDOM, 0}};
	struct chase_points *chase = &rig->context.chase;
	struct stream_context *stream = &rig->context.stream;

	memset(rig, 0, sizeof(*rig));
	real_open(&rig->real, probe);
	rings_open(&rig->rings, specs, 3, 1);
	for (size_t i = 0; i < 3; i++)
		chase_point_init(
			&rig->points[i], &rig->rings.rings[i], 1, false);
	chase_point_init(&rig->points[3], &rig->rings.rings[1], 4, false);
	rig->points[1].state = CHASE_ALONE;
	rig->points[2].state = CHASE_HELD;
	*chase = (struct chase_points){rig->points, 4, 32 << 20};
	for (size_t i = 0; i < 2; i++)
		rig->streams[i] = (struct stream_point){.bytes = 64 * KIB,
			.n_cpus = (uint32_t)(i ? rig->real.cpus.n : 1),
			.access = ARCH_READ,
			.vector = arch_vector_widest()};
	*stream = (struct stream_context){
		.points = rig->streams, .n_points = 2, .cpus = &rig->real.cpus};
	assert_int_equal(stream_init(stream, rig->real.machine,
				 &(const struct memory_request){
					 .pages = MEMORY_PAGES_BASE},
				 NULL),
		0);
	rig->real.options.block_bytes = PROBE_SLOT_BYTES;
	rig->real.options.may_drop = true;
	rig->real.options.params.context =
		probe == &probe_chase ? (void *)chase : &rig->context;
}

static void cache_close(struct cache_rig *rig)
{
	stream_release(&rig->context.stream);
	chase_release(&rig->rings);
	real_close(&rig->real);
}

/* Visits may be disturbed; those that were not have values. */
static size_t count_values(
	const struct campaign *campaign, size_t pair, size_t k)
{
	double values[64];
	size_t n = campaign_gather(
		campaign, pair, k, 0, campaign->n_passes, 1, values);

	for (size_t i = 0; i < n; i++)
		assert_true(values[i] > 0 && values[i] < 1e6);
	return n;
}

static void points_have_latencies_and_clocks(void **state)
{
	static const struct schedule_pair pairs[] = {
		{.variant = 0}, {.variant = 1}, {.variant = 2}, {.variant = 3}};
	struct cache_rig rig;
	size_t found = 0;

	(void)state;
	cache_open(&rig, &probe_chase);
	rig.real.options.pairs = pairs;
	rig.real.options.n_pairs = 4;
	rig.real.options.passes_min = rig.real.options.passes_max = 6;
	assert_int_equal(
		campaign_run(&rig.real.campaign, &rig.real.options, NULL), 0);
	assert_true(rig.real.campaign.complete);
	for (size_t p = 0; p < 4; p++) {
		found += count_values(&rig.real.campaign, p, 0);
		/* Of the clocks, none is dropped where they can be counted. */
		assert_int_equal(count_values(&rig.real.campaign, p, 1),
			ARCH_CLOCKS ? 6 : 0);
	}
	assert_true(found > 0);
	/* Interrupted rounds do not count, and three make a state. */
	for (size_t p = 0; p < 4; p++) {
		const struct chase_point *point = &rig.points[p];
		bool rounds = point->state != CHASE_WARMED;

		assert_int_equal(rounds, p == 1 || p == 2);
		assert_true(point->visits >= (rounds ? 6 : 0));
		assert_true(point->rounds >= 3 * (uint64_t)point->steady);
		assert_true(point->steady <= point->visits);
	}
	cache_close(&rig);
}

static void chases_and_streams_go_in_one_run(void **state)
{
	static const uint32_t others[] = {1, 2};
	struct schedule_pair pairs[] = {
		{.variant = 0}, {.variant = 3}, {.variant = 4}, {.variant = 5}};
	struct cache_rig rig;
	size_t found = 0;

	(void)state;
	cache_open(&rig, &probe_cache);
	pairs[3].n_others = (uint32_t)rig.real.cpus.n - 1;
	rig.real.options.pairs = pairs;
	rig.real.options.n_pairs = 4;
	rig.real.options.others = others;
	rig.real.options.passes_min = rig.real.options.passes_max = 8;
	assert_int_equal(
		campaign_run(&rig.real.campaign, &rig.real.options, NULL), 0);
	for (size_t p = 0; p < 4; p++) {
		size_t k = p < 2 ? 0 : 1;

		found += count_values(&rig.real.campaign, p, k);
	}
	assert_true(found > 0);
	cache_close(&rig);
}

static void large_sets_are_left_out_of_some_passes_only(void **state)
{
	struct chase_ring rings[] = {{.bytes = KIB}, {.bytes = 64 << 20},
		{.bytes = (size_t)1 << 32}};
	struct chase_point points[] = {
		{.ring = &rings[0]}, {.ring = &rings[1]}, {.ring = &rings[2]}};
	const struct stream_point streams[] = {
		{.bytes = KIB}, {.bytes = (size_t)1 << 30}};
	const struct cache_context context = {
		.chase = {points, 3, 0}, .stream = {.points = streams}};
	static const unsigned expected[] = {64, 16, 8, 64, 8};

	(void)state;
	for (uint32_t variant = 0; variant < 5; variant++) {
		unsigned due = 0;

		assert_true(cache_due(&context, variant, 0));
		for (uint32_t pass = 64; pass < 128; pass++)
			due += cache_due(&context, variant, pass);
		assert_int_equal(due, expected[variant]);
	}
}

/* A visit that was given up has no value, and ends. */
static void visits_end_when_abandoned(void **state)
{
	struct cache_rig rig;
	struct half half;
	struct probe_visit visit = {.n_seconds = 1};

	(void)state;
	cache_open(&rig, &probe_cache);
	visit.params = &rig.real.options.params;
	visit.slots = aligned_alloc(PROBE_SLOT_BYTES, PROBE_SLOT_BYTES);
	assert_non_null(visit.slots);
	for (visit.variant = 0; visit.variant < 3; visit.variant++) {
		memset(visit.slots, 0, PROBE_SLOT_BYTES);
		probe_cache.abandon(visit.slots);
		half_start(&half, &probe_cache, &visit, true);
		assert_false(half_end(&half));
	}
	/* A stream waits for a partner that never comes. */
	memset(visit.slots, 0, PROBE_SLOT_BYTES);
	visit.variant = 4;
	visit.n_seconds = 2;
	visit.second_cpu = rig.real.cpu_numbers[0];
	half_start(&half, &probe_cache, &visit, false);
	nap();
	half_abandon(&half);
	assert_false(half_end(&half));
	free(visit.slots);
	cache_close(&rig);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(a_ring_meets_every_line_once),
	cmocka_unit_test(rings_of_pairs_and_of_lines_apart_meet_no_other),
	cmocka_unit_test(pairs_lie_their_distance_apart),
	cmocka_unit_test(random_rings_differ_by_seed_and_jump),
	cmocka_unit_test(chains_begin_apart_and_stay_in_the_ring),
	cmocka_unit_test(stores_leave_the_ring_as_it_was),
	cmocka_unit_test(points_have_latencies_and_clocks),
	cmocka_unit_test(chases_and_streams_go_in_one_run),
	cmocka_unit_test(large_sets_are_left_out_of_some_passes_only),
	cmocka_unit_test(visits_end_when_abandoned),
};

CASE_GROUP(cases);
