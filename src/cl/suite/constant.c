/*
 * Chains through constant memory (section 2.3.3, formula 2, figure 22).
 *
 * Timed is a kernel in which each work-item reads an array that says
 * array[i] = (i + stride) % words, beginning with its global number, and reads
 * next where it was told to. Many work-items give the rate, which is the
 * paper's figure; one alone gives the time of a read, which is latency, each
 * read waiting for the one before. Not counted is the last place, which each
 * work-item writes.
 *
 * The paper says not how long the array is: here it is 64 KiB, or as much as
 * the device has. A chain goes through words / stride places and round again,
 * each in another line from stride 16 on. Neighbours are one word apart,
 * whatever the stride.
 *
 * With PoCL 3.1 a turn is 16 loads, each with the address that the one before
 * loaded, of one work-item after the other.
 *
 * Bias: an order so even is what prefetchers look for. A CPU's constant memory
 * is ordinary memory, and two chains that follow each other overlap where one
 * is short: the number of turns makes them long. The ceiling of the rate is
 * that of plain reading; a chain that is not done in vectors is far below it.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "cl/sizes.h"
#include "cl/strides.h"
#include "cl/suite/constant_cl.h"
#include "cl/tests.h"

#define BYTES	    ((size_t)64 << 10)
#define LEAST_BYTES ((uint64_t)1 << 10)
#define MOST_BYTES  ((uint64_t)1 << 30)

#define ITEMS_A_UNIT 2048
#define MOST_STRIDE  128

/*
 * Turns of a chain, and of one alone, with a read before them: 4,113 reads and
 * 65,553. These are no multiples of an array's length, so that it shows at the
 * end if only a part of them was made.
 */
#define TURNS	    257
#define MOST_TURNS  (1u << 16)
#define ALONE_TURNS 4097

struct chains {
	struct cl_session *session;
	size_t bytes, words, items, group;
	cl_mem next, out;
	cl_kernel kernel;
	cl_uint turns;
};

static int fill(const struct chains *chains, size_t stride, struct error *err)
{
	void *next;
	int rc = session_map(
		chains->session, chains->next, chains->bytes, true, &next, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < chains->words; i++)
		((cl_uint *)next)[i] = (cl_uint)((i + stride) % chains->words);
	return session_unmap(chains->session, chains->next, next, err);
}

static size_t reads_of(cl_uint turns)
{
	return (size_t)turns * STRIDES_PER_TURN + 1;
}

/* Whether each chain ended where so many steps lead. */
static int check(const struct chains *chains, size_t items, cl_uint turns,
	const struct strides *strides, size_t i, struct cl_timing *timing,
	struct error *err)
{
	size_t way = reads_of(turns) * strides->words[i];
	bool same = true;
	void *out;
	int rc = session_map(chains->session, chains->out,
		items * sizeof(cl_uint), false, &out, err);

	if (rc < 0)
		return rc;
	for (size_t g = 0; g < items && same; g++)
		same = ((const cl_uint *)out)[g] == (g + way) % chains->words;
	session_sum_words(timing, out, items * sizeof(cl_uint));
	rc = session_unmap(chains->session, chains->out, out, err);
	return rc == 0 && !same ? strides_wrong(strides, i, err) : rc;
}

static int time_chains(const struct chains *chains, size_t items, size_t group,
	cl_uint turns, const struct strides *strides, size_t i,
	struct cl_timing *timing, struct error *err)
{
	/* What was there before is no end of any chain. */
	int rc = session_spoil(chains->session, chains->out,
		chains->items * sizeof(cl_uint), err);

	if (rc == 0)
		rc = session_argument(
			chains->kernel, 3, sizeof(turns), &turns, err);
	if (rc == 0)
		rc = session_time(chains->session, chains->kernel, items, group,
			timing, err);
	return rc == 0 ? check(chains, items, turns, strides, i, timing, err)
		       : rc;
}

static int measure_stride(struct chains *chains, struct strides *strides,
	size_t alone_at, size_t i, struct error *err)
{
	double reads = (double)reads_of(ALONE_TURNS);
	struct cl_timing timing = timing_none();
	int rc = fill(chains, strides->words[i], err);

	if (rc == 0)
		rc = time_chains(
			chains, 1, 1, ALONE_TURNS, strides, i, &timing, err);
	if (rc < 0)
		return rc;
	curve_put_step(chains->session, alone_at, i, strides->words[i], reads,
		&timing);
	rc = time_chains(chains, chains->items, chains->group, chains->turns,
		strides, i, &timing, err);
	if (rc < 0)
		return rc;
	return strides_put(strides, i,
		(double)(chains->items * reads_of(chains->turns) *
			 sizeof(cl_uint)),
		&timing, err);
}

static int find(const struct chains *chains, const struct strides *strides,
	size_t alone_at, struct error *err)
{
	static const unsigned compared[] = {16, 128};
	struct figure alone[STRIDES_MOST];
	size_t least, most;
	char text[FIGURE_BYTES];
	int rc;

	for (size_t i = 0; i < strides->n; i++)
		alone[i] = curve_figure(chains->session, alone_at, i);
	least = figure_least(alone, strides->n);
	most = figure_most(alone, strides->n);
	rc = curve_finding(chains->session, err,
		"%zu KiB of constant memory are read, by %zu work-items in "
		"groups of %zu, %zu reads each",
		chains->bytes >> 10, chains->items, chains->group,
		reads_of(chains->turns));
	if (rc == 0 && least < strides->n)
		rc = curve_finding(chains->session, err,
			"a read that waits for the one before takes %.3g ns "
			"with stride %u, the least; with stride %u, the most: "
			"%s",
			alone[least].median, strides->words[least],
			strides->words[most],
			figure_times(figure_over(alone[most], alone[least]),
				"long", text));
	return rc == 0 ? strides_find(strides, compared, 2, err) : rc;
}

static int measure(struct chains *chains, struct error *err)
{
	static const struct curve_facts facts[2] = {
		{
			.family = "constant memory",
			.x_name = "stride",
			.x_unit = "words",
			.y_unit = "GiB/s",
		},
		{
			.family = "latency",
			.x_name = "stride",
			.x_unit = "words",
			.y_unit = "ns",
		},
	};
	struct cl_session *session = chains->session;
	struct strides strides = {
		.session = session, .name = "constant memory, many work-items"};
	size_t rate_at, alone_at;
	int rc;

	for (unsigned stride = 1; stride <= MOST_STRIDE;
		stride *= session->options->quick && stride < 16 ? 4 : 2)
		strides.words[strides.n++] = stride;
	rc = strides_begin(&strides, "many work-items", &facts[0], err);
	rate_at = strides.at;
	if (rc == 0)
		rc = strides_begin(&strides, "one work-item", &facts[1], err);
	alone_at = strides.at;
	strides.at = rate_at;
	/* All CPUs read all of it. */
	if (rc == 0)
		rc = strides_set_ceiling(&strides, 0, NATIVE_READ,
			chains->bytes * session->options->cpus->n, err);
	if (rc == 0)
		rc = fill(chains, 1, err);
	if (rc == 0)
		rc = strides_turns(session, chains->kernel, 3, chains->items,
			chains->group, TURNS, MOST_TURNS, &chains->turns, err);
	for (size_t i = 0; i < strides.n && rc == 0; i++) {
		rc = measure_stride(chains, &strides, alone_at, i, err);
		session_progress(session, (double)(i + 1) / (double)strides.n);
	}
	if (rc == 0)
		rc = strides_end(&strides, err);
	return rc == 0 ? find(chains, &strides, alone_at, err) : rc;
}

static int size_chains(struct chains *chains, struct error *err)
{
	struct cl_session *session = chains->session;
	const struct cl_options *options = session->options;
	cl_ulong most = 0;

	clGetDeviceInfo(session->device, CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE,
		sizeof(most), &most, NULL);
	chains->bytes = options->size_bytes ? options->size_bytes : BYTES;
	while (!options->size_bytes && chains->bytes > most &&
		chains->bytes > LEAST_BYTES)
		chains->bytes /= 2;
	if (chains->bytes > most)
		return error_set(err, ERROR_UNAVAILABLE, ENOTSUP,
			"the device takes %zu KiB of constant memory at once: "
			"choose a smaller --size",
			(size_t)(most >> 10));
	chains->words = chains->bytes / sizeof(cl_uint);
	chains->items = options->work_items
				? options->work_items
				: (size_t)session->units * ITEMS_A_UNIT;
	chains->group = session_group(session, chains->items);
	return check_groups(options, chains->items, chains->group, err);
}

static int open_chains(
	struct chains *chains, cl_program *program, struct error *err)
{
	struct cl_session *session = chains->session;
	cl_uint mask = (cl_uint)(chains->words - 1);
	int rc = session_build(
		session, "constant.cl", constant_cl, NULL, program, err);

	if (rc == 0)
		rc = session_kernel(*program, "follow", &chains->kernel, err);
	if (rc == 0)
		rc = session_buffer(session, chains->bytes, &chains->next, err);
	if (rc == 0)
		rc = session_buffer(session, chains->items * sizeof(cl_uint),
			&chains->out, err);
	if (rc == 0)
		rc = session_argument(
			chains->kernel, 0, sizeof(cl_mem), &chains->next, err);
	if (rc == 0)
		rc = session_argument(
			chains->kernel, 1, sizeof(cl_mem), &chains->out, err);
	if (rc == 0)
		rc = session_argument(
			chains->kernel, 2, sizeof(mask), &mask, err);
	return rc;
}

static int check_options(const struct cl_options *options, struct error *err)
{
	return strides_check_options(
		"constant", options, LEAST_BYTES, MOST_BYTES, err);
}

static int run_constant(struct cl_session *session, struct error *err)
{
	struct chains chains = {.session = session};
	cl_program program = NULL;
	int rc = size_chains(&chains, err);

	if (rc == 0)
		rc = open_chains(&chains, &program, err);
	if (rc == 0)
		rc = measure(&chains, err);
	if (chains.kernel)
		clReleaseKernel(chains.kernel);
	if (program)
		clReleaseProgram(program);
	if (chains.next)
		clReleaseMemObject(chains.next);
	if (chains.out)
		clReleaseMemObject(chains.out);
	return rc;
}

const struct cl_test cl_test_constant = {
	.name = "constant",
	.section = "2.3.3",
	.summary = "Chains through constant memory",
	.takes = CL_TAKES_SIZE | CL_TAKES_WORK_ITEMS | CL_TAKES_WORK_GROUP |
		 CL_TAKES_SWEEP,
	.memory_by = CL_TAKES_SIZE | CL_TAKES_WORK_ITEMS,
	.check = check_options,
	.run = run_constant,
};
