/*
 * Measure the latency between compute units, like c2c latency for CPUs: two
 * units pass an atomic word to and fro.
 *
 * The test times rounds of atomic compare-and-exchange: a unit waits until the
 * other unit has changed the word, then changes the word. With NVIDIA's
 * compiler the first unit reads its clock at the first answer and at the last
 * answer. Without that compiler, the test subtracts the time of a kernel from
 * the time of a kernel with twice as many rounds. The launch and a first round
 * on each line are not timed.
 *
 * A large cache has near and far slices, so each pair uses many lines. The
 * figure is the median over these lines.
 *
 * Bias: without NVIDIA's compiler the figures belong to groups, and their units
 * are unknown.
 */
#include "cl/memory/units.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "cl/memory/units_cl.h"
#include "cl/timing.h"

/* Lines of a pair, and words between them: 33 lines, to spread over slices. */
#define LINES	    32
#define PITCH_WORDS ((size_t)33 * 32)

/* Control words in a kernel's memory, before the words of the lines. */
#define CONTROL_WORDS 3

/* Rounds on a line by the unit's clock; rounds and time by the host's clock. */
#define ROUNDS	    24
#define LEAST_SPANS 128
#define MOST_SPANS  65536
#define SPAN_S	    5e-4

/* Longest time of all pairs; the fewest lines to stay within this time. */
#define MOST_S	    40.0
#define LEAST_LINES 4

/* Number of polls of a wait, which take less than a second. */
#define GPU_WAITS (1u << 20)
#define CPU_WAITS (1u << 23)
/* Number of tries for a pair whose units do not meet in time. */
#define TRIES 4
/* Largest number of pairs to try until a pair meets. */
#define FIRST_PAIRS ((size_t)8)

/* Pairs between two measurements of the clock. */
#define CLOCKED 256

#define NO_COMPUTE_UNIT UINT32_MAX

struct unit_pair {
	unsigned one, other;
};

struct unit_pairs {
	struct session *session;
	struct launch launch;
	cl_mem words, out;
	cl_ulong *got; /* [groups + 2 * LINES] results of a launch */
	struct cpu_list ids;
	bool has_clock; /* values are in clocks, else in ns */
	size_t lines;	/* number of lines of a pair */
	cl_uint rounds;
	struct unit_pair *pairs; /* [n] */
	size_t n, passes;
	double *values; /* [n * passes * lines] one-way times; NaN: unknown */
};

struct unit_bounce {
	cl_uint choice[4]; /* two units, first line, number of lines */
	cl_uint rounds;
};

static void set_bounce_arguments(
	const struct unit_pairs *units, const struct unit_bounce *bounce)
{
	struct session *session = units->session;
	cl_int code = session->rc
			      ? 0
			      : clSetKernelArg(units->launch.kernel, 3,
					sizeof(bounce->choice), bounce->choice);

	if (code)
		session_fail(session, code, "a kernel's argument");
	session_arguments(session, units->launch.kernel, 4,
		word_argument(bounce->rounds));
}

/* Launch, and read the results. Return the time; NaN: failure. */
static double bounce_once(
	const struct unit_pairs *units, const struct unit_bounce *bounce)
{
	struct session *session = units->session;
	size_t out_bytes = (units->launch.items + 2 * LINES) * sizeof(cl_ulong);
	double s;

	set_bounce_arguments(units, bounce);
	session_set_words(session, units->words,
		(CONTROL_WORDS + LINES) * PITCH_WORDS, 0);
	session_set_words(session, units->out, out_bytes / sizeof(cl_uint), 0);
	s = launch_once(session, &units->launch, false);
	session_read(session, units->out, 0, out_bytes, units->got);
	return session_ok(session) ? s : NAN;
}

/* Return the number of bounced lines. Fail if a line has wrong contents. */
static size_t count_bounced_lines(
	const struct unit_pairs *units, const struct unit_bounce *bounce)
{
	const cl_ulong *lines = units->got + units->launch.items;
	size_t n = 0;

	while (n < bounce->choice[3] && lines[2 * n + 1] != 0 &&
		session_ok(units->session)) {
		if (lines[2 * n + 1] != 2 * ((cl_ulong)bounce->rounds + 1))
			session_wrong(units->session, "a word between units");
		n++;
	}
	return n;
}

/* Launch until both units have bounced all lines. NaN: the units did not meet.
 */
static double bounce_all(
	const struct unit_pairs *units, const struct unit_bounce *bounce)
{
	for (int try = 0; try < TRIES; try++) {
		double s = bounce_once(units, bounce);

		if (session_stopped(units->session) < 0)
			return NAN;
		if (count_bounced_lines(units, bounce) == bounce->choice[3])
			return s;
	}
	return NAN;
}

static struct unit_bounce bounce_of_pair(
	const struct unit_pairs *units, struct unit_pair pair, cl_uint rounds)
{
	assert(units->ids.cpus);
	return (struct unit_bounce){
		{units->ids.cpus[pair.one], units->ids.cpus[pair.other], 0,
			(cl_uint)units->lines},
		rounds};
}

/* Measure all lines in one launch, timed by the unit's clock. */
static void measure_pair_clocks(
	const struct unit_pairs *units, struct unit_pair pair, double *values)
{
	const cl_ulong *lines = units->got + units->launch.items;
	const struct unit_bounce bounce =
		bounce_of_pair(units, pair, units->rounds);

	if (isnan(bounce_all(units, &bounce)))
		return;
	for (size_t l = 0; l < units->lines; l++)
		values[l] = (double)lines[2 * l] / (2.0 * units->rounds);
}

/* Measure each line in its own launches, timed by the host's clock. */
static void measure_pair_times(
	const struct unit_pairs *units, struct unit_pair pair, double *values)
{
	for (cl_uint l = 0; l < units->lines; l++) {
		struct unit_bounce one =
			bounce_of_pair(units, pair, units->rounds);
		struct unit_bounce two =
			bounce_of_pair(units, pair, 2 * units->rounds);
		double s;

		one.choice[2] = two.choice[2] = l;
		one.choice[3] = two.choice[3] = 1;
		s = bounce_all(units, &two) - bounce_all(units, &one);
		if (s > 0)
			values[l] = s * 1e9 / (2.0 * units->rounds);
	}
}

static void measure_unit_pair(
	const struct unit_pairs *units, size_t p, size_t pass)
{
	double *values =
		units->values + (p * units->passes + pass) * units->lines;
	struct unit_pair pair = units->pairs[p];

	/* In odd passes the second unit begins. */
	if (pass % 2 == 1)
		pair = (struct unit_pair){pair.other, pair.one};
	if (units->has_clock)
		measure_pair_clocks(units, pair, values);
	else
		measure_pair_times(units, pair, values);
}

/* Find the units that groups run on: each unit once, in ascending order. */
static void units_find(struct unit_pairs *units)
{
	const struct unit_bounce no_pair = {
		{NO_COMPUTE_UNIT, NO_COMPUTE_UNIT, 0, 0}, 1};
	struct session *session = units->session;
	size_t groups = units->launch.items, there = 0;

	for (int try = 0; try < TRIES && there < groups; try++) {
		bounce_once(units, &no_pair);
		if (session_stopped(session) < 0)
			return;
		there = 0;
		while (there < groups && units->got[there] != 0)
			there++;
	}
	if (there < groups)
		session_refuse(session,
			"this device does not run %zu work-groups, one for "
			"each compute unit, at the same time, so a pair "
			"may never run at the same time",
			groups);
	for (size_t g = 0; g < groups && session_ok(session); g++) {
		unsigned id = (unsigned)(units->got[g] - 1);

		session->rc = cpu_list_add(&units->ids, id, session->err);
	}
	cpu_list_sort(&units->ids);
	if (session_ok(session) && units->ids.n < 2)
		session_refuse(session,
			"%zu work-groups, one for each compute unit, all ran "
			"on one unit, so there is no pair of units",
			groups);
	else if (session_ok(session) && units->ids.n < groups)
		session_note(session,
			"%zu work-groups, one for each compute unit, ran on "
			"%zu units only: the others are left out",
			groups, units->ids.n);
}

static void units_open(struct unit_pairs *units)
{
	struct session *session = units->session;
	size_t groups = session->units;
	/* NVIDIA runs no kernel that asks for all local memory. */
	size_t local = session_fact(session, CL_DEVICE_LOCAL_MEM_SIZE) / 8 * 7;
	cl_program program =
		session_program(session, units, "-DPITCH=%zu", PITCH_WORDS);

	if (groups < 2)
		session_refuse(session,
			"--units: this device has one compute unit only");
	units->launch = launch_singly(
		session_kernel(session, program, "bounce"), groups);
	units->words = session_buffer(session,
		(CONTROL_WORDS + LINES) * PITCH_WORDS * sizeof(cl_uint));
	units->out = session_buffer(
		session, (groups + 2 * LINES) * sizeof(cl_ulong));
	units->got = session_memory(session,
		(groups + 2 * LINES) * sizeof(cl_ulong), "what units left");
	session_arguments(session, units->launch.kernel, 0,
		memory_argument(units->words), memory_argument(units->out),
		local_argument(local));
	session_arguments(session, units->launch.kernel, 5,
		word_argument(session->is_cpu ? CPU_WAITS : GPU_WAITS));
}

/* Try a few pairs from all over the device, and return the first that meets. */
static struct unit_bounce units_first_bounce(struct unit_pairs *units)
{
	size_t some = min_size(units->n, FIRST_PAIRS);
	struct unit_bounce bounce = {{0}, 0};

	for (size_t k = 0; k < some; k++) {
		bounce = bounce_of_pair(
			units, units->pairs[k * units->n / some], ROUNDS);
		if (!isnan(bounce_all(units, &bounce)) ||
			session_stopped(units->session) < 0)
			return bounce;
	}
	session_refuse(units->session,
		"no pair of compute units, of %zu tried, exchanged a word in "
		"time",
		some);
	return bounce;
}

/* Find out whether kernels can read a clock; if not, choose enough rounds. */
static void units_choose_rounds(struct unit_pairs *units)
{
	struct unit_bounce bounce = units_first_bounce(units);
	double s;

	units->rounds = ROUNDS;
	if (!session_ok(units->session))
		return;
	units->has_clock = units->got[units->launch.items] > 0;
	if (units->has_clock)
		return;
	bounce.choice[3] = 1;
	units->rounds = LEAST_SPANS / 2;
	do {
		units->rounds *= 2;
		bounce.rounds = units->rounds;
		s = bounce_all(units, &bounce);
	} while (s < SPAN_S && units->rounds < MOST_SPANS);
	/* Each line takes three times as many rounds. */
	s = MOST_S / (double)(units->n * units->passes) / (3 * fmax(s, SPAN_S));
	units->lines = (size_t)fmin(LINES, fmax(LEAST_LINES, s));
}

static void units_make_pairs(struct unit_pairs *units)
{
	struct session *session = units->session;
	size_t n = units->ids.n, k = 0;

	units->n = n * (n - 1) / 2;
	units->pairs = session_memory(
		session, (units->n + 1) * sizeof(*units->pairs), "the pairs");
	for (unsigned i = 0; i < n && units->pairs; i++) {
		for (unsigned j = i + 1; j < n; j++)
			units->pairs[k++] = (struct unit_pair){i, j};
	}
}

static void measure_unit_pairs(struct unit_pairs *units)
{
	struct session *session = units->session;
	size_t each = units->passes * units->lines;
	uint32_t *order = session_memory(
		session, (units->n + 1) * sizeof(*order), "the order of pairs");

	units->values = session_memory(session,
		(units->n * each + 1) * sizeof(double), "what pairs take");
	if (!units->values)
		return;
	for (size_t i = 0; i < units->n * each; i++)
		units->values[i] = NAN;
	session->all = (double)(units->n * units->passes);
	for (size_t pass = 0; pass < units->passes; pass++) {
		stat_shuffle(&session->random, order, units->n);
		for (size_t p = 0; p < units->n && session_ok(session); p++) {
			measure_unit_pair(units, order[p], pass);
			if (p % CLOCKED == 0)
				clock_measure(session);
			session_advance(session, 1);
		}
	}
}

/* Sort numbers before NaNs, and return the count of numbers. */
static size_t sort_numbers(double *values, size_t n)
{
	stat_sort(values, n);
	return stat_count_numbers(values, n);
}

/* Return the range of a pair's passes divided by their mean. */
static double units_pass_drift(const struct unit_pairs *units, size_t p)
{
	double *first = units->values + p * units->passes * units->lines;
	double *second = first + units->lines, one, other;
	size_t n = units->lines;

	if (units->passes < 2)
		return NAN;
	one = stat_median(first, sort_numbers(first, n));
	other = stat_median(second, sort_numbers(second, n));
	return 2 * fabs(one - other) / (one + other);
}

static void units_report(
	const struct unit_pairs *units, double *medians, double *drifts)
{
	struct session *session = units->session;
	size_t n = sort_numbers(medians, units->n);
	size_t drifted = sort_numbers(drifts, units->n);
	double ghz = clock_median_ghz(session);
	const char *clocks = "";
	char half[TEXT_SHARE_BYTES], tenth[TEXT_SHARE_BYTES];

	if (n == 0)
		return;
	if (!isnan(ghz) && !session->is_cpu)
		clocks = session_text(session,
			", or %.0f to %.0f clocks, median %.0f",
			medians[0] * ghz, medians[n - 1] * ghz,
			stat_quantile(medians, n, 0.5) * ghz);
	session_add_finding(session,
		"%zu compute units, %zu pair%s by %zu line%s in %zu pass%s: "
		"one way %s to %s ns, median %s%s",
		units->ids.n, n, n == 1 ? "" : "s", units->lines,
		units->lines == 1 ? "" : "s", units->passes,
		units->passes == 1 ? "" : "es",
		session_number(session, medians[0]),
		session_number(session, medians[n - 1]),
		session_number(session, stat_quantile(medians, n, 0.5)),
		clocks);
	if (drifted > 0)
		session_add_finding(session,
			"the passes of a pair differ by %s in the median, "
			"and by %s in a tenth of all pairs or more",
			text_share(stat_quantile(drifts, drifted, 0.5), half),
			text_share(stat_quantile(drifts, drifted, 0.9), tenth));
	if (n < units->n)
		session_note(session,
			"%zu of %zu pair%s of units did not exchange a word in "
			"time",
			units->n - n, units->n, units->n == 1 ? "" : "s");
	if (!units->has_clock)
		session_add_finding(session,
			"units are numbers of work-groups: c2c does not know "
			"which unit runs a group");
}

/* Quantiles over lines, in the order of the matrices. */
static const struct {
	const char *name;
	double quantile;
} statistics[] = {{"median", 0.5}, {"min", 0}, {"p10", 0.1}, {"p90", 0.9}};

static bool units_add_matrices(const struct unit_pairs *units)
{
	struct result *result = units->session->result;
	bool added = true;

	for (size_t i = 0; i < units->ids.n; i++)
		added = added && cpu_list_add(&result->cpus, units->ids.cpus[i],
					 NULL) == 0;
	for (size_t k = 0; k < N_OF(statistics); k++)
		added = added &&
			result_add_matrix(result, "latency", statistics[k].name,
				"ns", "one-way", false, true);
	return added;
}

/* Put all pairs measured so far into matrices, even after an interrupt. */
static void units_put_matrices(struct unit_pairs *units)
{
	struct session *session = units->session;
	struct result *result = session->result;
	size_t each = units->passes * units->lines, n = units->ids.n;
	double scale = units->has_clock ? 1 / clock_median_ghz(session) : 1;
	double *medians = malloc((units->n + 1) * sizeof(*medians));
	double *drifts = malloc((units->n + 1) * sizeof(*drifts));

	if (!medians || !drifts || !units_add_matrices(units)) {
		session_no_memory(session, "the matrices");
		goto out;
	}
	for (size_t p = 0; p < units->n; p++) {
		struct unit_pair pair = units->pairs[p];
		double *values = units->values + p * each;
		size_t known;

		drifts[p] = units_pass_drift(units, p);
		known = sort_numbers(values, each);
		for (size_t k = 0; k < N_OF(statistics); k++) {
			double value = scale * stat_quantile(values, known,
						       statistics[k].quantile);
			double *to = result->matrices[k].values;

			to[pair.one * n + pair.other] = value;
			to[pair.other * n + pair.one] = value;
			medians[p] = k == 0 ? value : medians[p];
		}
	}
	units_report(units, medians, drifts);
out:
	free(medians);
	free(drifts);
}

void units_measure(struct session *session)
{
	static void (*const steps[])(struct unit_pairs * units) = {units_open,
		units_find, units_make_pairs, units_choose_rounds,
		measure_unit_pairs};
	struct unit_pairs units = {.session = session,
		.lines = LINES,
		.passes = session->options->quick ? 1 : 2};

	for (size_t i = 0; i < N_OF(steps) && session_ok(session); i++)
		steps[i](&units);
	if (units.values && (session_ok(session) || session->rc == -EINTR))
		units_put_matrices(&units);
	cpu_list_release(&units.ids);
}
