/*
 * Measure the latency of memory over sizes: one work-item follows a chain
 * through global memory, local memory, constant memory or an image. Modelled on
 * gpu-latency of gpu-benches by D. Ernst
 * (https://github.com/te42kyfo/gpu-benches).
 *
 * The test times kernels of loads, 32 in a turn; each load reads the address of
 * the next. The address is a pointer in global and local memory, so that only
 * the load takes time. Constant memory has byte offsets and images have
 * coordinates, whose conversion takes further instructions. c2c times neither
 * the making of the rings nor a warm-up round through each ring. A chain
 * continues where the run before it ended, because a chain that always begins
 * at the same line would stay in a cache. The kernel has to fill local memory
 * first, which is 1 or 2 % of the time of a run.
 *
 * A ring is a random order of lines, as in c2c cache. Prefetchers find no
 * pattern in a ring, and a large ring also misses the TLB.
 *
 * A CPU implementation may run a launch on any of its threads, although the
 * ring is in another CPU's cache. c2c therefore binds all threads to the first
 * CPU during this test, as c2c cache does.
 *
 * Bias: other devices may run the work-item on any unit. If a launch runs on
 * another unit than the launch before, the first round of a small ring comes
 * from a farther cache. Small rings therefore have many rounds.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cl/images.h"
#include "cl/memory/latency_cl.h"
#include "cl/memory/rings.h"
#include "cl/memory/units.h"
#include "cl/sweep.h"
#include "machine/memory.h"
#include "machine/timebase.h"

#define LEAST_BYTES	  ((size_t)1 << 10)
#define QUICK_LEAST_BYTES ((size_t)4 << 10)
#define MOST_BYTES	  ((size_t)1 << 30)
#define QUICK_MOST_BYTES  ((size_t)256 << 20)
#define IMAGE_BYTES	  ((size_t)128 << 20)
#define QUICK_IMAGE_BYTES ((size_t)4 << 20)
#define LOCAL_BYTES	  ((size_t)1 << 20)

/* Bytes from which sizes only double, and from which --sizes adds no sizes. */
#define COARSE_BYTES	((size_t)512 << 20)
#define MOST_FINE_BYTES ((size_t)128 << 20)

/* Bytes of a line on CPUs, and largest line on other devices. */
#define CPU_LINE      64
#define OTHER_LINE    128
#define CONSTANT_LINE 64

/* The number of linked lines is a multiple of this. */
#define LINKED 256

/* Reads in a turn of the kernels, and number of turns in a run. */
#define TURN	    32
#define LEAST_TURNS 512
#define MOST_TURNS  (1u << 22)

/*
 * Shortest time of a run in small rings, which takes many rounds. Runs in large
 * rings, and all runs on CPUs, are short, so that other programs seldom take
 * the CPU meanwhile.
 */
#define SMALL_BYTES ((size_t)4 << 20)
#define SMALL_S	    5e-3
#define CPU_S	    2e-3
#define LARGE_S	    1e-3

/* Warm-up round: turns of a launch, and longest time of the round. */
#define WARM_TURNS   8192
#define WARM_S	     0.5
#define QUICK_WARM_S 0.1

/* Texels of an image row, which is 16 KiB; lines are blocks this wide. */
#define IMAGE_WIDTH	 4096
#define OTHER_LINE_WIDTH 8

/* Points nearer to the first point than this share are one step of a curve. */
#define FLAT	    0.2
#define FLAT_POINTS 3

enum space_kind {
	GLOBAL,
	LOCAL,
	CONSTANT,
	IMAGE_1D,
	IMAGE_2D,
	SPACES
};

static const cl_image_format word_format = {CL_R, CL_UNSIGNED_INT32};

static const struct latency_space {
	const char *member, *kernel;
	cl_uint turns_argument;
} spaces[SPACES] = {
	[GLOBAL] = {"global memory", "follow_global", 4},
	[LOCAL] = {"local memory", "follow_local", 6},
	[CONSTANT] = {"constant memory", "follow_constant", 2},
	[IMAGE_1D] = {"image1d_buffer", "follow_image1d", 3},
	[IMAGE_2D] = {"image2d", "follow_image2d", 3},
};

/* Chains through one kind of memory; point i of the sweep uses ring i. */
struct pointer_chase {
	struct session *session;
	enum space_kind kind;
	size_t line_bytes;
	struct rings rings;
	cl_mem state, cells, begin, next, image;
	/* for each ring: current line of its chain, and reads by the device */
	size_t ring_position[RINGS_MOST];
	cl_uint counted[RINGS_MOST];
};

/* Return the size of a word: 8 bytes for pointers, else 4. */
static size_t chain_word_bytes(const struct pointer_chase *chase)
{
	return chase->kind == GLOBAL ? sizeof(cl_ulong) : sizeof(cl_uint);
}

/* Return the y and x of a word in an image of blocks. */
static cl_uint chain_texel(const struct pointer_chase *chase, size_t word)
{
	size_t words = chase->rings.words;
	size_t wide = chase->session->is_cpu ? words : OTHER_LINE_WIDTH;
	size_t across = IMAGE_WIDTH / wide, line = word / words;
	size_t x = line % across * wide + word % words % wide;
	size_t y = line / across * (words / wide) + word % words / wide;

	return (cl_uint)(y << 16 | x);
}

/*
 * Return the link that a line stores, in the same form as the state of a chain.
 */
static cl_uint chain_link_value(const struct pointer_chase *chase,
	const struct ring *ring, size_t place)
{
	size_t word = rings_word(&chase->rings, ring, place);

	switch (chase->kind) {
	case LOCAL:
		return (cl_uint)(word - ring->first);
	case IMAGE_1D:
		return (cl_uint)word;
	case IMAGE_2D:
		return chain_texel(chase, word);
	default:
		return (cl_uint)(word * chain_word_bytes(chase));
	}
}

static size_t chain_link_index(const struct pointer_chase *chase,
	const struct ring *ring, size_t place)
{
	size_t word = rings_word(&chase->rings, ring, place);
	cl_uint corner;

	if (chase->kind != IMAGE_2D)
		return word;
	corner = chain_texel(chase, word);
	return (size_t)(corner >> 16) * IMAGE_WIDTH + (corner & 0xffff);
}

static void chain_write_rings(const struct pointer_chase *chase, void *memory)
{
	cl_ulong *wide = memory;
	cl_uint *words = memory;

	for (size_t k = 0; k < chase->rings.n && memory; k++) {
		const struct ring *ring = &chase->rings.ring[k];

		for (size_t i = 0; i < ring->n; i++) {
			cl_uint value = chain_link_value(chase, ring, i + 1);
			size_t at = chain_link_index(chase, ring, i);

			if (chase->kind == GLOBAL)
				wide[at] = value;
			else
				words[at] = value;
		}
	}
}

static cl_uint chain_expected_word(const void *context, size_t i)
{
	const struct pointer_chase *chase = context;

	if (i % 2 == 1)
		return chase->counted[i / 2];
	return chain_link_value(
		chase, &chase->rings.ring[i / 2], chase->ring_position[i / 2]);
}

static cl_mem chain_fill_buffer(const struct pointer_chase *chase)
{
	struct session *session = chase->session;
	size_t bytes = chase->rings.lines * chase->rings.words *
		       chain_word_bytes(chase);
	cl_mem buffer = session_buffer(session, bytes);
	void *memory = session_map(session, buffer, bytes, true);

	chain_write_rings(chase, memory);
	if (memory)
		session_unmap(session, buffer, memory);
	return buffer;
}

static void chain_open_global(struct pointer_chase *chase, cl_program program)
{
	struct session *session = chase->session;
	bool rehearses = session->rehearses;
	struct launch link;

	chase->cells = chain_fill_buffer(chase);
	chase->begin = session_buffer(session, sizeof(cl_ulong));
	link = launch_of(session, program, "link", chase->rings.lines);
	session_arguments(session, link.kernel, 0,
		memory_argument(chase->cells), memory_argument(chase->begin));
	/* A rehearsal also needs this kernel, which makes the pointers. */
	session->rehearses = false;
	launch_once(session, &link, true);
	session->rehearses = rehearses;
}

static cl_program chain_build_constant(struct pointer_chase *chase)
{
	struct session *session = chase->session;
	size_t words = chase->rings.lines * chase->rings.words;
	cl_uint *table =
		session_memory(session, words * sizeof(*table), "a kernel");

	if (table)
		memset(table, 0, words * sizeof(*table));
	chain_write_rings(chase, table);
	return session_build_table(
		session, "latency.cl", latency_cl, NULL, table, words);
}

static void chain_open_image_2d(struct pointer_chase *chase)
{
	struct session *session = chase->session;
	size_t words = chase->rings.lines * chase->rings.words;
	size_t rows =
		session->is_cpu ? 1 : chase->rings.words / OTHER_LINE_WIDTH;
	size_t blocks = (words + rows * IMAGE_WIDTH - 1) / (rows * IMAGE_WIDTH);
	void *memory;

	if (session->rc)
		return;
	memory = malloc(blocks * rows * IMAGE_WIDTH * sizeof(cl_uint));
	if (!memory)
		session_no_memory(session, "an image");
	chain_write_rings(chase, memory);
	chase->image = images_of_plane(
		session, &word_format, IMAGE_WIDTH, blocks * rows, memory);
	free(memory);
}

static cl_kernel chain_open_kernel(struct pointer_chase *chase)
{
	struct session *session = chase->session;
	bool images = chase->kind == IMAGE_1D || chase->kind == IMAGE_2D;
	const char *words = session_text(
		session, "-DWORDS=%zu", chase->line_bytes / sizeof(cl_ulong));
	cl_program program =
		chase->kind == CONSTANT
			? chain_build_constant(chase)
			: session_build(session, "latency.cl", latency_cl,
				  images ? "-DIMAGES" : words);

	if (chase->kind == GLOBAL)
		chain_open_global(chase, program);
	if (chase->kind == LOCAL)
		chase->next = chain_fill_buffer(chase);
	if (chase->kind == IMAGE_1D)
		chase->image = images_of_buffer(session,
			chain_fill_buffer(chase), &word_format,
			chase->rings.lines * chase->rings.words);
	if (chase->kind == IMAGE_2D)
		chain_open_image_2d(chase);
	return session_kernel(session, program, spaces[chase->kind].kernel);
}

static void chain_prepare(struct sweep *sweep, size_t i)
{
	struct pointer_chase *chase = sweep->context;
	const struct ring *ring = &chase->rings.ring[i];
	struct session *session = sweep->session;
	cl_kernel kernel = sweep->launch.kernel;
	double small_s = session->is_cpu ? CPU_S : SMALL_S;

	if (chase->kind == GLOBAL)
		session_arguments(session, kernel, 0,
			memory_argument(chase->cells),
			memory_argument(chase->begin));
	else if (chase->kind == LOCAL)
		session_arguments(session, kernel, 0,
			local_argument(ring->n * chase->line_bytes),
			memory_argument(chase->next),
			word_argument(ring->first), word_argument(ring->n));
	else if (chase->kind != CONSTANT)
		session_arguments(
			session, kernel, 0, memory_argument(chase->image));
	session_arguments(session, kernel, sweep->loop.argument - 2,
		memory_argument(chase->state), word_argument(i));
	sweep->loop.least_s = sweep->x[i] <= SMALL_BYTES ? small_s : LARGE_S;
}

/* Bring a ring into the caches: one round, unless that takes too long. */
static void chain_warm_up(struct sweep *sweep, size_t i)
{
	const struct pointer_chase *chase = sweep->context;
	struct session *session = sweep->session;
	cl_uint argument = sweep->loop.argument;
	double end_s = timebase_raw_s() +
		       (session->options->quick ? QUICK_WARM_S : WARM_S);
	size_t turns = chase->rings.ring[i].n / TURN + 1;

	session_arguments(session, sweep->launch.kernel, argument,
		word_argument(WARM_TURNS));
	for (size_t done = 0; done < turns && timebase_raw_s() < end_s;
		done += WARM_TURNS) {
		if (session_stopped(session) < 0)
			return;
		launch_once(session, &sweep->launch, true);
	}
	session_arguments(session, sweep->launch.kernel, argument,
		word_argument(sweep->turns));
}

/* Advance the chain by the number of reads that the device counted. */
static void chain_advance_chain(struct sweep *sweep, size_t i, unsigned runs)
{
	struct pointer_chase *chase = sweep->context;
	struct session *session = sweep->session;
	cl_uint now = chase->counted[i], gone;

	session_read(session, chase->state, (2 * i + 1) * sizeof(now),
		sizeof(now), &now);
	gone = now - chase->counted[i];
	if (gone / sweep->amount < runs && !session->rehearses)
		session_refuse(session,
			"this implementation moves buffers between two "
			"kernels, so that pointers in a buffer become invalid");
	chase->counted[i] = now;
	chase->ring_position[i] =
		(chase->ring_position[i] + gone) % chase->rings.ring[i].n;
}

static struct timing chain_time_point(struct sweep *sweep, size_t i)
{
	struct timing timing;

	chain_warm_up(sweep, i);
	timing = launch_time(sweep->session, &sweep->launch);
	chain_advance_chain(sweep, i, timing.runs);
	return timing;
}

static size_t chain_max_image(
	const struct session *session, enum space_kind kind)
{
	size_t most = session->options->quick ? QUICK_IMAGE_BYTES : IMAGE_BYTES;
	size_t elements = session_fact(
		session, kind == IMAGE_1D ? CL_DEVICE_IMAGE_MAX_BUFFER_SIZE
					  : CL_DEVICE_IMAGE2D_MAX_HEIGHT);

	if (!session_fact(session, CL_DEVICE_IMAGE_SUPPORT))
		return 0;
	if (kind == IMAGE_2D)
		elements = session_fact(session, CL_DEVICE_IMAGE2D_MAX_WIDTH) <
					   IMAGE_WIDTH
				   ? 0
				   : elements * IMAGE_WIDTH;
	most = min_size(most, session->max_alloc_bytes);
	return min_size(most, elements * sizeof(cl_uint));
}

static size_t chain_max_bytes(
	const struct session *session, enum space_kind kind)
{
	size_t local = session_fact(session, CL_DEVICE_LOCAL_MEM_SIZE);
	size_t most = session->options->quick ? QUICK_MOST_BYTES : MOST_BYTES;

	switch (kind) {
	case GLOBAL:
		most = min_size(most, session->max_alloc_bytes);
		most = min_size(most, session->global_bytes / 2);
		/*
		 * The host needs another quarter of these bytes for its copy.
		 */
		return session->is_cpu ? min_size(most, memory_available() / 3)
				       : most;
	case LOCAL:
		/* NVIDIA runs no kernel that asks for all of its 48 KiB. */
		return min_size(
			LOCAL_BYTES, session->is_cpu ? local : local / 8 * 7);
	case CONSTANT:
		return session_table_bytes(session);
	default:
		return chain_max_image(session, kind);
	}
}

/*
 * Choose doublings and the sizes halfway; fewer with --quick. For global and
 * local memory, --sizes sets the number of sizes in each doubling, up to
 * MOST_FINE_BYTES.
 */
static void chain_choose_sizes(struct sweep *sweep, size_t most)
{
	const struct pointer_chase *chase = sweep->context;
	const struct test_options *options = sweep->session->options;
	bool quick = options->quick;
	size_t fine = 0;

	if (options->each_doubling &&
		(chase->kind == GLOBAL || chase->kind == LOCAL)) {
		fine = min_size(most, MOST_FINE_BYTES);
		sweep_each_doubling(
			sweep, LEAST_BYTES, fine, chase->line_bytes);
	}
	for (size_t bytes = quick ? QUICK_LEAST_BYTES : LEAST_BYTES;
		bytes <= most; bytes *= quick ? 4 : 2) {
		size_t between = bytes + bytes / 2;

		if (bytes > fine)
			sweep_add(sweep, (double)bytes);
		if (!quick && bytes < COARSE_BYTES && between > fine &&
			between <= most)
			sweep_add(sweep, (double)between);
	}
}

static int chain_make_rings(
	struct pointer_chase *chase, const struct sweep *sweep)
{
	size_t words = chase->kind == LOCAL
			       ? 1
			       : chase->line_bytes / chain_word_bytes(chase);
	size_t lines[RINGS_MOST];
	struct stat_random same;
	int rc;

	for (size_t i = 0; i < sweep->n; i++)
		lines[i] = (size_t)sweep->x[i] / chase->line_bytes;
	/* OpenCL compiles the program again for each table. */
	stat_random_init(&same, 1);
	rc = rings_init(&chase->rings, lines, sweep->n, words,
		chase->kind == CONSTANT ? &same : &chase->session->random);
	/* Size of work-groups of the kernel that links the lines. */
	if (chase->kind == GLOBAL)
		chase->rings.lines =
			(chase->rings.lines + LINKED - 1) / LINKED * LINKED;
	return rc;
}

/* Report each step of the curve: "1.14 ns (4.1 clocks) up to 32 KiB". */
static void chain_report_steps(const struct sweep *sweep)
{
	struct session *session = sweep->session;
	double ghz = clock_median_ghz(session);
	struct median_interval figures[SWEEP_MOST];
	struct text_list list = {.text = NULL};

	sweep_figures(sweep, figures);
	for (size_t i = 0, end; i < sweep->n; i = end) {
		double ns = figures[i].median;

		end = figure_plateau_end(figures, sweep->n, i, FLAT);
		/* A few points are a slope, not a step. */
		if (end - i + session->options->quick < FLAT_POINTS ||
			isnan(ns))
			continue;
		text_list_add(
			&list, "; ", "%s ns", session_number(session, ns));
		if (!isnan(ghz))
			text_list_add(&list, " ", "(%s clocks)",
				session_number(session, ns * ghz));
		text_list_add(&list, " ", "from %s to %s",
			sweep_text_x(sweep, sweep->x[i]),
			sweep_text_x(sweep, sweep->x[end - 1]));
	}
	session_add_list(
		session, &list, "%s, steps of its curve", sweep->facts.member);
}

/*
 * Skip only the rest of this curve: a device may report more memory of a kind
 * than kernels may use.
 */
static void chain_skip_sizes(struct session *session, const struct sweep *sweep)
{
	const struct error *err = session->err;

	if (session->rc != -ENOMEM && session->rc != -ENOTSUP)
		return;
	session->rc = 0;
	session_note(session, "%s: not all sizes could be measured: %s",
		sweep->facts.member, err ? err->text : "a call failed");
}

static void chain_measure_space(struct session *session, struct sweep *sweep)
{
	struct pointer_chase *chase = sweep->context;
	size_t mark = session_mark(session);

	if (chain_make_rings(chase, sweep) < 0)
		session_no_memory(session, "the rings");
	chase->state = session_buffer(session, 2 * sweep->n * sizeof(cl_uint));
	sweep->launch = launch_singly(chain_open_kernel(chase), 1);
	sweep->expected = (struct expected_words){.buffer = chase->state,
		.n = 2 * sweep->n,
		.at = chain_expected_word,
		.context = chase};
	session_fill(session, chase->state, sweep->expected.n,
		chain_expected_word, chase);
	if (sweep_run(sweep, 1) == 0)
		chain_report_steps(sweep);
	else if (chase->kind != GLOBAL)
		chain_skip_sizes(session, sweep);
	session_release(session, mark);
	rings_release(&chase->rings);
}

/*
 * Bind all threads of a CPU implementation to the first CPU, or each to its own
 * CPU. If the user lets PoCL bind them, do nothing.
 */
static void chain_gather_workers(struct session *session, bool on_one)
{
	struct cpu_list cpus = *session->options->cpus;

	if (!session_ok(session) || !session->is_cpu || getenv("POCL_AFFINITY"))
		return;
	if (on_one)
		cpus.n = 1;
	session->rc = workers_bind(&session->workers, &cpus, session->err);
}

static void chain_measure(struct session *session)
{
	struct pointer_chase chases[SPACES];
	struct sweep sweeps[SPACES];

	for (unsigned k = 0; k < SPACES; k++) {
		chases[k] = (struct pointer_chase){.session = session,
			.kind = k,
			.line_bytes = k == CONSTANT	? CONSTANT_LINE
				      : session->is_cpu ? CPU_LINE
							: OTHER_LINE};
		sweeps[k] = (struct sweep){.session = session,
			.name = spaces[k].member,
			.facts = {.family = "latency",
				.member = spaces[k].member,
				SWEEP_SIZES,
				.y_axis = CURVE_RATIOS},
			.shows = SHOWS_STEP,
			.prepare = chain_prepare,
			.loop = {.argument = spaces[k].turns_argument,
				.least = LEAST_TURNS,
				.most = MOST_TURNS},
			.turns_vary = true,
			.a_turn = TURN,
			.time = chain_time_point,
			.context = &chases[k]};
		chain_choose_sizes(&sweeps[k], chain_max_bytes(session, k));
	}
	sweep_keep_sizes(sweeps, SPACES);
	for (unsigned k = 0; k < SPACES; k++)
		session->all += sweeps[k].n > 0;
	chain_gather_workers(session, true);
	for (unsigned k = 0; k < SPACES && session_ok(session); k++) {
		if (sweeps[k].n > 0)
			chain_measure_space(session, &sweeps[k]);
	}
	chain_gather_workers(session, false);
}

static void run_latency(struct session *session)
{
	if (session->options->units)
		units_measure(session);
	else
		chain_measure(session);
}

const struct test test_latency = {
	.name = "latency",
	.section = "gpu-latency",
	.source = SOURCE_BENCHES "gpu-latency",
	.published = {"--sizes=1K:1G:18"},
	.set = GROUP_MEMORY,
	.summary = "chains of reads through each kind of memory, over sizes",
	.takes = TAKES_SIZES | TAKES_EACH,
	.memory_by = TAKES_SIZES,
	.figures = {{.what = "latency of memory, at most",
		.family = "latency",
		.members = {"global memory"}}},
	.run = run_latency,
};
