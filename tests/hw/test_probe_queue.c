/*
 * The probes of c2c queue with real threads. All that they write and read
 * passes through struct arch_vector, so that vectors of the test's own see it,
 * put faults into it or stop it in the middle. Of rates nothing is asserted but
 * that there are some.
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
#include "arch/vector.h"
#include "probe/probe_queue.h"
#include "visits.h"

#define LINE 64

/* What lies behind a block. */
#define GUARD 0x5a

/* A queue of the test's own: the memory of its visits, and how it is run. */
struct queue_rig {
	struct queue_shape shapes[2];
	struct queue_context context;
	struct probe_params params;
	struct probe_visit visit;
	size_t block_bytes;
};

static void queue_open(struct queue_rig *rig, const struct arch_vector *vector,
	unsigned line_bytes, uint32_t chunk_bytes, uint32_t chunks)
{
	*rig = (struct queue_rig){
		.shapes = {{chunk_bytes, chunks},
			{2 * chunk_bytes, (chunks + 1) / 2}},
		.context = {.vector = vector,
			.line_bytes = line_bytes,
			.shapes = rig->shapes},
		.params = {.samples = 1,
			.slots = 1,
			.ns_per_tick = 1,
			.context = &rig->context},
		.visit = {.params = &rig->params, .n_seconds = 1},
	};
	for (size_t i = 0; i < 2; i++) {
		size_t bytes = queue_block_bytes(line_bytes, &rig->shapes[i]);

		if (bytes > rig->block_bytes)
			rig->block_bytes = bytes;
	}
	rig->visit.slots = aligned_alloc(
		PROBE_SLOT_BYTES, rig->block_bytes + PROBE_SLOT_BYTES);
	assert_non_null(rig->visit.slots);
	memset(rig->visit.slots, 0, rig->block_bytes);
	memset((char *)rig->visit.slots + rig->block_bytes, GUARD,
		PROBE_SLOT_BYTES);
}

static void queue_close(struct queue_rig *rig)
{
	const char *guard = (char *)rig->visit.slots + rig->block_bytes;

	/* Nothing was written behind the block. */
	for (size_t i = 0; i < PROBE_SLOT_BYTES; i++)
		assert_int_equal(guard[i], GUARD);
	free(rig->visit.slots);
}

enum {
	READERS_MAX = 3
};

/* A whole visit; what reader r saw goes to seen[r] if the caller wants it. */
static void queue_visit(
	struct queue_rig *rig, const struct probe *probe, struct half *seen)
{
	struct half writer, readers[READERS_MAX];
	uint32_t n = rig->visit.n_seconds;

	for (uint32_t r = 0; r < n; r++)
		half_start(&readers[r], probe, &rig->visit, false);
	half_start(&writer, probe, &rig->visit, true);
	assert_true(half_end(&writer));
	for (uint32_t r = 0; r < n; r++)
		assert_true(half_end(&readers[r]));
	check_slot(&rig->visit);
	for (uint32_t r = 0; seen && r < n; r++)
		seen[r] = readers[r];
	if (probe == &probe_queue) {
		for (uint32_t s = 0; s < rig->params.samples; s++) {
			assert_true(writer.ticks[s] >= 0);
			for (uint32_t r = 0; r < n; r++)
				assert_true(readers[r].ticks[s] >= 0);
		}
	}
}

/* The bytes that every reader found wrong, in each sample the same. */
static int64_t queue_wrong(struct queue_rig *rig)
{
	struct half readers[READERS_MAX] = {{.well = false}};

	queue_visit(rig, &probe_queue_check, readers);
	for (uint32_t r = 0; r < rig->visit.n_seconds; r++) {
		for (uint32_t s = 0; s < rig->params.samples; s++)
			assert_true(readers[r].ticks[s] == readers[0].ticks[0]);
	}
	return readers[0].ticks[0];
}

/* Every way to run a queue: sizes, lines, temperature, vectors. */
static void a_queue_works_in_every_way(void **state)
{
	static const struct {
		unsigned line_bytes;
		uint32_t chunk_bytes, chunks;
	} sizes[] = {{64, 64, 1}, {64, 512, 8}, {64, 448, 4}, {64, 65536, 2},
		{128, 128, 7}, {128, 640, 4}};

	(void)state;
	for (size_t v = 0; arch_vectors[v]; v++) {
		if (!arch_vector_usable(arch_vectors[v]))
			continue;
		for (size_t i = 0; i < 2 * sizeof(sizes) / sizeof(*sizes);
			i++) {
			struct queue_rig rig;

			queue_open(&rig, arch_vectors[v],
				sizes[i / 2].line_bytes,
				sizes[i / 2].chunk_bytes, sizes[i / 2].chunks);
			rig.context.cold = i % 2;
			rig.params.samples = 1 + 2 * (i % 2);
			queue_visit(&rig, &probe_queue, NULL);
			/* Another queue in the same memory, and back. */
			rig.visit.variant = 1;
			assert_int_equal(queue_wrong(&rig), 0);
			rig.visit.variant = 0;
			assert_int_equal(queue_wrong(&rig), 0);
			queue_close(&rig);
		}
	}
}

static void several_readers_read_one_queue(void **state)
{
	struct queue_rig rig;

	(void)state;
	queue_open(&rig, arch_vector_widest(), LINE, 256, 16);
	rig.params.samples = 3;
	for (uint32_t n = 1; n <= READERS_MAX; n++) {
		rig.visit.n_seconds = n;
		queue_visit(&rig, &probe_queue, NULL);
		assert_int_equal(queue_wrong(&rig), 0);
	}
	queue_close(&rig);
}

/*
 * Vectors that go wrong. What they are to do is in `fault`, and how often they
 * were called; both belong to one writer at a time.
 */
static struct {
	atomic_uint fills; /* calls so far */
	unsigned chunk;	   /* the call that goes wrong */
	size_t byte;
} fault;

static void set_fault(unsigned chunk, size_t byte)
{
	atomic_store(&fault.fills, 0);
	fault.chunk = chunk;
	fault.byte = byte;
}

static void fill_flipped(void *to, size_t bytes, uint64_t word)
{
	arch_vector_scalar.fill(to, bytes, word);
	if (atomic_fetch_add(&fault.fills, 1) == fault.chunk)
		((unsigned char *)to)[fault.byte] ^= 1;
}

static void fill_forgetful(void *to, size_t bytes, uint64_t word)
{
	if (atomic_fetch_add(&fault.fills, 1) != fault.chunk)
		arch_vector_scalar.fill(to, bytes, word);
}

static void the_order_check_finds_one_wrong_byte(void **state)
{
	enum {
		CHUNKS = 5,
		BYTES = 320
	};
	static const size_t places[] = {0, 7, 8, BYTES / 2, BYTES - 1};
	struct arch_vector vector = arch_vector_scalar;
	struct queue_rig rig;

	(void)state;
	vector.fill = fill_flipped;
	queue_open(&rig, &vector, LINE, BYTES, CHUNKS);
	for (unsigned chunk = 0; chunk < CHUNKS; chunk++) {
		for (size_t p = 0; p < sizeof(places) / sizeof(*places); p++) {
			rig.visit.n_seconds = 1 + (uint32_t)p % 2;
			set_fault(chunk, places[p]);
			assert_int_equal(queue_wrong(&rig), 1);
			set_fault(CHUNKS, 0);
			assert_int_equal(queue_wrong(&rig), 0);
		}
	}
	/* Nor does it hide in one trial of several, counted or not. */
	rig.params.warm_up = 2;
	rig.params.samples = 5;
	for (unsigned trial = 0; trial < 7; trial++) {
		set_fault(trial * CHUNKS + 1, 9);
		assert_int_equal(queue_wrong(&rig), 1);
		assert_int_equal(fault.fills, 7 * CHUNKS);
	}
	queue_close(&rig);
}

/* A chunk that is published without its data still holds what was before. */
static void the_order_check_finds_old_data(void **state)
{
	struct arch_vector vector = arch_vector_scalar;
	struct queue_rig rig;

	(void)state;
	vector.fill = fill_forgetful;
	for (int cold = 0; cold < 2; cold++) {
		queue_open(&rig, &vector, LINE, 512, 4);
		rig.context.cold = cold;
		for (unsigned chunk = 0; chunk < 4; chunk++) {
			set_fault(4, 0);
			assert_int_equal(queue_wrong(&rig), 0);
			set_fault(chunk, 0);
			/* Some bytes may be alike by chance. */
			assert_in_range(queue_wrong(&rig), 256, 512);
		}
		queue_close(&rig);
	}
}

/* Where the line is that fill_late() owes. */
static struct {
	char *line;
	uint64_t word;
} late;

/* Leaves the last line of a chunk for when the next one is filled. */
static void fill_late(void *to, size_t bytes, uint64_t word)
{
	if (late.line)
		arch_vector_scalar.fill(late.line, 64, late.word);
	if (bytes > 64)
		arch_vector_scalar.fill(to, bytes - 64, word);
	late.line = (char *)to + bytes - 64;
	late.word = word;
}

/* A reader that came a moment later would see nothing of it. */
static void the_order_check_sees_a_late_line(void **state)
{
	enum {
		CHUNKS = 20
	};
	struct arch_vector vector = arch_vector_scalar;
	struct queue_rig rig;

	(void)state;
	vector.fill = fill_late;
	for (unsigned bytes = 64; bytes <= 4096; bytes *= 4) {
		queue_open(&rig, &vector, LINE, bytes, CHUNKS);
		/* In every visit, not in the first alone. */
		for (int visit = 0; visit < 3; visit++) {
			late.line = NULL;
			/* Some bytes may be alike by chance. */
			assert_in_range(
				queue_wrong(&rig), CHUNKS * 32, CHUNKS * 64);
		}
		queue_close(&rig);
	}
}

/* The last chunk ends within the block, of which nothing more is wasted. */
static void a_block_holds_queue_and_lines(void **state)
{
	static const unsigned lines[] = {64, 128, 256};

	(void)state;
	for (size_t l = 0; l < 3; l++) {
		for (uint32_t bytes = lines[l]; bytes <= 65536; bytes *= 2) {
			const struct queue_shape shape = {bytes, 16777216};
			size_t chunks =
				shape.chunks * (lines[l] + (size_t)bytes);
			size_t block = queue_block_bytes(lines[l], &shape);

			assert_int_equal(block % PROBE_SLOT_BYTES, 0);
			assert_in_range(block - chunks, 2 * PROBE_SLOT_BYTES,
				3 * PROBE_SLOT_BYTES - 1);
		}
	}
}

/* What the writer's vector was given, and how far readers had come. */
static struct {
	char *to[64];
	uint64_t words[64];
	atomic_uint fills, reads;
	unsigned early;	  /* fills whose chunk was ready before */
	unsigned ahead;	  /* reads of what was not written yet */
	unsigned unclean; /* reads of unlike words */
	unsigned clear;	  /* fills that found nought in every line */
	uint64_t generation;
} spy;

static void spy_reset(uint64_t generation)
{
	memset(&spy, 0, sizeof(spy));
	spy.generation = generation;
}

static uint64_t ready_word(const char *data)
{
	return atomic_load_explicit(
		(const _Atomic uint64_t *)(const void *)(data - LINE),
		memory_order_relaxed);
}

/* Whether the ready word is nought, and the first of every line of data. */
static bool all_clear(const char *data, size_t bytes)
{
	bool clear = ready_word(data) == 0;

	for (size_t at = 0; at < bytes; at += LINE)
		clear = clear &&
			*(const uint64_t *)(const void *)(data + at) == 0;
	return clear;
}

static void fill_spying(void *to, size_t bytes, uint64_t word)
{
	unsigned i = atomic_load(&spy.fills);

	/* A reader that is not held up would pass by here. */
	if (i % 8 == 3)
		nap();
	if (atomic_load(&spy.reads) > i)
		spy.ahead++;
	if (ready_word(to) == spy.generation)
		spy.early++;
	spy.clear += all_clear(to, bytes);
	arch_vector_scalar.fill(to, bytes, word);
	if (i % 8 == 4)
		nap();
	if (ready_word(to) == spy.generation)
		spy.early++;
	if (i < 64) {
		spy.to[i] = to;
		spy.words[i] = word;
	}
	atomic_store(&spy.fills, i + 1);
}

static uint64_t read_spying(const void *from, size_t bytes)
{
	const uint64_t *words = from;

	for (size_t i = 1; i < bytes / 8; i++) {
		if (words[i] != words[0])
			spy.unclean++;
	}
	atomic_fetch_add(&spy.reads, 1);
	return words[0];
}

static const struct arch_vector vector_spying = {
	.name = "spy",
	.bytes = 8,
	.fill = fill_spying,
	.read = read_spying,
};

/*
 * Over several generations: a chunk is ready after its data, is read after it
 * is ready, and holds what no other chunk and no other generation does.
 */
static void chunks_are_published_in_order(void **state)
{
	enum {
		CHUNKS = 24,
		BYTES = 192,
		GENERATIONS = 6
	};
	uint64_t all[GENERATIONS * CHUNKS];
	struct queue_rig rig;

	(void)state;
	queue_open(&rig, &vector_spying, LINE, BYTES, CHUNKS);
	for (uint64_t g = 0; g < GENERATIONS; g++) {
		char *begin = (char *)rig.visit.slots + PROBE_SLOT_BYTES;
		char *end = (char *)rig.visit.slots +
			    queue_block_bytes(LINE, &rig.shapes[0]);

		spy_reset(g + 1);
		rig.context.cold = g % 2;
		queue_visit(&rig, &probe_queue, NULL);
		assert_int_equal(spy.fills, CHUNKS);
		assert_int_equal(spy.reads, CHUNKS);
		assert_int_equal(spy.early, 0);
		assert_int_equal(spy.ahead, 0);
		assert_int_equal(spy.unclean, 0);
		/* Making cold leaves a trace, warm queues are left alone. */
		assert_int_equal(spy.clear, g % 2 || g == 0 ? CHUNKS : 0);
		for (size_t i = 0; i < CHUNKS; i++) {
			/* A ready line of its own before each chunk. */
			assert_int_equal(ready_word(spy.to[i]), g + 1);
			assert_int_equal((uintptr_t)spy.to[i] % LINE, 0);
			assert_true(spy.to[i] - LINE >= begin);
			assert_true(spy.to[i] + BYTES <= end);
			if (i)
				assert_int_equal(spy.to[i] - spy.to[i - 1],
					LINE + BYTES);
			all[g * CHUNKS + i] = spy.words[i];
		}
	}
	for (size_t i = 0; i < GENERATIONS * CHUNKS; i++) {
		for (size_t j = 0; j < i; j++)
			assert_true(all[i] != all[j]);
	}
	queue_close(&rig);
}

/* A pair's variant says which queue it is. */
static void a_queue_may_change_its_shape(void **state)
{
	struct queue_rig rig;

	(void)state;
	queue_open(&rig, &vector_spying, LINE, 128, 12);
	rig.visit.variant = 1;
	spy_reset(1);
	queue_visit(&rig, &probe_queue, NULL);
	/* Twice the bytes, half as many. */
	assert_int_equal(spy.fills, 6);
	assert_int_equal(spy.to[5] - spy.to[4], LINE + 256);
	queue_close(&rig);
}

/* Trials that warm up are made as others are, and leave no figure. */
static void a_warm_queue_runs_an_untimed_trial(void **state)
{
	enum {
		CHUNKS = 9,
		TRIALS = 3 + 2
	};
	struct queue_rig rig;
	struct half readers[READERS_MAX] = {{.well = false}};

	(void)state;
	queue_open(&rig, &vector_spying, LINE, 128, CHUNKS);
	rig.params.warm_up = 3;
	rig.params.samples = 2;
	spy_reset(UINT64_MAX);
	queue_visit(&rig, &probe_queue, readers);
	assert_int_equal(spy.fills, TRIALS * CHUNKS);
	assert_int_equal(spy.reads, TRIALS * CHUNKS);
	assert_int_equal(ready_word(spy.to[TRIALS * CHUNKS - 1]), TRIALS);
	for (size_t s = 2; s < 8; s++)
		assert_int_equal(readers[0].ticks[s], 0);
	queue_close(&rig);
}

/* Chunks of any other generation are not read, be they older or newer. */
static void a_reader_reads_one_generation(void **state)
{
	enum {
		CHUNKS = 6,
		BYTES = 128
	};
	static const uint64_t others[] = {0, 1, 6, 8, UINT64_MAX};
	const _Atomic uint64_t abandoned = UINT64_MAX, under_way = 7;
	struct queue_chunks chunks = {.line_bytes = LINE, .bytes = BYTES};
	size_t stride = LINE + BYTES;

	(void)state;
	chunks.first = aligned_alloc(LINE, CHUNKS * stride);
	assert_non_null(chunks.first);
	for (size_t o = 0; o < sizeof(others) / sizeof(*others); o++) {
		for (size_t n = 0; n <= CHUNKS; n++) {
			memset(chunks.first, 0, CHUNKS * stride);
			chunks.n = CHUNKS;
			for (size_t i = 0; i < CHUNKS; i++)
				*(uint64_t *)(void *)(chunks.first +
						      i * stride) = others[o];
			chunks.n = n;
			spy_reset(7);
			queue_write(&chunks, &vector_spying, 7);
			assert_int_equal(spy.early, 0);
			chunks.n = CHUNKS;
			/* It reads what there is, then waits in vain. */
			assert_int_equal(queue_read(&chunks, &vector_spying, 7,
						 &abandoned),
				n == CHUNKS);
			assert_int_equal(spy.reads, n);
			assert_int_equal(spy.unclean, 0);
		}
	}
	spy_reset(7);
	assert_true(queue_read(&chunks, &vector_spying, 7, &under_way));
	assert_int_equal(spy.reads, CHUNKS);
	free(chunks.first);
}

static void fill_gated(void *to, size_t bytes, uint64_t word)
{
	gate_pass();
	arch_vector_scalar.fill(to, bytes, word);
}

static uint64_t read_gated(const void *from, size_t bytes)
{
	gate_pass();
	return arch_vector_scalar.read(from, bytes);
}

/* After the crew has cleaned the slot all is well again. */
static void check_recovers(struct queue_rig *rig)
{
	memset(rig->visit.slots, 0, PROBE_SLOT_BYTES);
	rig->context.vector = arch_vector_widest();
	assert_int_equal(queue_wrong(rig), 0);
	queue_visit(rig, &probe_queue, NULL);
}

static const struct probe *const queue_probes[] = {
	&probe_queue, &probe_queue_check};

/* A half alone waits for the others, and goes when the visit is given up. */
static void half_a_queue_can_run_alone(void **state)
{
	(void)state;
	for (int i = 0; i < 8; i++) {
		struct queue_rig rig;
		struct half half;

		queue_open(&rig, arch_vector_widest(), LINE, 64, 16);
		rig.context.cold = i & 4;
		queue_visit(&rig, &probe_queue, NULL);
		half_start(&half, queue_probes[i & 1], &rig.visit, i & 2);
		nap();
		assert_false(atomic_load(&half.returned));
		half_abandon(&half);
		assert_false(half_end(&half));
		check_recovers(&rig);
		queue_close(&rig);
	}
}

/* One reader of two came: it and the writer wait for the other. */
static void a_writer_without_a_reader_ends(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		struct queue_rig rig;
		struct half writer, reader;

		queue_open(&rig, arch_vector_widest(), LINE, 64, 16);
		rig.visit.n_seconds = 2;
		half_start(&reader, queue_probes[i], &rig.visit, false);
		half_start(&writer, queue_probes[i], &rig.visit, true);
		nap();
		assert_false(atomic_load(&reader.returned));
		assert_false(atomic_load(&writer.returned));
		half_abandon(&reader);
		half_abandon(&writer);
		assert_false(half_end(&reader));
		assert_false(half_end(&writer));
		check_recovers(&rig);
		queue_close(&rig);
	}
}

/* The writer stands in the middle: readers wait for a chunk. */
static void a_reader_leaves_a_writer_that_stands(void **state)
{
	struct arch_vector vector = arch_vector_scalar;

	(void)state;
	vector.fill = fill_gated;
	for (unsigned at = 0; at < 16; at += 5) {
		struct queue_rig rig;
		struct half writer, reader;
		const struct probe *probe = queue_probes[at % 2];

		queue_open(&rig, &vector, LINE, 64, 16);
		gate_close(at);
		half_start(&reader, probe, &rig.visit, false);
		half_start(&writer, probe, &rig.visit, true);
		gate_await();
		assert_false(atomic_load(&reader.returned));
		half_abandon(&reader);
		assert_false(half_end(&reader));
		/* It finds nobody who would have read all. */
		gate_open();
		half_abandon(&writer);
		assert_false(half_end(&writer));
		check_recovers(&rig);
		queue_close(&rig);
	}
}

/* A reader stands in the middle: the writer waits for it to finish. */
static void a_writer_leaves_a_reader_that_stands(void **state)
{
	struct arch_vector vector = arch_vector_scalar;
	struct queue_rig rig;
	struct half writer, reader;

	(void)state;
	vector.read = read_gated;
	queue_open(&rig, &vector, LINE, 64, 16);
	gate_close(3);
	half_start(&reader, &probe_queue, &rig.visit, false);
	half_start(&writer, &probe_queue, &rig.visit, true);
	gate_await();
	nap();
	assert_false(atomic_load(&writer.returned));
	half_abandon(&writer);
	assert_false(half_end(&writer));
	gate_open();
	/* All was published, so that it may well finish. */
	half_end(&reader);
	check_recovers(&rig);
	queue_close(&rig);
}

static void ticks_become_rates_of_both_sides(void **state)
{
	static const struct queue_shape shapes[] = {
		{.chunk_bytes = 512, .chunks = 8192},
		{.chunk_bytes = 65536, .chunks = 16777216}};
	struct queue_context context = {.shapes = shapes};
	const struct probe_params params = {
		.ns_per_tick = 0.5, .context = &context};

	(void)state;
	/* 4 MiB in 2^19 ns are 8,000,000,000 / 2^20 MiB/s ... */
	assert_true(fabs(probe_queue.scale(&params, 0, 1 << 20) -
			    4.0 / 1024 / (524288 * 1e-9)) < 1e-9);
	/* ... and 1 TiB in a second is 1,024 GiB/s. */
	assert_true(fabs(probe_queue.scale(&params, 1, 2e9) - 1024) < 1e-9);
	assert_true(isnan(probe_queue.scale(&params, 0, NAN)));
	assert_true(probe_queue_check.scale(&params, 1, 17) == 17);
	assert_int_equal(probe_queue.first_cell, PROBE_FORWARD);
	assert_int_equal(probe_queue.second_cell, PROBE_FORWARD);
	assert_int_equal(probe_queue_check.first_cell, PROBE_NOTHING);
	assert_int_equal(probe_queue_check.second_cell, PROBE_FORWARD);
}

/* All pairs, both ways, in each of the shapes from the first on. */
static size_t list_pairs(size_t n_cpus, uint32_t first_shape, uint32_t shapes,
	struct schedule_pair *pairs)
{
	size_t n = 0;

	for (uint32_t v = first_shape; v < shapes; v++) {
		for (uint32_t a = 0; a < n_cpus; a++) {
			for (uint32_t b = 0; b < n_cpus; b++) {
				if (a != b)
					pairs[n++] = (struct schedule_pair){
						.first = a,
						.second = b,
						.variant = v};
			}
		}
	}
	return n;
}

static void run_campaign(
	const struct probe *probe, unsigned line_bytes, bool cold)
{
	const struct queue_shape shapes[] = {{64, 16}, {512, 8}, {4096, 3}};
	struct queue_context context = {
		.vector = arch_vector_widest(),
		.line_bytes = line_bytes,
		.cold = cold,
		.shapes = shapes,
	};
	bool checks = probe == &probe_queue_check;
	struct schedule_pair pairs[18];
	struct real_rig rig;

	real_open(&rig, probe);
	rig.options.params.context = &context;
	/* A chunk of 64 bytes is no multiple of a line of 128. */
	rig.options.n_pairs = list_pairs(rig.cpus.n, line_bytes > 64, 3, pairs);
	rig.options.pairs = pairs;
	/* The last is the largest. */
	rig.options.block_bytes = queue_block_bytes(line_bytes, &shapes[2]);
	rig.options.idle = cold ? CREW_SPIN : CREW_PARK;
	real_run(&rig, checks ? 0 : NAN);
	assert_int_equal(rig.campaign.n_values, checks ? 1 : 2);
	real_close(&rig);
}

static void a_campaign_runs_queues_between_all_pairs(void **state)
{
	(void)state;
	if (!real_has_two_cpus()) {
		print_message("skip: this machine has one CPU\n");
		skip();
	}
	for (size_t p = 0; p < 2; p++) {
		run_campaign(queue_probes[p], 64, false);
		run_campaign(queue_probes[p], 64, true);
		run_campaign(queue_probes[p], 128, false);
		run_campaign(queue_probes[p], 128, true);
	}
}

/* Two readers; where there are two CPUs only, one shares the writer's. */
static void a_campaign_adds_readers(void **state)
{
	/* Few chunks: those who share a CPU go in step by slices of time. */
	static const struct queue_shape shape = {256, 6};
	static const struct schedule_pair pairs[] = {
		{.first = 0, .second = 1, .n_others = 0},
		{.first = 0, .second = 1, .n_others = 1}};
	static const uint32_t others[] = {2};

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct queue_context context = {
			.vector = arch_vector_widest(),
			.line_bytes = 64,
			.cold = i & 1,
			.shapes = &shape,
		};
		struct real_rig rig;

		real_open(&rig, i & 2 ? &probe_queue : &probe_queue_check);
		for (; rig.cpus.n < 3; rig.cpus.n++)
			rig.cpu_numbers[rig.cpus.n] = rig.cpu_numbers[0];
		rig.options.params.context = &context;
		rig.options.block_bytes = queue_block_bytes(64, &shape);
		rig.options.pairs = pairs;
		rig.options.n_pairs = 2;
		rig.options.others = others;
		real_run(&rig, i & 2 ? NAN : 0);
		assert_int_equal(rig.campaign.n_values, i & 2 ? 3 : 2);
		real_close(&rig);
	}
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(a_queue_works_in_every_way),
	cmocka_unit_test(several_readers_read_one_queue),
	cmocka_unit_test(the_order_check_finds_one_wrong_byte),
	cmocka_unit_test(the_order_check_finds_old_data),
	cmocka_unit_test(the_order_check_sees_a_late_line),
	cmocka_unit_test(a_block_holds_queue_and_lines),
	cmocka_unit_test(chunks_are_published_in_order),
	cmocka_unit_test(a_queue_may_change_its_shape),
	cmocka_unit_test(a_warm_queue_runs_an_untimed_trial),
	cmocka_unit_test(a_reader_reads_one_generation),
	cmocka_unit_test(half_a_queue_can_run_alone),
	cmocka_unit_test(a_writer_without_a_reader_ends),
	cmocka_unit_test(a_reader_leaves_a_writer_that_stands),
	cmocka_unit_test(a_writer_leaves_a_reader_that_stands),
	cmocka_unit_test(ticks_become_rates_of_both_sides),
	cmocka_unit_test(a_campaign_runs_queues_between_all_pairs),
	cmocka_unit_test(a_campaign_adds_readers),
};

CASE_GROUP(cases);
