/*
 * Measure the rate of arithmetic over its intensity, the operations for each
 * byte read. At low intensity, memory limits the rate; at high intensity, the
 * arithmetic units do. Modelled on gpu-roofline of gpu-benches by D. Ernst
 * (https://github.com/te42kyfo/gpu-benches), and S. Williams, A. Waterman and
 * D. Patterson, "Roofline" (Communications of the ACM, 2009).
 *
 * The test times a kernel that reads two arrays of floats or doubles once. For
 * each pair of elements it computes 1 to 513 multiplications with additions
 * (fma), two operations each: at least 0.25 operations for each byte of floats.
 * The arrays are larger than the caches.
 *
 * The roof is the lower of two bounds: the bandwidth of memory times the
 * intensity, and the rate of the arithmetic units. On CPUs native loops measure
 * both bounds, and no figure may exceed them; on other devices both come from
 * theory.
 *
 * Each point also has the clock of the cores and, on NVIDIA GPUs, the power and
 * the temperature, measured in further runs after the timed runs.
 *
 * Bias: on CPUs the compiler chooses the vectors, which may be half as wide as
 * the vectors of the native loop.
 */
#include <math.h>
#include <string.h>

#include "cl/memory/roofline_cl.h"
#include "cl/power.h"
#include "cl/sweep.h"

/* Elements of a turn, as in the kernel. */
#define A_TURN 8

/* Bytes of both arrays. On CPUs they are CACHES times the last-level caches. */
#define GPU_BYTES	((size_t)2 << 30)
#define QUICK_GPU_BYTES ((size_t)512 << 20)
#define CPU_LEAST	((size_t)64 << 20)
#define CPU_MOST	((size_t)1 << 30)
#define QUICK_CPU_MOST	((size_t)512 << 20)
#define CACHES		4

/* Bytes of a vector on CPUs, and work-items for each CPU. */
#define LINE	  64
#define CPU_ITEMS 64

/* Constants of an fma. Its result stays below q / (1 - p), which is 64. */
#define P (1 - 1.0 / 512)
#define Q (1.0 / 8)

/* Number of sums that the host computes again. */
#define SAMPLE 64

#define MOST_TRIPS 512

/* With --fine the trips are multiples of this, or lower powers of two. */
#define FINE_TRIPS 8

/* With more fma steps, a run on CPUs reads less of the arrays. */
#define LONG_TRIPS 128

struct roofline_arrays {
	struct session *session;
	bool is_double;
	size_t lanes;  /* numbers in an element */
	size_t bytes;  /* bytes of each array */
	size_t number; /* bytes of a number */
	cl_mem a, b, out;
	size_t items, all_turns;
	size_t turns, trips; /* of the current point; trips: fma steps - 1 */
	struct ceiling memory, peak;
	struct power_meter *power;
	/* For each point; NaN: unknown. */
	double ghz[SWEEP_MOST], power_w[SWEEP_MOST], celsius[SWEEP_MOST];
};

/* Return number i of the first or second array, from 1 to 2. */
static double roofline_value(size_t i, bool second)
{
	size_t k = session_word(2 * i + second) >> 8 & 1023;

	return 1 + (double)k / 1024;
}

/* second: a bool. */
static double roofline_number(const void *second, size_t i, double *slack)
{
	(void)slack;
	return roofline_value(i, *(const bool *)second);
}

static double roofline_fma(
	const struct roofline_arrays *roof, double x, double y, double z)
{
	return roof->is_double ? fma(x, y, z)
			       : (double)fmaf((float)x, (float)y, (float)z);
}

/* Return sum j of a work-item, for one number of each element. */
static double roofline_expected_sum(
	const void *context, size_t at, double *slack)
{
	const struct roofline_arrays *roof = context;
	size_t lane = at % roof->lanes, j = at / roof->lanes % A_TURN;
	size_t item = at / roof->lanes / A_TURN;
	bool in_a_row = roof->session->is_cpu;
	double sum = 0;

	(void)slack;
	for (size_t turn = 0; turn < roof->turns; turn++) {
		size_t element = turn * A_TURN + j, i;
		double t;

		element = in_a_row ? item * roof->turns * A_TURN + element
				   : element * roof->items + item;
		i = element * roof->lanes + lane;
		t = roofline_value(i, false);
		for (size_t k = 0; k < roof->trips; k++)
			t = roofline_fma(roof, t, P, Q);
		sum = roofline_fma(roof, t, roofline_value(i, true), sum);
	}
	return sum;
}

static struct timing roofline_time_point(struct sweep *sweep, size_t i)
{
	struct roofline_arrays *roof = sweep->context;
	struct session *session = roof->session;
	struct timing timing = launch_time(session, &sweep->launch);

	if (isnan(timing.median_s))
		return timing;
	/*
	 * Measure the power once, because that takes long. Measure the clock.
	 */
	if (isnan(roof->power_w[i]))
		roof->power_w[i] =
			power_measure(roof->power, session, &sweep->launch);
	roof->celsius[i] = power_temperature(roof->power);
	roof->ghz[i] = clock_measure(session);
	return timing;
}

static size_t roofline_turns_bytes(
	const struct roofline_arrays *roof, size_t turns)
{
	return turns * A_TURN * roof->items * roof->lanes * roof->number;
}

static void roofline_prepare(struct sweep *sweep, size_t i)
{
	struct roofline_arrays *roof = sweep->context;
	double x = sweep->x[i], memory = roof->memory.rate * GIB * 1e-9;
	bool by_memory = memory * x < roof->peak.rate;
	size_t trips = (size_t)lround(x * (double)roof->number) - 1;

	roof->trips = trips;
	/* Arithmetic takes long with many trips, so less memory is enough. */
	roof->turns = roof->all_turns;
	if (roof->session->is_cpu && trips > LONG_TRIPS)
		roof->turns = max_size(1, roof->turns * LONG_TRIPS / trips);
	/* Operations on all elements that the run reads. */
	sweep->amount = x * 2 * (double)roofline_turns_bytes(roof, roof->turns);
	sweep->bound.ceiling = by_memory ? &roof->memory : &roof->peak;
	sweep->bound.ceiling_per_y = by_memory ? 1e9 / (x * GIB) : 1;
	session_arguments(roof->session, sweep->launch.kernel, 5,
		word_argument(trips), word_argument(roof->turns));
}

static size_t roofline_array_bytes(const struct session *session)
{
	bool quick = session->options->quick;
	const struct beyond_caches both = {CPU_LEAST,
		quick ? QUICK_CPU_MOST : CPU_MOST, quick ? CACHES / 2 : CACHES,
		quick ? QUICK_GPU_BYTES : GPU_BYTES};

	return session_fit(
		session, session_beyond_caches(session, &both) / 2, 1, 4);
}

static struct sweep roofline_sweep(struct roofline_arrays *roof)
{
	struct session *session = roof->session;
	const char *name = roof->is_double ? "double" : "float";
	struct sweep sweep = {.session = session,
		.name = session_text(session, "roofline of %s", name),
		.facts = {.family = name,
			.member = "fma",
			.x_name = "intensity",
			.x_unit = "operations/B",
			.x_axis = CURVE_RATIOS,
			.y_axis = CURVE_RATIOS},
		.shows = SHOWS_GIGA,
		.prepare = roofline_prepare,
		.time = roofline_time_point,
		.context = roof};

	/* The trips of --quick are 0, 2, 8, 32, 128, 512. */
	sweep_add(&sweep, 0);
	if (session->options->fine) {
		sweep_up_to(&sweep, 1, FINE_TRIPS / 2, 2);
		sweep_step_to(&sweep, FINE_TRIPS, MOST_TRIPS, FINE_TRIPS);
	} else {
		bool quick = session->options->quick;

		sweep_up_to(&sweep, 1 + quick, MOST_TRIPS, quick ? 4 : 2);
	}
	for (size_t i = 0; i < sweep.n; i++)
		sweep.x[i] = (1 + sweep.x[i]) / (double)roof->number;
	return sweep;
}

static void roofline_open_kernel(
	struct roofline_arrays *roof, struct sweep *sweep)
{
	struct session *session = roof->session;
	const char *type = roof->is_double ? "double" : "float";
	const char *flags =
		session->is_cpu
			? session_text(session, "-DS=%s -DT=%s%zu -DIN_A_ROW",
				  type, type, roof->lanes)
			: session_text(session, "-DS=%s -DT=%s", type, type);
	cl_program program =
		session_build(session, "roofline.cl", roofline_cl, flags);

	sweep->launch.kernel = session_kernel(session, program, "roofline");
	session_arguments(session, sweep->launch.kernel, 0,
		memory_argument(roof->a), memory_argument(roof->b),
		memory_argument(roof->out), number_argument(roof->is_double, P),
		number_argument(roof->is_double, Q));
}

/* Choose a number of work-items that divides the elements evenly. */
static void roofline_divide_elements(
	struct roofline_arrays *roof, struct sweep *sweep)
{
	struct session *session = roof->session;
	size_t elements = roof->bytes / roof->number / roof->lanes;
	size_t unit = theory_unit_items(&session->theory);

	roof->items = session->units * (session->is_cpu ? CPU_ITEMS : unit);
	sweep->launch = launch_singly(NULL, roof->items);
	if (!session->is_cpu) {
		sweep->launch.group = session_group(session, unit);
		roof->items -= roof->items % sweep->launch.group;
		sweep->launch.items = roof->items;
	}
	roof->all_turns = elements / roof->items / A_TURN;
	if (roof->all_turns == 0)
		session_refuse(session,
			"this device has too little memory for %zu work-items",
			roof->items);
	roof->bytes = roofline_turns_bytes(roof, roof->all_turns);
}

static void roofline_show_roof(const struct sweep *sweep, double memory_giga,
	double peak_giga, enum curve_statistic statistic)
{
	double roof[SWEEP_MOST];

	for (size_t i = 0; i < sweep->n; i++)
		roof[i] = fmin(memory_giga * sweep->x[i], peak_giga);
	ceiling_show_roof(sweep->session, sweep->at, statistic, roof);
}

/* Return " (95 % of theory)". */
static const char *roofline_share_text(
	struct session *session, double rate, double of)
{
	return rate / of > 0 ? session_text(session, " (%.0f %% of theory)",
				       100 * rate / of)
			     : "";
}

static void roofline_report(const struct sweep *sweep)
{
	const struct roofline_arrays *roof = sweep->context;
	struct session *session = roof->session;
	double memory = theory_of(&session->theory, THEORY_MEMORY).giga;
	double peak = theory_of(&session->theory,
		roof->is_double ? THEORY_DOUBLE : THEORY_FLOAT)
			      .giga;
	double most = sweep_figure(sweep, sweep_best(sweep)).median;
	double rate = sweep_figure(sweep, 0).median / sweep->x[0];
	if (!(rate > 0))
		return;
	session_add_finding(session,
		"%s: memory delivers %s GB/s%s, the units compute %s "
		"GFLOP/s%s; the ridge is at %.3g operations per byte",
		sweep->name, session_number(session, rate),
		roofline_share_text(session, rate, memory),
		session_number(session, most),
		roofline_share_text(session, most, peak), most / rate);
	if (session->is_cpu)
		roofline_show_roof(sweep, roof->memory.rate * GIB * 1e-9,
			roof->peak.rate, CURVE_CEILING);
	else
		roofline_show_roof(sweep, memory, peak, CURVE_THEORY);
}

/* Add a curve of a fact (e.g. the clock) over the intensities, if known. */
static void roofline_show_load(const struct sweep *sweep, const char *family,
	const char *unit, const double *values)
{
	struct curve *curve;
	size_t i = 0;

	while (i < sweep->n && isnan(values[i]))
		i++;
	if (i == sweep->n)
		return;
	curve = sweep_derive(
		sweep, sweep->facts.family, family, unit, CURVE_AMOUNTS);
	if (!curve)
		return;
	memcpy(curve->median, values, sweep->n * sizeof(*values));
}

static void roofline_report_power(const struct sweep *sweep)
{
	const struct roofline_arrays *roof = sweep->context;
	double most_w = 0, most_each = 0;
	for (size_t i = 0; i < sweep->n; i++) {
		most_w = fmax(most_w, roof->power_w[i]);
		most_each = fmax(most_each,
			sweep_figure(sweep, i).median / roof->power_w[i]);
	}
	if (roof->power_w[0] > 0 && most_each > 0)
		session_add_finding(sweep->session,
			"%s: the device needs %.0f W at the lowest intensity "
			"and at most %.0f W; at best it computes %.3g GFLOP/s "
			"per W",
			sweep->name, roof->power_w[0], most_w, most_each);
}

static void roofline_measure(struct roofline_arrays *roof)
{
	struct session *session = roof->session;
	size_t mark = session_mark(session);
	struct sweep sweep = roofline_sweep(roof);
	size_t numbers;

	roofline_divide_elements(roof, &sweep);
	numbers = roof->bytes / roof->number;
	roof->a = session_buffer(session, roof->bytes);
	roof->b = session_buffer(session, roof->bytes);
	roof->out = session_buffer(
		session, roof->items * A_TURN * roof->lanes * roof->number);
	for (int k = 0; k < 2; k++)
		session_fill_numbers(session, k ? roof->b : roof->a, numbers,
			roof->is_double, roofline_number, &(bool){k});
	sweep.expected = (struct expected_words){.buffer = roof->out,
		.n = roof->items * A_TURN * roof->lanes,
		.number = roofline_expected_sum,
		.is_double = roof->is_double,
		.sampled = SAMPLE,
		.context = roof};
	roofline_open_kernel(roof, &sweep);
	ceiling_measure(session, &roof->memory);
	ceiling_measure(session, &roof->peak);
	if (session_ok(session) && sweep_run(&sweep, 1) == 0) {
		ceiling_record(session, &roof->memory,
			session_text(session, "%s, memory", sweep.name));
		ceiling_record(session, &roof->peak,
			session_text(session, "%s, arithmetic", sweep.name));
		roofline_report(&sweep);
		roofline_report_power(&sweep);
		roofline_show_load(
			&sweep, "clock of the cores", "GHz", roof->ghz);
		roofline_show_load(&sweep, "power", "W", roof->power_w);
		roofline_show_load(&sweep, "temperature", "°C", roof->celsius);
	}
	session_release(session, mark);
}

static void run_roofline(struct session *session)
{
	size_t types = session_has_double(session) ? 2 : 1;
	struct power_meter power = power_open(session);

	session->all = (double)types;
	for (size_t i = 0; i < types; i++) {
		size_t number = i ? sizeof(cl_double) : sizeof(cl_float);
		struct roofline_arrays roof = {.session = session,
			.is_double = i > 0,
			.number = number,
			.lanes = session->is_cpu ? LINE / number : 1,
			.bytes = roofline_array_bytes(session),
			.power = &power};

		for (size_t k = 0; k < SWEEP_MOST; k++)
			roof.ghz[k] = roof.power_w[k] = roof.celsius[k] = NAN;
		roof.memory = (struct ceiling){
			.what = NATIVE_READ, .bytes = 2 * roof.bytes};
		roof.peak = (struct ceiling){
			.what = i ? NATIVE_DOUBLE : NATIVE_FLOAT,
			.operation = ARCH_MAD};
		roofline_measure(&roof);
	}
	power_close(&power);
}

const struct test test_roofline = {
	.name = "roofline",
	.section = "gpu-roofline",
	.source = SOURCE_BENCHES "gpu-roofline",
	.published = {"--fine", "--work-group=256"},
	.set = GROUP_MEMORY,
	.summary = "rate of arithmetic by operations per byte",
	.takes = TAKES_WORK_GROUP | TAKES_FINE,
	.figures = {{.what = "fma of float, best",
		.family = "float",
		.members = {"fma"}}},
	.run = run_roofline,
};
