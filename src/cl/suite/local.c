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
 *
 * Timed with them and not counted: filling the tile first, and of writes,
 * copying it to global memory in the end. Both are less than a thirtieth of the
 * accesses, by the least number of turns.
 *
 * Bias: on devices that interleave their local memory over B banks of a word,
 * a stride has gcd(stride, B) neighbours meet in a bank. Local memory of a CPU
 * is ordinary memory that stays in L1; what is measured there is how fast
 * single words are read, not vectors.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "cl/sizes.h"
#include "cl/strides.h"
#include "cl/suite/local_cl.h"
#include "cl/tests.h"

#define BYTES	    ((size_t)16 << 10)
#define LEAST_BYTES ((uint64_t)4 << 10)
#define MOST_BYTES  ((uint64_t)1 << 20)

#define ITEMS_A_UNIT 2048

/* What n grows by, in words; the 16 words of a turn are a PARTS-th apart. */
#define ROW   32
#define PARTS 32

/* Accesses for each word that is filled in, at least. */
#define FILL_SHARE 64

#define MOST_TURNS (1u << 20)

/* The banks of the GPUs of today. */
#define BANKS 32

/* With stride 1. */
static const unsigned compared[] = {2, 3, 16};

static const char *const access_names[2] = {"read", "write"};
static const char *const kernel_names[2] = {"local_read", "local_write"};

struct local {
	struct cl_session *session;
	size_t bytes, words, items, group;
	cl_mem out;
	size_t out_bytes;
	cl_kernel kernels[2]; /* read, write */
	cl_uint turns, version;
	cl_uint *sums;	/* [words / 2]: of the 16 words of a turn, by x */
	cl_uint *right; /* [group] or [words]: what a group leaves */
};

/* Turns until n comes round. */
static size_t round_of(const struct local *local)
{
	return local->words / 2 / ROW;
}

static size_t place_of(const struct local *local, cl_uint stride, size_t l,
	size_t turn, size_t j)
{
	size_t x = (l * stride + turn * ROW) & (local->words / 2 - 1);

	return x + j * (local->words / PARTS);
}

/* What the work-items of group 0 sum up; that of others follows from it. */
static void expect_sums(const struct local *local, cl_uint stride)
{
	cl_uint rounds = local->turns / (cl_uint)round_of(local);

	for (size_t x = 0; x < local->words / 2; x++) {
		local->sums[x] = 0;
		for (size_t j = 0; j < STRIDES_PER_TURN; j++)
			local->sums[x] +=
				session_word(x + j * (local->words / PARTS));
	}
	for (size_t l = 0; l < local->group; l++) {
		cl_uint sum = 0;

		for (size_t turn = 0; turn < round_of(local); turn++)
			sum += local->sums[place_of(local, stride, l, turn, 0)];
		local->right[l] = rounds * sum + local->version;
	}
}

/* What group 0 leaves in its tile, likewise. */
static void expect_words(const struct local *local, cl_uint stride)
{
	for (size_t i = 0; i < local->words; i++)
		local->right[i] = session_word(i);
	for (size_t l = 0; l < local->group; l++) {
		for (size_t turn = 0; turn < round_of(local); turn++) {
			for (size_t j = 0; j < STRIDES_PER_TURN; j++) {
				size_t i = place_of(local, stride, l, turn, j);

				local->right[i] = local->version + (cl_uint)i;
			}
		}
	}
}

static int check(const struct local *local, int access,
	const struct strides *strides, size_t i, struct cl_timing *timing,
	struct error *err)
{
	size_t groups = local->items / local->group;
	size_t n = access ? local->words : local->group;
	cl_uint each = access ? 1 : local->turns * STRIDES_PER_TURN;
	bool same = true;
	void *mapped;
	int rc = session_map(local->session, local->out, local->out_bytes,
		false, &mapped, err);

	if (rc < 0)
		return rc;
	if (access)
		expect_words(local, strides->words[i]);
	else
		expect_sums(local, strides->words[i]);
	for (size_t g = 0; g < groups && same; g++) {
		const cl_uint *out = (const cl_uint *)mapped + g * n;

		for (size_t k = 0; k < n && same; k++)
			same = out[k] == local->right[k] + each * (cl_uint)g;
	}
	session_sum_words(timing, mapped, groups * n * sizeof(cl_uint));
	rc = session_unmap(local->session, local->out, mapped, err);
	return rc == 0 && !same ? strides_wrong(strides, i, err) : rc;
}

static int set_stride(
	struct local *local, int access, cl_uint stride, struct error *err)
{
	cl_kernel kernel = local->kernels[access];
	cl_uint words = (cl_uint)local->words;
	int rc;

	local->version += 12345;
	rc = session_argument(kernel, 2, sizeof(cl_uint), &local->version, err);
	if (rc == 0)
		rc = session_argument(kernel, 3, sizeof(words), &words, err);
	if (rc == 0)
		rc = session_argument(kernel, 4, sizeof(stride), &stride, err);
	return rc;
}

static cl_uint least_turns(const struct local *local)
{
	size_t turns = round_of(local);

	while (turns * STRIDES_PER_TURN * local->group <
		FILL_SHARE * local->words)
		turns *= 2;
	return (cl_uint)turns;
}

static int measure_stride(struct local *local, int access,
	struct strides *strides, size_t i, struct error *err)
{
	struct cl_timing timing;
	int rc = set_stride(local, access, strides->words[i], err);

	if (rc == 0)
		rc = session_time(local->session, local->kernels[access],
			local->items, local->group, &timing, err);
	if (rc == 0)
		rc = check(local, access, strides, i, &timing, err);
	if (rc < 0)
		return rc;
	return strides_put(strides, i,
		(double)local->items * local->turns * STRIDES_PER_TURN *
			sizeof(cl_uint),
		&timing, err);
}

static int measure_access(struct local *local, int access, struct error *err)
{
	static const struct curve_facts facts = {
		.family = "local memory",
		.x_name = "stride",
		.x_unit = "words",
		.y_unit = "GiB/s",
	};
	struct strides strides = {.session = local->session};
	cl_kernel kernel = local->kernels[access];
	int rc;

	snprintf(strides.name, sizeof(strides.name), "%s of local memory",
		access_names[access]);
	strides_to_16(&strides, local->session->options->quick);
	rc = strides_begin(&strides, access_names[access], &facts, err);
	/* Each CPU has a tile. */
	if (rc == 0)
		rc = strides_set_ceiling(&strides, 0,
			access ? NATIVE_WRITE : NATIVE_READ,
			local->bytes * local->session->options->cpus->n, err);
	if (rc == 0)
		rc = session_argument(kernel, 0, local->bytes, NULL, err);
	if (rc == 0)
		rc = session_argument(
			kernel, 1, sizeof(cl_mem), &local->out, err);
	if (rc == 0)
		rc = set_stride(local, access, 1, err);
	if (rc == 0)
		rc = strides_turns(local->session, kernel, 5, local->items,
			local->group, least_turns(local), MOST_TURNS,
			&local->turns, err);
	for (size_t i = 0; i < strides.n && rc == 0; i++) {
		rc = measure_stride(local, access, &strides, i, err);
		session_progress(local->session,
			((double)access + (double)(i + 1) / (double)strides.n) /
				2);
	}
	if (rc == 0)
		rc = strides_end(&strides, err);
	if (rc == 0)
		rc = strides_find(&strides, compared,
			sizeof(compared) / sizeof(compared[0]), err);
	return rc;
}

/* Sizes, as far as the device has so much. */
static int size_local(struct local *local, struct error *err)
{
	struct cl_session *session = local->session;
	const struct cl_options *options = session->options;
	cl_ulong local_bytes = 0;
	cl_device_local_mem_type type = CL_LOCAL;

	clGetDeviceInfo(session->device, CL_DEVICE_LOCAL_MEM_SIZE,
		sizeof(local_bytes), &local_bytes, NULL);
	clGetDeviceInfo(session->device, CL_DEVICE_LOCAL_MEM_TYPE, sizeof(type),
		&type, NULL);
	local->bytes = options->size_bytes ? options->size_bytes : BYTES;
	local->words = local->bytes / sizeof(cl_uint);
	local->items = options->work_items
			       ? options->work_items
			       : (size_t)session->units * ITEMS_A_UNIT;
	local->group = session_group(session, local->items);
	if (local->bytes > local_bytes)
		return error_set(err, ERROR_UNAVAILABLE, ENOTSUP,
			"the device has %zu KiB of local memory: choose a "
			"smaller --size",
			(size_t)(local_bytes >> 10));
	local->out_bytes = local->words > local->group
				   ? local->items / local->group * local->bytes
				   : local->items * sizeof(cl_uint);
	return curve_finding(session, err,
		"the device has %zu KiB of local memory, %s; of it %zu KiB are "
		"accessed, by %zu work-items in groups of %zu",
		(size_t)(local_bytes >> 10),
		type == CL_LOCAL ? "of its own" : "a part of global memory",
		local->bytes >> 10, local->items, local->group);
}

static int open_local(
	struct local *local, cl_program *program, struct error *err)
{
	char flags[32];
	int rc = check_groups(
		local->session->options, local->items, local->group, err);

	snprintf(flags, sizeof(flags), "-DPITCH=%zu", local->words / PARTS);
	if (rc == 0)
		rc = session_build(local->session, "local.cl", local_cl, flags,
			program, err);
	for (int access = 0; access < 2 && rc == 0; access++)
		rc = session_kernel(*program, kernel_names[access],
			&local->kernels[access], err);
	if (rc == 0)
		rc = session_buffer(
			local->session, local->out_bytes, &local->out, err);
	local->sums = malloc(local->words / 2 * sizeof(cl_uint));
	local->right = malloc(
		(local->words > local->group ? local->words : local->group) *
		sizeof(cl_uint));
	if (rc == 0 && (!local->sums || !local->right))
		rc = error_no_memory(err, "the sums of a tile");
	return rc;
}

static int check_options(const struct cl_options *options, struct error *err)
{
	return strides_check_options(
		"local", options, LEAST_BYTES, MOST_BYTES, err);
}

static int run_local(struct cl_session *session, struct error *err)
{
	struct local local = {.session = session};
	cl_program program = NULL;
	int rc = size_local(&local, err);

	if (rc == 0)
		rc = open_local(&local, &program, err);
	for (int access = 0; access < 2 && rc == 0; access++)
		rc = measure_access(&local, access, err);
	/* A CPU's local memory is ordinary memory, which has no such banks. */
	if (rc == 0 && !session->is_cpu)
		rc = curve_finding(session, err,
			"for comparison: with %d banks of a word, one access "
			"at a time each, stride 2 would take 2 times as long "
			"as stride 1, 3 as long, and 16 16 times",
			BANKS);
	for (int access = 0; access < 2; access++) {
		if (local.kernels[access])
			clReleaseKernel(local.kernels[access]);
	}
	if (program)
		clReleaseProgram(program);
	if (local.out)
		clReleaseMemObject(local.out);
	free(local.sums);
	free(local.right);
	return rc;
}

const struct cl_test cl_test_local = {
	.name = "local",
	.section = "2.3.2",
	.summary = "Local memory of which neighbours access words apart",
	.takes = CL_TAKES_SIZE | CL_TAKES_WORK_ITEMS | CL_TAKES_WORK_GROUP,
	.memory_by = CL_TAKES_WORK_ITEMS,
	.check = check_options,
	.run = run_local,
};
