/*
 * The probe of c2c memcpy in real memory. Copies pass through struct
 * arch_vector, so that one of the test's own sees them, spoils them or stops in
 * the middle.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cmocka.h>

#include "../case_group.h"
#include "arch/vector.h"
#include "machine/memory.h"
#include "probe/probe_memcpy.h"
#include "visits.h"

/* Copies between pretended CPUs, in memory of no node. */
struct memcpy_rig {
	struct memcpy_context context;
	struct cpu_list cpus;
	unsigned cpu_numbers[4];
	struct probe_params params;
	struct error error;
	_Alignas(PROBE_SLOT_BYTES) char slots[PROBE_SLOT_BYTES];
};

static void memcpy_open(
	struct memcpy_rig *rig, size_t bytes, const struct arch_vector *vector)
{
	*rig = (struct memcpy_rig){
		.cpu_numbers = {0, 1, 2, 3},
		.params = {.samples = 1,
			.slots = 1,
			.ns_per_tick = 1,
			.context = &rig->context},
		/* A busy machine must not add calls. */
		.context = {.bytes = bytes,
			.slice_bytes = bytes,
			.n_dests = 1,
			.tries = 1,
			.pages = MEMORY_PAGES_BASE,
			.stream = vector != NULL,
			.vector = vector},
	};
	rig->cpus = (struct cpu_list){rig->cpu_numbers, 4};
	assert_int_equal(
		memcpy_context_init(&rig->context, &rig->cpus, NULL), 0);
	assert_int_equal(rig->context.n_nodes, 1);
}

static void memcpy_close(struct memcpy_rig *rig)
{
	memcpy_context_release(&rig->context);
	assert_null(rig->context.nodes);
}

static struct probe_visit memcpy_visit_of(
	struct memcpy_rig *rig, unsigned first, unsigned second, uint32_t pass)
{
	return (struct probe_visit){
		.params = &rig->params,
		.slots = rig->slots,
		.first_cpu = first,
		.second_cpu = second,
		.pass = pass,
		.n_seconds = 1,
		.error = &rig->error,
	};
}

/* Both halves in turn, as for one CPU: the first never waits. */
static bool memcpy_visit(
	struct memcpy_rig *rig, unsigned first, unsigned second, uint32_t pass)
{
	struct probe_visit visit = memcpy_visit_of(rig, first, second, pass);
	int64_t ticks[8] = {-1};
	bool well;

	memset(&rig->error, 0, sizeof(rig->error));
	well = probe_memcpy.first(&visit, NULL) &&
	       probe_memcpy.second(&visit, ticks);
	if (well) {
		assert_true(ticks[0] >= 0);
		check_slot(&visit);
	}
	/* For the next, as the crew does. */
	memset(rig->slots, 0, sizeof(rig->slots));
	return well;
}

static void the_copier_copies_every_byte(void **state)
{
	static const size_t sizes[] = {
		MEMCPY_GRAIN, 5 * MEMCPY_GRAIN, (size_t)33 << 20};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		/* NULL at the end: the C library's. */
		for (size_t v = 0;; v++) {
			const struct arch_vector *vector = arch_vectors[v];
			struct memcpy_rig rig;
			const struct memory_mapping *from, *to;

			if (vector && !arch_vector_usable(vector))
				continue;
			memcpy_open(&rig, sizes[i], vector);
			assert_true(memcpy_visit(&rig, 0, 1, 0));
			from = &rig.context.nodes[0].source;
			to = &rig.context.nodes[0].dests[0].memory;
			assert_memory_equal(from->base, to->base, sizes[i]);
			/* No region is larger than asked for. */
			assert_int_equal(from->bytes, sizes[i]);
			assert_int_equal(to->bytes, sizes[i]);
			memcpy_close(&rig);
			if (!vector)
				break;
		}
	}
}

/* The source is written anew for each row of each pass, and not more often. */
static void the_source_is_written_once_for_a_row(void **state)
{
	static const struct {
		unsigned first, second;
		uint32_t pass;
		uint64_t seed;
	} visits[] = {
		{0, 0, 0, 1},
		{0, 1, 0, 1},
		{0, 3, 0, 1},
		{2, 1, 0, 2},
		{2, 2, 0, 2},
		{2, 2, 1, 3},
		{2, 0, 1, 3},
		{0, 0, 1, 4},
		{0, 1, 2, 5},
		{0, 1, 2, 5},
	};
	struct memcpy_rig rig;

	(void)state;
	memcpy_open(&rig, 2 * MEMCPY_GRAIN, NULL);
	for (size_t i = 0; i < sizeof(visits) / sizeof(*visits); i++) {
		const uint64_t *source;

		assert_true(memcpy_visit(&rig, visits[i].first,
			visits[i].second, visits[i].pass));
		assert_int_equal(rig.context.seed, visits[i].seed);
		/* It holds what the seed says, and so something else. */
		source = rig.context.nodes[0].source.base;
		assert_int_equal(source[0], visits[i].seed);
	}
	memcpy_close(&rig);
}

/* How a copy goes wrong, in the call of that number. */
static struct {
	unsigned calls, wrong_call;
	size_t flip; /* this byte; SIZE_MAX: none */
	size_t skip; /* so many at the end */
	size_t bytes;
} bad_copy;

static void stream_badly(
	void *restrict to, const void *restrict from, size_t bytes)
{
	bad_copy.bytes += bytes;
	if (bad_copy.calls++ != bad_copy.wrong_call) {
		memcpy(to, from, bytes);
		return;
	}
	memcpy(to, from, bytes - bad_copy.skip);
	if (bad_copy.flip != SIZE_MAX)
		((unsigned char *)to)[bad_copy.flip] ^= 0x10;
}

static const struct arch_vector vector_bad_copy = {
	.name = "bad", .bytes = 8, .stream = stream_badly};

/* The copy of that number goes wrong: found, named, and the end of the run. */
static void check_bad_copy(unsigned wrong_call, size_t flip, size_t skip,
	size_t bytes, size_t found_at)
{
	struct memcpy_rig rig;
	struct probe_visit visit;
	char place[64];
	int64_t ticks;

	memset(&bad_copy, 0, sizeof(bad_copy));
	bad_copy.wrong_call = wrong_call;
	bad_copy.flip = flip;
	bad_copy.skip = skip;
	memcpy_open(&rig, bytes, &vector_bad_copy);
	for (unsigned i = 0; i < wrong_call; i++)
		assert_true(memcpy_visit(&rig, 2, i % 4, 0));
	visit = memcpy_visit_of(&rig, 2, 1, 0);
	assert_true(probe_memcpy.first(&visit, NULL));
	assert_false(probe_memcpy.second(&visit, &ticks));
	assert_int_equal(rig.error.class, ERROR_FAILURE);
	assert_int_equal(rig.error.code, EIO);
	snprintf(place, sizeof(place), "byte %zu of %zu", found_at, bytes);
	assert_non_null(strstr(rig.error.text, place));
	assert_non_null(strstr(rig.error.text, "CPU 1's copy"));
	assert_non_null(strstr(rig.error.text, "CPU 2 wrote"));
	/* The partner is told. */
	assert_false(probe_memcpy.second(&visit, &ticks));
	memcpy_close(&rig);
}

static void one_wrong_bit_is_found(void **state)
{
	const size_t bytes = 8 * MEMCPY_GRAIN;

	(void)state;
	/* Words are compared, so that a word's first byte is named. */
	for (unsigned call = 0; call < 6; call++) {
		check_bad_copy(call, 0, 0, bytes, 0);
		check_bad_copy(call, bytes / 2 + 13, 0, bytes, bytes / 2 + 8);
		check_bad_copy(call, bytes - 1, 0, bytes, bytes - 8);
	}
	/* More than what is compared in one go. */
	check_bad_copy(0, ((size_t)17 << 20) + 1, 0, (size_t)20 << 20,
		(size_t)17 << 20);
}

/* What is not copied at all is not what the copier had there before. */
static void bytes_left_out_are_found(void **state)
{
	const size_t bytes = 8 * MEMCPY_GRAIN;

	(void)state;
	check_bad_copy(0, SIZE_MAX, 64, bytes, bytes - 64);
	check_bad_copy(0, SIZE_MAX, bytes, bytes, 0);
	/* Before came a good copy of the very same source. */
	check_bad_copy(1, SIZE_MAX, bytes, bytes, 0);
	check_bad_copy(3, SIZE_MAX, MEMCPY_GRAIN, bytes, bytes - MEMCPY_GRAIN);
}

/* How many pages of a copy's destination were there before it. */
static struct {
	size_t calls, pages, resident;
} residence;

static void stream_looking(
	void *restrict to, const void *restrict from, size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	unsigned char there[64];

	residence.calls++;
	residence.pages = bytes / page;
	residence.resident = 0;
	if (residence.pages > sizeof(there) || mincore(to, bytes, there) != 0)
		abort();
	for (size_t i = 0; i < residence.pages; i++)
		residence.resident += there[i] & 1;
	memcpy(to, from, bytes);
}

static const struct arch_vector vector_looking = {
	.name = "look", .bytes = 8, .stream = stream_looking};

static void the_destination_is_as_asked_for(void **state)
{
	size_t bytes = 8 * (size_t)sysconf(_SC_PAGESIZE);

	(void)state;
	for (int fresh = 0; fresh < 2; fresh++) {
		struct memcpy_rig rig;

		memcpy_open(&rig, bytes, &vector_looking);
		rig.context.fresh = fresh;
		residence.calls = 0;
		for (unsigned i = 0; i < 6; i++) {
			assert_true(memcpy_visit(&rig, i / 2, i % 4, 0));
			assert_int_equal(residence.calls, i + 1);
			assert_int_equal(residence.pages, 8);
			assert_int_equal(residence.resident, fresh ? 0 : 8);
			assert_int_equal(rig.context.bytes_had,
				fresh ? (2 + i) * bytes : 2 * bytes);
			assert_int_equal(rig.context.huge_bytes, 0);
			assert_int_equal(
				rig.context.pages_had, MEMORY_PAGES_BASE);
			assert_true(rig.context.bound);
		}
		memcpy_close(&rig);
	}
}

/* Every sample of a visit is a copy of its own. */
static void a_visit_leaves_one_sample(void **state)
{
	(void)state;
	for (int fresh = 0; fresh < 2; fresh++) {
		struct memcpy_rig rig;

		memset(&bad_copy, 0, sizeof(bad_copy));
		bad_copy.wrong_call = UINT32_MAX;
		memcpy_open(&rig, 2 * MEMCPY_GRAIN, &vector_bad_copy);
		rig.context.fresh = fresh;
		rig.params.samples = 5;
		assert_true(memcpy_visit(&rig, 0, 1, 0));
		assert_int_equal(bad_copy.calls, 5);
		assert_int_equal(bad_copy.bytes, 10 * MEMCPY_GRAIN);
		memcpy_close(&rig);
	}
}

/* Huge pages that are had are counted. */
static void the_account_says_where_memory_is(void **state)
{
	const size_t bytes = (size_t)8 << 20;
	struct memcpy_rig rig;

	(void)state;
	memcpy_open(&rig, bytes, NULL);
	rig.context.pages = MEMORY_PAGES_THP;
	if (!memcpy_visit(&rig, 0, 1, 0)) {
		assert_int_equal(rig.error.class, ERROR_UNAVAILABLE);
		print_message("skip: no transparent huge pages here: %s\n",
			rig.error.text);
		memcpy_close(&rig);
		skip();
	}
	assert_int_equal(rig.context.bytes_had, 2 * bytes);
	assert_int_equal(rig.context.huge_bytes, 2 * bytes);
	assert_int_equal(rig.context.pages_had, MEMORY_PAGES_THP);
	memcpy_close(&rig);
}

/* In pages of another kind than was asked for, nothing is measured. */
static void missing_huge_pages_end_the_run(void **state)
{
	const size_t bytes = (size_t)8 << 20;

	(void)state;
	if (prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) != 0) {
		print_message("skip: transparent huge pages cannot be switched "
			      "off for a process\n");
		skip();
	}
	for (int fresh = 0; fresh < 2; fresh++) {
		struct memcpy_rig rig;
		bool source, dest;

		/* A source, and a destination where that was had. */
		memcpy_open(&rig, bytes, NULL);
		rig.context.fresh = fresh;
		rig.context.pages = MEMORY_PAGES_THP;
		source = memcpy_visit(&rig, 0, 1, 0);
		assert_int_equal(rig.error.class, ERROR_UNAVAILABLE);
		rig.context.pages = MEMORY_PAGES_AUTO;
		assert_true(memcpy_visit(&rig, 0, 1, 1));
		memory_release(&rig.context.nodes[0].dests[0].memory);
		rig.context.nodes[0].dests[0].ready = false;
		rig.context.pages = MEMORY_PAGES_THP;
		dest = memcpy_visit(&rig, 0, 1, 1);
		assert_int_equal(rig.error.class, ERROR_UNAVAILABLE);
		assert_false(source);
		assert_false(dest);
		memcpy_close(&rig);
	}
	assert_int_equal(prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0), 0);
}

static void missing_memory_ends_the_run(void **state)
{
	const size_t too_many = SIZE_MAX / 2 / MEMCPY_GRAIN * MEMCPY_GRAIN;
	struct probe_visit visit;
	struct memcpy_rig rig;
	int64_t ticks;

	(void)state;
	/* Of a source: whoever waits for it goes. */
	memcpy_open(&rig, too_many, NULL);
	visit = memcpy_visit_of(&rig, 0, 1, 0);
	assert_false(probe_memcpy.first(&visit, NULL));
	assert_int_equal(rig.error.class, ERROR_FAILURE);
	assert_true(rig.error.code == ENOMEM || rig.error.code == EINVAL);
	assert_false(probe_memcpy.second(&visit, &ticks));
	memcpy_close(&rig);

	/* Of a destination. */
	memcpy_open(&rig, MEMCPY_GRAIN, NULL);
	visit = memcpy_visit_of(&rig, 0, 1, 0);
	assert_true(probe_memcpy.first(&visit, NULL));
	rig.context.slice_bytes = too_many;
	assert_false(probe_memcpy.second(&visit, &ticks));
	assert_int_equal(rig.error.class, ERROR_FAILURE);
	rig.context.slice_bytes = MEMCPY_GRAIN;
	memcpy_close(&rig);
}

/* Whoever is given up writes nothing, and the row is written again. */
static void a_visit_may_be_given_up_before_it_begins(void **state)
{
	struct probe_visit visit;
	struct memcpy_rig rig;
	int64_t ticks = -7;

	(void)state;
	memcpy_open(&rig, 2 * MEMCPY_GRAIN, NULL);
	visit = memcpy_visit_of(&rig, 0, 1, 0);
	probe_memcpy.abandon(rig.slots);
	assert_false(probe_memcpy.first(&visit, NULL));
	assert_false(probe_memcpy.second(&visit, &ticks));
	assert_int_equal(ticks, -7);
	assert_int_equal(rig.error.code, 0);
	memset(rig.slots, 0, sizeof(rig.slots));
	assert_true(memcpy_visit(&rig, 0, 1, 0));
	assert_int_equal(rig.context.seed, 2);

	/* A row that is there: the mark stays for the copier. */
	probe_memcpy.abandon(rig.slots);
	assert_false(probe_memcpy.first(&visit, NULL));
	assert_false(probe_memcpy.second(&visit, &ticks));
	memset(rig.slots, 0, sizeof(rig.slots));
	assert_true(memcpy_visit(&rig, 0, 2, 0));
	assert_int_equal(rig.context.seed, 2);

	/*
	 * Another row's writer was given up: the source may hold parts of it.
	 */
	visit = memcpy_visit_of(&rig, 3, 1, 0);
	probe_memcpy.abandon(rig.slots);
	assert_false(probe_memcpy.first(&visit, NULL));
	memset(rig.slots, 0, sizeof(rig.slots));
	assert_true(memcpy_visit(&rig, 0, 1, 0));
	assert_int_equal(rig.context.seed, 4);
	memcpy_close(&rig);
}

/* The copier waits for the source, and goes when the visit is given up. */
static void a_copier_alone_copies_nothing(void **state)
{
	struct probe_visit visit;
	struct memcpy_rig rig;
	struct half half;

	(void)state;
	memcpy_open(&rig, 2 * MEMCPY_GRAIN, NULL);
	assert_true(memcpy_visit(&rig, 0, 1, 0));
	visit = memcpy_visit_of(&rig, 0, 1, 1);
	half_start(&half, &probe_memcpy, &visit, false);
	nap();
	assert_false(atomic_load(&half.returned));
	half_abandon(&half);
	assert_false(half_end(&half));
	memset(rig.slots, 0, sizeof(rig.slots));
	assert_true(memcpy_visit(&rig, 0, 1, 1));
	memcpy_close(&rig);
}

static void stream_gated(
	void *restrict to, const void *restrict from, size_t bytes)
{
	gate_pass();
	memcpy(to, from, bytes);
}

/*
 * Given up while it copies, which nothing cuts short: before it compares. The
 * next copy finds memory as any other does.
 */
static void a_visit_may_be_given_up_while_it_copies(void **state)
{
	static const struct arch_vector vector = {
		.name = "gate", .bytes = 8, .stream = stream_gated};

	(void)state;
	for (int fresh = 0; fresh < 2; fresh++) {
		struct memcpy_rig rig;
		struct probe_visit visit;
		struct half half;

		memcpy_open(&rig, 8 * (size_t)sysconf(_SC_PAGESIZE), &vector);
		rig.context.fresh = fresh;
		visit = memcpy_visit_of(&rig, 0, 1, 0);
		assert_true(probe_memcpy.first(&visit, NULL));
		gate_close(0);
		half_start(&half, &probe_memcpy, &visit, false);
		gate_await();
		probe_memcpy.abandon(rig.slots);
		gate_open();
		assert_false(half_end(&half));
		assert_int_equal(half.error.code, 0);
		assert_int_equal(gate_calls(), 1);
		memset(rig.slots, 0, sizeof(rig.slots));
		rig.context.vector = &vector_looking;
		assert_true(memcpy_visit(&rig, 0, 1, 0));
		assert_int_equal(residence.resident, fresh ? 0 : 8);
		memcpy_close(&rig);
	}
}

/* The library would copy a part of it by other instructions than all of it. */
static void one_call_copies_the_whole_region(void **state)
{
	/* Four of the pieces in which it is written and compared. */
	const size_t bytes = ((size_t)64 << 20) + MEMCPY_GRAIN;
	struct memcpy_rig rig;

	(void)state;
	memset(&bad_copy, 0, sizeof(bad_copy));
	bad_copy.wrong_call = UINT32_MAX;
	memcpy_open(&rig, bytes, &vector_bad_copy);
	assert_true(memcpy_visit(&rig, 0, 1, 0));
	assert_int_equal(bad_copy.calls, 1);
	assert_int_equal(bad_copy.bytes, bytes);
	memcpy_close(&rig);
}

/* One half of a large copy with marks from outside: whether it went. */
static bool memcpy_is_given_up(bool is_first)
{
	const size_t bytes = (size_t)64 << 20;
	struct memcpy_rig rig;
	struct probe_visit visit;
	struct half half;
	bool well;

	memcpy_open(&rig, bytes, NULL);
	visit = memcpy_visit_of(&rig, 0, 1, 0);
	if (!is_first)
		assert_true(probe_memcpy.first(&visit, NULL));
	half_start(&half, &probe_memcpy, &visit, is_first);
	half_abandon(&half);
	well = half_end(&half);
	assert_int_equal(half.error.code, 0);
	memset(rig.slots, 0, sizeof(rig.slots));
	assert_true(memcpy_visit(&rig, 0, 1, 0));
	memcpy_close(&rig);
	return !well;
}

/* It may be through before the mark is there, but not every time. */
static void a_visit_may_be_given_up_at_any_time(void **state)
{
	(void)state;
	for (int is_first = 0; is_first < 2; is_first++) {
		int tries = 0;

		while (!memcpy_is_given_up(is_first))
			assert_true(++tries < 20);
	}
}

/* Where copies read and wrote, in pages of the first of each. */
static struct {
	size_t calls;
	const char *from[16], *to[16];
	size_t bytes;
} places;

static void stream_noting(
	void *restrict to, const void *restrict from, size_t bytes)
{
	places.from[places.calls % 16] = from;
	places.to[places.calls % 16] = to;
	places.calls++;
	places.bytes = bytes;
	memcpy(to, from, bytes);
}

static const struct arch_vector vector_noting = {
	.name = "note", .bytes = 8, .stream = stream_noting};

/* Five slices of two pages, two pages of a tail, three places to copy to. */
static void slices_open(struct memcpy_rig *rig)
{
	memset(&places, 0, sizeof(places));
	memcpy_open(rig, 12 * MEMCPY_GRAIN, &vector_noting);
	rig->context.slice_bytes = 2 * MEMCPY_GRAIN;
	rig->context.n_slices = 5;
	rig->context.n_dests = 3;
}

/* No copy reads what another has read, or writes what was just written. */
static void each_copy_has_a_slice_of_its_own(void **state)
{
	const size_t slice = 2 * MEMCPY_GRAIN;

	(void)state;
	for (int fresh = 0; fresh < 2; fresh++) {
		struct memcpy_rig rig;
		const uint64_t *source;

		slices_open(&rig);
		rig.context.fresh = fresh;
		for (unsigned i = 0; i < 5; i++)
			assert_true(memcpy_visit(&rig, 0, i % 4, 0));
		source = rig.context.nodes[0].source.base;
		assert_int_equal(rig.context.seed, 1);
		assert_int_equal(places.calls, 5);
		assert_int_equal(places.bytes, slice);
		for (size_t i = 0; i < 5; i++) {
			assert_ptr_equal(places.from[i],
				(const char *)source + i * slice);
			assert_ptr_equal(places.to[i],
				rig.context.nodes[0].dests[i % 3].memory.base);
		}
		assert_ptr_not_equal(places.to[0], places.to[1]);
		/* Written anew: one visit more, then another row. */
		assert_true(memcpy_visit(&rig, 0, 3, 0));
		assert_int_equal(rig.context.seed, 2);
		assert_ptr_equal(places.from[5], source);
		assert_true(memcpy_visit(&rig, 1, 3, 0));
		assert_int_equal(rig.context.seed, 3);
		assert_ptr_equal(places.from[6], source);
		/* The tail is only read, and stays as it was first. */
		assert_int_equal(source[0], 3);
		assert_int_equal(source[5 * slice / sizeof(*source)],
			1 + 5 * slice / sizeof(*source) * PROBE_WORD_STEP);
		memcpy_close(&rig);
	}
}

/* A visit that may be made again has slices for all of its tries. */
static void a_row_is_written_again_before_slices_run_out(void **state)
{
	struct memcpy_rig rig;

	(void)state;
	slices_open(&rig);
	/* One try each: a busy machine must not take more slices. */
	for (unsigned i = 0; i < 3; i++)
		assert_true(memcpy_visit(&rig, 0, i, 0));
	assert_int_equal(rig.context.seed, 1);
	rig.context.tries = 3;
	assert_true(memcpy_visit(&rig, 0, 3, 0));
	assert_int_equal(rig.context.seed, 2);
	memcpy_close(&rig);
}

/* Bytes of a slice are compared with that slice. */
static void a_wrong_slice_is_found(void **state)
{
	struct memcpy_rig rig;
	struct probe_visit visit;
	int64_t ticks;

	(void)state;
	slices_open(&rig);
	memset(&bad_copy, 0, sizeof(bad_copy));
	bad_copy.wrong_call = 3;
	bad_copy.flip = MEMCPY_GRAIN + 9;
	rig.context.vector = &vector_bad_copy;
	for (unsigned i = 0; i < 3; i++)
		assert_true(memcpy_visit(&rig, 2, i, 0));
	visit = memcpy_visit_of(&rig, 2, 1, 0);
	assert_true(probe_memcpy.first(&visit, NULL));
	assert_false(probe_memcpy.second(&visit, &ticks));
	assert_int_equal(rig.error.code, EIO);
	assert_non_null(strstr(rig.error.text, "byte 4104 of 8192"));
	memcpy_close(&rig);
}

static void ticks_become_a_rate(void **state)
{
	struct memcpy_context context = {
		.bytes = (size_t)5 << 30, .slice_bytes = (size_t)3 << 30};
	const struct probe_params params = {
		.ns_per_tick = 0.5, .context = &context};

	(void)state;
	/* 3 GiB in half a second. */
	assert_true(fabs(probe_memcpy.scale(&params, 0, 1e9) - 6) < 1e-12);
	assert_int_equal(probe_memcpy.first_cell, PROBE_NOTHING);
	assert_int_equal(probe_memcpy.second_cell, PROBE_FORWARD);
}

/* Rows with their diagonal; a copy that goes wrong ends the run and says so. */
static void a_campaign_copies_between_all_pairs(void **state)
{
	(void)state;
	for (int i = 0; i < 5; i++) {
		struct memcpy_context context = {
			.bytes = 16 * MEMCPY_GRAIN,
			.slice_bytes = 16 * MEMCPY_GRAIN,
			.n_dests = 1,
			.tries = 1,
			.fresh = i & 1,
			.stream = i & 6,
			.pages = MEMORY_PAGES_AUTO,
			.vector = i == 4 ? &vector_bad_copy
					 : arch_vector_widest(),
		};
		struct schedule_pair pairs[9];
		struct real_rig rig;
		size_t n = 0;

		memset(&bad_copy, 0, sizeof(bad_copy));
		bad_copy.wrong_call = 1;
		bad_copy.flip = 8;
		real_open(&rig, &probe_memcpy);
		context.machine = rig.machine;
		assert_int_equal(
			memcpy_context_init(&context, &rig.cpus, NULL), 0);
		for (uint32_t a = 0; a < rig.cpus.n; a++) {
			for (uint32_t b = 0; b < rig.cpus.n; b++)
				pairs[n++] = (struct schedule_pair){
					.first = a, .second = b};
		}
		rig.options.params.context = &context;
		rig.options.pairs = pairs;
		rig.options.n_pairs = n;
		rig.options.order = SCHEDULE_BY_ROW;
		if (i < 4) {
			real_run(&rig, NAN);
			/* Four passes over so many rows. */
			assert_int_equal(context.seed, 4 * rig.cpus.n);
		} else {
			assert_int_equal(
				campaign_run(&rig.campaign, &rig.options, NULL),
				0);
			assert_false(rig.campaign.complete);
			assert_int_equal(rig.campaign.failure.code, EIO);
			assert_non_null(strstr(rig.campaign.warnings[0],
				"differs from it at byte 8 of"));
		}
		memcpy_context_release(&context);
		real_close(&rig);
	}
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(the_copier_copies_every_byte),
	cmocka_unit_test(the_source_is_written_once_for_a_row),
	cmocka_unit_test(one_wrong_bit_is_found),
	cmocka_unit_test(bytes_left_out_are_found),
	cmocka_unit_test(the_destination_is_as_asked_for),
	cmocka_unit_test(a_visit_leaves_one_sample),
	cmocka_unit_test(the_account_says_where_memory_is),
	cmocka_unit_test(missing_huge_pages_end_the_run),
	cmocka_unit_test(missing_memory_ends_the_run),
	cmocka_unit_test(a_visit_may_be_given_up_before_it_begins),
	cmocka_unit_test(a_copier_alone_copies_nothing),
	cmocka_unit_test(a_visit_may_be_given_up_while_it_copies),
	cmocka_unit_test(one_call_copies_the_whole_region),
	cmocka_unit_test(a_visit_may_be_given_up_at_any_time),
	cmocka_unit_test(each_copy_has_a_slice_of_its_own),
	cmocka_unit_test(a_row_is_written_again_before_slices_run_out),
	cmocka_unit_test(a_wrong_slice_is_found),
	cmocka_unit_test(ticks_become_a_rate),
	cmocka_unit_test(a_campaign_copies_between_all_pairs),
};

CASE_GROUP(cases);
