/*
 * Measure the bytes that a unit reads per clock from its first-level cache and
 * from local memory, over the number of work-items. Modelled on
 * "Microbenchmarking GPU cache bandwidth" (Chips and Cheese) and its program
 * (https://github.com/clamchowder/Microbenchmarks).
 *
 * The test times kernels whose work-items read the same 4 KiB again and again:
 * pieces of 4, 8 and 16 bytes (on CPUs also a line), from a buffer, from local
 * memory and, if the device has images, as texels of 16 bytes of an
 * image1d_buffer_t. For each number of work-items, c2c chooses the number of
 * turns so that a run takes a millisecond. The time includes filling local
 * memory, which is less than 1/32 of the reads.
 *
 * The article's kernels add, multiply or combine the words that they read.
 * c2c's kernels combine words by XOR, which the host can check exactly.
 *
 * Bias: a work-item stores four bytes at its end, which matters with many
 * work-items and few turns.
 */
#include <math.h>

#include "cl/images.h"
#include "cl/memory/peak_cl.h"
#include "cl/sweep.h"

/* Memory that all work-items read; the pieces of a turn are 1/PARTS apart. */
#define BYTES ((size_t)4 << 10)
#define PARTS 32
#define WORDS (BYTES / sizeof(cl_uint))

#define LEAST_ITEMS	1024
#define GPU_ITEMS	((size_t)4 << 20)
#define CPU_ITEMS	((size_t)1 << 20)
#define QUICK_ITEMS	((size_t)256 << 10)
#define CPU_IMAGE_ITEMS ((size_t)16 << 10)

/*
 * Fewest turns of a work-item, and fewest reads per word of local memory, to
 * outweigh the filling. On CPUs images are software: a texel takes a
 * hundred times as long as a load.
 */
#define LEAST_TURNS 16
#define IMAGE_TURNS 1
#define MOST_TURNS  (1u << 20)
#define FILL_SHARE  32

enum peak_space {
	LOCAL,
	CACHED,
	IMAGE,
	SPACES
};

static const struct {
	const char *family, *kernel, *text;
} spaces[SPACES] = {
	[LOCAL] = {"local memory", "peak_local", ""},
	[CACHED] = {"first-level cache", "peak_buffer", "buffer, "},
	[IMAGE] = {"first-level cache", "peak_image", "image1d_buffer, "},
};

/* The curves in order. quick: --quick measures this curve. */
static const struct peak_row {
	enum peak_space space;
	size_t bytes;
	bool only_cpu, quick;
} rows[] = {
	{LOCAL, 4, false, true},
	{LOCAL, 8, false, false},
	{LOCAL, 16, false, true},
	{LOCAL, 64, true, true},
	{CACHED, 4, false, false},
	{CACHED, 8, false, false},
	{CACHED, 16, false, true},
	{CACHED, 64, true, true},
	{IMAGE, 16, false, true},
};

struct peak_curve {
	const struct peak_row *row;
	size_t half;		 /* half the number of pieces; a power of two */
	cl_uint word[WORDS / 2]; /* [half] XOR of a turn, by its first piece */
	cl_uint expected[WORDS / 2]; /* [half] result, by the first piece */
};

/* Compute the XOR of a turn for each first piece, and within its pieces. */
static void peak_xor_turns(struct peak_curve *peak)
{
	size_t words = peak->row->bytes / sizeof(cl_uint);
	size_t pitch = 2 * peak->half / PARTS;

	for (size_t i = 0; i < peak->half; i++) {
		peak->word[i] = 0;
		for (size_t j = 0; j < SWEEP_UNROLLED * words; j++)
			peak->word[i] ^= session_word(
				(i + j / words * pitch) * words + j % words);
	}
}

/* Compute the results. Two rounds through all pieces cancel out by XOR. */
static void peak_expect(struct sweep *sweep, size_t point)
{
	struct peak_curve *peak = sweep->context;

	(void)point;
	for (size_t i = 0; i < peak->half; i++) {
		peak->expected[i] = 0;
		for (size_t t = 0; t < sweep->turns % (2 * peak->half); t++)
			peak->expected[i] ^=
				peak->word[(i + t) & (peak->half - 1)];
	}
}

static cl_uint peak_min_turns(const struct sweep *sweep)
{
	const struct peak_curve *peak = sweep->context;
	cl_uint turns = LEAST_TURNS;

	if (peak->row->space == IMAGE)
		return IMAGE_TURNS;
	while (peak->row->space == LOCAL &&
		turns * SWEEP_UNROLLED * sweep->launch.group <
			FILL_SHARE * WORDS)
		turns *= 2;
	return turns;
}

static void peak_prepare(struct sweep *sweep, size_t i)
{
	launch_resize(sweep->session, &sweep->launch, (size_t)sweep->x[i]);
	sweep->loop.least = peak_min_turns(sweep);
	sweep->expected.n = sweep->launch.items;
}

static void peak_choose_items(struct sweep *sweep, const struct peak_row *row)
{
	const struct session *session = sweep->session;
	bool is_cpu = session->is_cpu, quick = session->options->quick;
	size_t most = is_cpu ? CPU_ITEMS : GPU_ITEMS;

	if (is_cpu && row->space == IMAGE)
		most = CPU_IMAGE_ITEMS;
	else if (quick)
		most = QUICK_ITEMS;
	sweep_up_to(sweep, LEAST_ITEMS, most, quick ? 16 : is_cpu ? 4 : 2);
}

/* Build the kernels; single words are volatile on CPUs. */
static cl_program peak_build(struct session *session, size_t bytes)
{
	bool word = session->is_cpu && bytes <= sizeof(cl_ulong);

	return session_program(session, peak,
		"-DBYTES=%zu -DPITCH=%zu -DWORD=%s%s", bytes,
		BYTES / bytes / PARTS, word ? "volatile" : "",
		session_fact(session, CL_DEVICE_IMAGE_SUPPORT) ? " -DIMAGES"
							       : "");
}

/* Make a curve. memory: results, the data, and the data as an image. */
static struct sweep peak_sweep(
	struct session *session, struct peak_curve *peak, const cl_mem *memory)
{
	const struct peak_row *row = peak->row;
	struct sweep sweep = {.session = session,
		.facts = {.family = spaces[row->space].family,
			.member = session_text(session, "%s%zu B",
				spaces[row->space].text, row->bytes),
			.x_name = "work-items",
			.x_axis = CURVE_COUNTS},
		.prepare = peak_prepare,
		.expect = peak_expect,
		.context = peak,
		.loop = {3, 0, MOST_TURNS, SWEEP_LEAST_S},
		.turns_vary = true,
		.odd_turns = true,
		.a_turn = (double)(SWEEP_UNROLLED * row->bytes),
		.bound = {.what = NATIVE_READ,
			.bytes = BYTES * session->options->cpus->n,
			.panel = "read"}};

	peak_choose_items(&sweep, row);
	peak->half = BYTES / row->bytes / 2;
	peak_xor_turns(peak);
	sweep.launch = launch_of(session, peak_build(session, row->bytes),
		spaces[row->space].kernel, LEAST_ITEMS);
	sweep.launch.fixed = true;
	session_arguments(session, sweep.launch.kernel, 0,
		row->space == LOCAL ? local_argument(BYTES)
				    : memory_argument(memory[row->space]),
		memory_argument(memory[LOCAL]), word_argument(peak->half - 1));
	sweep.expected = (struct expected_words){.buffer = memory[LOCAL],
		.n = LEAST_ITEMS,
		.list = peak->expected,
		.listed = peak->half,
		.poisoned = true};
	return sweep;
}

static bool peak_is_wanted(const struct session *session,
	const struct peak_row *row, const cl_mem *memory)
{
	return (!row->only_cpu || session->is_cpu) &&
	       (row->quick || !session->options->quick) &&
	       (row->space != IMAGE || memory[IMAGE]);
}

/* Return the image; NULL with a finding if the device lacks the format. */
static cl_mem peak_open_image(struct session *session, cl_mem buffer)
{
	const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT32};

	if (session->rc)
		return NULL;
	if (session_fact(session, CL_DEVICE_IMAGE_SUPPORT) &&
		images_have_format(
			session, CL_MEM_OBJECT_IMAGE1D_BUFFER, &format))
		return images_of_buffer(session, buffer, &format, BYTES / 16);
	session_add_finding(session,
		"image1d_buffer is left out: this device has none with four "
		"words of 32 bits");
	return NULL;
}

/* Measure one panel: the kernels that read local memory, or the others. */
static void peak_measure_family(
	struct session *session, const cl_mem *memory, bool cached)
{
	struct peak_curve *peaks = session_memory(
		session, N_OF(rows) * sizeof(*peaks), "what is right");
	struct sweep sweeps[N_OF(rows)];
	size_t n = 0, widest = 0, at = session->result->n_curves;

	for (size_t i = 0; i < N_OF(rows) && session_ok(session); i++) {
		if ((rows[i].space != LOCAL) != cached ||
			!peak_is_wanted(session, &rows[i], memory))
			continue;
		peaks[n].row = &rows[i];
		sweeps[n] = peak_sweep(session, &peaks[n], memory);
		sweeps[n].bound.of = n > 0 ? &sweeps[0] : NULL;
		if (sweep_run(&sweeps[n], 1) == 0)
			sweep_report_best(&sweeps[n], 0);
		widest = rows[i].space == IMAGE ? widest : n;
		n++;
	}
	if (widest > 0 && session_ok(session))
		sweep_compare(&sweeps[widest], sweep_best(&sweeps[widest]),
			&sweeps[0], sweep_best(&sweeps[0]));
	/* NVIDIA's shared memory and first-level cache share one memory. */
	if (!cached || session->theory.vendor == THEORY_NVIDIA)
		ceiling_show_theory(session, THEORY_LOCAL, at);
}

static void run_peak(struct session *session)
{
	/* Results, the data, and the data as an image. */
	cl_mem memory[SPACES];

	memory[LOCAL] = session_buffer(session, GPU_ITEMS * sizeof(cl_uint));
	memory[CACHED] = session_buffer(session, BYTES);
	memory[IMAGE] = peak_open_image(session, memory[CACHED]);
	session_fill(session, memory[CACHED], WORDS, NULL, NULL);
	for (size_t i = 0; i < N_OF(rows); i++)
		session->all += peak_is_wanted(session, &rows[i], memory);
	peak_measure_family(session, memory, false);
	peak_measure_family(session, memory, true);
}

const struct test test_peak = {
	.name = "peak",
	.section = "Microbenchmarking GPU cache bandwidth",
	.source = "Chips and Cheese, \"Microbenchmarking GPU cache bandwidth\"",
	.published = {"--work-group=256"},
	.set = GROUP_MEMORY,
	.summary = "bytes per clock from local memory and L1 cache",
	.takes = TAKES_WORK_GROUP,
	.group_divides = LEAST_ITEMS,
	.figures = {{.what = "local memory, 64 B",
			    .family = "local memory",
			    .members = {"64 B"}},
		{.what = "local memory, 16 B",
			.family = "local memory",
			.members = {"16 B"}}},
	.run = run_peak,
};
