/*
 * Local memory of which neighbours access words that are a stride apart
 * (section 2.3.2, figures 20 and 21).
 *
 * Timed is a kernel in which each group accesses 16 KiB of local memory, which
 * every device has; --size takes another part. Work-items go as in the test
 * stride, with these changes. The paper's step of 32,768 words is a multiple of
 * any local memory, so that n would stay 0: it grows by 32 words, and comes
 * round. Only the first of 16 addresses is computed, the others follow at a
 * distance that the compiler knows: local memory is so fast that the arithmetic
 * of each address would be what is measured. The groups are 256 work-items, and
 * each compute unit has 2,048, as many as today's units hold at once.
 *
 * With PoCL 3.1 each read is one instruction, an add with memory, and each
 * write two, an addition and a store: 16 in a turn, none of them a vector's.
 * Timed with them and not counted are filling the tile first and, of writes,
 * copying it out: less than a thirtieth of the accesses.
 *
 * Bias: on devices that interleave their local memory over B banks of a word,
 * a stride has gcd(stride, B) neighbours meet in a bank. Local memory of a CPU
 * is ordinary memory that stays in L1, read here by words, not vectors.
 */
#include <errno.h>
#include <stdio.h>

#include "cl/suite/local_cl.h"
#include "cl/sweep.h"
#include "cl/tests.h"

#define MOST_TURNS (1u << 20)

/* What n grows by, in words; the 16 words of a turn are a PARTS-th apart. */
#define ROW   32
#define PARTS 32

/* Accesses for each word that is filled in, at least. */
#define FILL_SHARE 64

struct local {
	size_t words, group, n;	 /* n: words that a group leaves */
	cl_uint version, *right; /* [n]: what group 0 leaves */
};

static cl_uint right_word(const void *context, size_t i)
{
	const struct sweep *sweep = context;
	const struct local *local = sweep->context;
	cl_uint each = sweep->write ? 1 : sweep->turns * SWEEP_UNROLLED;

	return local->right[i % local->n] + each * (cl_uint)(i / local->n);
}

static void prepare(struct sweep *sweep, size_t point)
{
	struct local *local = sweep->context;
	size_t stride = (size_t)sweep->x[point], half = local->words / 2;
	size_t round = half / ROW, accesses = round * SWEEP_UNROLLED;

	local->version += 12345;
	session_arguments(sweep->session, sweep->launch.kernel, 2,
		(struct argument[]){of_word(local->version),
			of_word(local->words), of_word(stride), {0}});
	for (size_t k = 0; k < local->n; k++)
		local->right[k] =
			sweep->write ? session_word(k) : local->version;
	for (size_t k = 0; k < local->group * accesses; k++) {
		size_t l = k / accesses, n = k / SWEEP_UNROLLED % round * ROW;
		size_t i = ((l * stride + n) & (half - 1)) +
			   k % SWEEP_UNROLLED * (local->words / PARTS);

		if (sweep->write)
			local->right[i] = local->version + (cl_uint)i;
		else
			local->right[l] +=
				sweep->turns / (cl_uint)round * session_word(i);
	}
}

static void measure(struct sweep *sweep)
{
	struct session *session = sweep->session;
	struct local *local = sweep->context;
	size_t bytes = local->words * sizeof(cl_uint), n;

	local->n = sweep->write ? local->words : local->group;
	local->right = session_memory(
		session, local->n * sizeof(cl_uint), "the words of a tile");
	n = sweep->launch.items / local->group * local->n;
	sweep->right = words_of(session_buffer(session, n * sizeof(cl_uint)), n,
		right_word, sweep);
	session_arguments(session, sweep->launch.kernel, 0,
		(struct argument[]){
			of_local(bytes), of_memory(sweep->right.buffer), {0}});
	sweep->loop.argument = 5;
	sweep->loop.most = MOST_TURNS;
	sweep->loop.least = (cl_uint)(local->words / 2 / ROW);
	while (sweep->loop.least * SWEEP_UNROLLED * local->group <
		FILL_SHARE * local->words)
		sweep->loop.least *= 2;
	/* Each CPU has a tile. */
	sweep->bytes = bytes * session->options->cpus->n;
	sweep_run(sweep, 1);
}

static void run_local(struct session *session)
{
	static const char *const kernels[] = {"local_read", "local_write"};
	size_t bytes = session_size(session, (size_t)16 << 10);
	size_t items = session_items(session, (size_t)session->units * 2048);
	size_t has = session_fact(session, CL_DEVICE_LOCAL_MEM_SIZE);
	bool own = session_fact(session, CL_DEVICE_LOCAL_MEM_TYPE) == CL_LOCAL;
	struct local local = {.words = bytes / sizeof(cl_uint),
		.group = session_group(session, items)};
	cl_program program;
	char flags[32];

	if (bytes > has)
		session_error(session, ERROR_UNAVAILABLE, ENOTSUP,
			"the device has %zu KiB of local memory: choose a "
			"smaller --size",
			has >> 10);
	session_find(session,
		"the device has %zu KiB of local memory, %s; of it %zu KiB are "
		"accessed, by %zu work-items in groups of %zu",
		has >> 10, own ? "of its own" : "a part of global memory",
		bytes >> 10, items, local.group);
	snprintf(flags, sizeof(flags), "-DPITCH=%zu", local.words / PARTS);
	program = session_build(session, "local.cl", local_cl, flags);
	for (int write = 0; write < 2; write++) {
		struct sweep sweep = sweep_strides(session, write,
			"local memory", session->options->quick);

		snprintf(sweep.family, sizeof(sweep.family), "local memory");
		sweep.launch =
			launch_of(session, program, kernels[write], items);
		sweep.prepare = prepare;
		sweep.context = &local;
		session->all = 2.0 * (double)sweep.n;
		if (session_ok(session))
			measure(&sweep);
	}
	/* A CPU's local memory is ordinary memory, which has no banks. */
	if (!session->is_cpu)
		session_find(session,
			"for comparison: with 32 banks of a word, one access "
			"at a time each, stride 2 would take 2 times as long "
			"as stride 1, 3 as long, and 16 16 times");
}

const struct test test_local = {
	.name = "local",
	.section = "2.3.2",
	.summary = "Local memory of which neighbours access words apart",
	.takes = TAKES_SIZE | TAKES_WORK_ITEMS | TAKES_WORK_GROUP,
	.memory_by = TAKES_WORK_ITEMS,
	.size = {SIZE_POWER, (uint64_t)4 << 10, (uint64_t)1 << 20},
	.run = run_local,
};
