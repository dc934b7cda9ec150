/*
 * The cost of a format: elements of 4 to 16 bytes (on CPUs up to 64) of two
 * types, from buffers and from images. After M. Oomen, "Learning About GPUs
 * Through Measuring Memory Bandwidth" (Traverse Research, 2025).
 *
 * The test times kernels whose work-items read or write one element at a time,
 * eight of them a turn; only the elements' bytes count. Each kernel adds up
 * what it reads; the additions are in every result and are not counted.
 * Neighbours have neighbouring elements on devices other than CPUs; on CPUs a
 * work-item reads a part of its own. There are three amounts of memory. At the
 * smallest each group stays in its own slice. On devices other than CPUs,
 * groups go through all of the larger ones, and a unit reads all other blocks
 * before it reads a block again.
 *
 * vload3() reads elements of twelve bytes from words without gaps, so they take
 * three quarters of the memory. Images have no format of twelve bytes.
 *
 * Bias: a plane is read along its rows, which is not what planes are made for.
 * On CPUs images are software, so c2c measures them only within the caches: the
 * rest would take long and show the same.
 */
#include "cl/memory/formats.h"

#include <math.h>

#include "cl/memory/formats_cl.h"
#include "cl/tests.h"

struct formats_curve {
	const char *name;
	enum formats_kernel_id
		kernels[2]; /* read, write; the same twice: only read */
	enum formats_type_id type;
	bool quick;
};

static const struct formats_curve of_buffers[] = {
	{"buffer, float", {BUFFER_READ, BUFFER_WRITE}, FLOAT, true},
	{"buffer, uint", {BUFFER_READ, BUFFER_WRITE}, UINT, true},
	{"buffer, uint, multiplied", {BUFFER_MULTIPLY, BUFFER_MULTIPLY}, UINT,
		true},
};

static const struct formats_curve of_images[] = {
	{"image of a buffer, float", {TYPED_READ, TYPED_WRITE}, FLOAT, true},
	{"image, float", {PLANE_READ, PLANE_WRITE}, FLOAT, true},
	{"image of a buffer, uint", {TYPED_READ, TYPED_WRITE}, UINT, false},
	{"image, uint", {PLANE_READ, PLANE_WRITE}, UINT, false},
};

#define MOST_KINDS 4

static struct sweep formats_sweep(struct formats_state *formats,
	const struct formats_curve *kind, bool write, struct sweep *self)
{
	struct session *session = formats->session;
	const char *access = write ? "write" : "read";
	const char *name = formats->amount->name;
	enum formats_kernel_id kernel = kind->kernels[write];
	bool mix = kernel == MIX_0;
	struct sweep sweep = {.session = session,
		.name = session_text(
			session, "%s of %s, %s", access, kind->name, name),
		.facts = {.family = mix ? "image and buffer by turns, read"
					: session_text(session, "%s, %s",
						  access, name),
			.member = mix ? name : kind->name,
			.x_name = mix ? "share of the buffer" : "element",
			.x_unit = mix ? "%" : "B",
			.x_axis = mix ? CURVE_AMOUNTS : CURVE_BYTES},
		.prepare = formats_prepare,
		.time = kernel == PLANE_WRITE ? formats_time_plane : NULL,
		.context = formats,
		.write = write,
		.kind = kind->type * KERNELS + kernel,
		.bound = {.what = write ? NATIVE_WRITE : NATIVE_READ,
			.panel = mix ? NULL : access}};

	sweep.expected =
		expected_words_written(write ? formats->written : formats->out,
			0, write ? formats_written_word : formats_read_word,
			write ? (const void *)self : formats);
	return sweep;
}

/* Add the elements of buffers; those of images are in formats->image_words. */
static void formats_add_widths(
	const struct formats_state *formats, struct sweep *sweep)
{
	const struct session *session = formats->session;

	for (size_t i = 0; i < WIDTHS; i++) {
		unsigned bytes =
			formats_widths[i].words * (unsigned)sizeof(cl_uint);

		if (formats_has_width(session, &formats_widths[i]))
			sweep_over(sweep, &bytes, 1);
	}
}

/* Report "16 bytes beside 4: 2.00 times as fast (1.90 to 2.10)". */
static void formats_report_widths(const struct sweep *sweep)
{
	static const unsigned compared[] = {8, 12, 16, 64};
	struct median_interval four = sweep_figure_at(sweep, 4);
	struct text_list list = {.text = NULL};
	const char *all;

	for (size_t i = 0; i < N_OF(compared); i++) {
		struct median_interval figure =
			sweep_figure_at(sweep, compared[i]);

		if (!isnan(figure.median))
			text_list_add(&list, "; ", "%u bytes %s", compared[i],
				session_times(sweep->session,
					figure_over(figure, four), "fast"));
	}
	all = session_list_text(sweep->session, &list);
	if (*all)
		session_add_finding(sweep->session,
			"%s, beside elements of 4 bytes: %s", sweep->name, all);
}

static void formats_report_between(const struct sweep *sweep,
	const struct sweep *other, double bytes, const char *what)
{
	session_add_finding(sweep->session,
		"%s, %s, elements of %.0f bytes: %s", sweep->facts.family, what,
		bytes,
		session_times(sweep->session,
			figure_over(sweep_figure_at(sweep, bytes),
				sweep_figure_at(other, bytes)),
			"fast"));
}

/* Report types only if they differ: anything else is expected. */
static void formats_report_types(
	const struct sweep *floats, const struct sweep *uints)
{
	for (size_t i = 0; i < floats->n; i++) {
		const struct median_interval figures[] = {
			sweep_figure(floats, i), sweep_figure(uints, i)};

		if (judge_spread(figures, 2) == SPREAD_SEEN)
			formats_report_between(uints, floats, floats->x[i],
				"buffers, uint beside float");
	}
}

static void formats_report_mix(const struct sweep *sweep)
{
	size_t best = sweep_most(sweep), last = sweep->n - 1;
	size_t alone =
		sweep_figure(sweep, 0).median > sweep_figure(sweep, last).median
			? 0
			: last;

	if (best == sweep->n)
		return;
	if (best == 0 || best == last) {
		session_add_finding(sweep->session,
			"image and buffer by turns, %s: no mix is faster than "
			"the %s alone",
			sweep->facts.member, best ? "buffer" : "image");
		return;
	}
	session_add_finding(sweep->session,
		"image and buffer by turns, %s: %.0f %% from the buffer, "
		"beside the faster of both alone: %s",
		sweep->facts.member, sweep->x[best],
		sweep_times(sweep, best, sweep, alone, "fast"));
}

/* Make the sweeps of the kinds that this run has; return how many. */
static size_t formats_make_sweeps(struct formats_state *formats,
	const struct formats_curve *all, size_t n, bool write,
	struct sweep *sweeps)
{
	bool quick = formats->session->options->quick;
	size_t made = 0;

	for (size_t k = 0; k < n; k++) {
		bool writes = all[k].kernels[0] != all[k].kernels[1];

		if ((quick && !all[k].quick) || (write && !writes))
			continue;
		sweeps[made] =
			formats_sweep(formats, &all[k], write, &sweeps[made]);
		made++;
	}
	return made;
}

/* Run sweeps; each point releases what the point before made. */
static int formats_run_sweeps(
	struct formats_state *formats, struct sweep *sweeps, size_t n)
{
	formats->mark = session_mark(formats->session);
	return sweep_run(sweeps, n);
}

static void formats_measure_mix(struct formats_state *formats)
{
	static const struct formats_curve mix = {
		"image and buffer", {MIX_0, MIX_0}, FLOAT, true};
	struct sweep sweep = formats_sweep(formats, &mix, false, NULL);
	unsigned step = formats->session->options->quick ? 50 : 25;

	for (unsigned share = 0; share <= 100; share += step)
		sweep_over(&sweep, &share, 1);
	if (formats_run_sweeps(formats, &sweep, 1) == 0)
		formats_report_mix(&sweep);
}

static void formats_measure_images(
	struct formats_state *formats, bool write, struct sweep *buffers)
{
	struct sweep sweeps[MOST_KINDS];
	size_t n = formats_make_sweeps(
		formats, of_images, N_OF(of_images), write, sweeps);
	double widest;

	for (size_t k = 0; k < n; k++) {
		sweep_over(&sweeps[k], formats->image_words, formats->n_image);
		sweeps[k].bound.of = buffers;
	}
	if (formats_run_sweeps(formats, sweeps, n) < 0)
		return;
	widest = sweeps->x[sweeps->n - 1];
	formats_report_between(&sweeps[0], buffers, widest,
		"image of a buffer beside the buffer");
	formats_report_between(
		&sweeps[1], buffers, widest, "image beside a buffer");
}

static bool formats_has_mix(const struct formats_state *formats)
{
	return formats->image_words[formats->n_image - 1] == 16;
}

static void formats_measure_access(struct formats_state *formats, bool write)
{
	struct session *session = formats->session;
	struct sweep sweeps[MOST_KINDS];
	size_t n = formats_make_sweeps(
		formats, of_buffers, N_OF(of_buffers), write, sweeps);

	for (size_t k = 0; k < n; k++) {
		formats_add_widths(formats, &sweeps[k]);
		if (k > 0)
			sweeps[k].bound.of = &sweeps[0];
	}
	if (formats_run_sweeps(formats, sweeps, n) < 0)
		return;
	formats_report_widths(&sweeps[0]);
	formats_report_types(&sweeps[0], &sweeps[1]);
	if (!write)
		formats_report_between(&sweeps[2], &sweeps[1], 4,
			"with one multiplication for each word");
	if (formats->amount->images) {
		formats_measure_images(formats, write, &sweeps[0]);
		if (!write && formats_has_mix(formats))
			formats_measure_mix(formats);
	}
	if (formats->amount->bytes >= SESSION_GPU_BYTES)
		ceiling_show_theory(session,
			theory_of(&session->theory, THEORY_MEMORY), sweeps->at);
}

static void formats_measure_amount(
	struct formats_state *formats, const struct formats_amount *amount)
{
	struct session *session = formats->session;
	size_t mark = session_mark(session);
	size_t words = amount->bytes / sizeof(cl_uint);

	formats->amount = amount;
	formats->ones_words = 0;
	formats->data = session_buffer(session, amount->bytes);
	formats->written = session_buffer(session, amount->bytes);
	formats->out = session_buffer(
		session, amount->groups * formats->group * sizeof(cl_uint));
	formats->expected = session_memory(session,
		amount->groups * formats->group * sizeof(cl_uint), "the sums");
	formats->ones =
		session_memory(session, words / FORMATS_TURN, "the sums");
	formats->written_blocks =
		session_memory(session, words / FORMATS_TURN, "the blocks");
	session_fill(session, formats->data, words, formats_data_word, NULL);
	for (int write = 0; write < 2 && session_ok(session); write++)
		formats_measure_access(formats, write);
	session_release(session, mark);
}

static void formats_build(struct formats_state *formats)
{
	struct session *session = formats->session;

	for (size_t i = 0; i < TYPES * WIDTHS && session_ok(session); i++) {
		size_t type = i % TYPES, w = i / TYPES;
		bool images = formats->images && formats_widths[w].words == 4;
		cl_program program;

		if (!formats_has_width(session, &formats_widths[w]))
			continue;
		program = session_build(session, "formats.cl", formats_cl,
			session_text(session,
				"%s -DWIDTH=%u -DPITCH=%zu -DREAD_QUALIFIER=%s"
				"%s",
				formats_types[type].flags,
				formats_widths[w].words, formats->pitch,
				session->is_cpu ? "volatile" : "",
				images ? " -DIMAGES" : ""));
		for (size_t k = 0; k < (images ? KERNELS : TYPED_READ); k++)
			formats->kernels[type][w][k] = session_kernel(
				session, program, formats_kernels[k].name);
	}
}

/* Count the points of all amounts, for the progress. */
static void formats_count_points(const struct formats_state *formats)
{
	struct session *session = formats->session;
	bool quick = session->options->quick;
	struct sweep buffers = {.session = session};
	size_t images = formats->n_image * (quick ? 4 : 8);

	if (formats->images && formats_has_mix(formats))
		images += quick ? 3 : 5;
	formats_add_widths(formats, &buffers);
	for (size_t i = 0; i < formats->n_amounts; i++)
		session->all +=
			(double)(5 * buffers.n +
				 (formats->amounts[i].images ? images : 0));
}

static void run_formats(struct session *session)
{
	struct formats_state formats = {.session = session};

	formats_choose(&formats);
	formats_count_points(&formats);
	formats_build(&formats);
	for (size_t i = 0; i < formats.n_amounts; i++)
		formats_measure_amount(&formats, &formats.amounts[i]);
}

const struct test test_formats = {
	.name = "formats",
	.section = "Oomen",
	.set = GROUP_MEMORY,
	.summary = "elements of 4 to 64 bytes, from buffers and images",
	.takes = TAKES_SIZE,
	.memory_by = TAKES_SIZE,
	.size = {SIZE_POWER, (uint64_t)1 << 20, (uint64_t)4 << 30},
	.figures = {{.what = "buffer of floats read, best",
		.family = "read, ",
		.members = {"buffer, float"}}},
	.run = run_formats,
};
