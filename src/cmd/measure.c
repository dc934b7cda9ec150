#include "cmd/measure.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "cmd/cli.h"
#include "commands.h"
#include "engine/progress.h"
#include "machine/timebase.h"
#include "plot/plot.h"
#include "result/describe.h"
#include "result/file.h"
#include "util/parse.h"

/*
 * Six passes are the fewest that have a 95 % interval of the median. A run
 * that is done sooner goes on for a second, since virtual CPUs that move do
 * so within seconds. With eight seconds of measuring a default run of 128
 * CPUs ends within ten.
 */
#define PASSES_MIN    6
#define PASSES_MAX    100000
#define PRECISION_PCT 2.0
#define BUDGET_S      8.0
#define LEAST_S	      1.0
#define BUDGET_MAX_S  (365.0 * 24 * 3600)

/* A step may take this long, and this long for each of its round trips. */
#define PATIENCE_S	      2.0
#define PATIENCE_ROUND_TRIP_S 1e-5

/* Passes from which the synchrony of counters is judged. */
#define COUNTER_PASSES 5

enum {
	KEY_ALL_PAIRS = 0x100,
	KEY_PAIR,
	KEY_FROM,
	KEY_CPUS,
	KEY_CORES,
	KEY_PASSES,
	KEY_PRECISION,
	KEY_BUDGET,
	KEY_JOBS,
	KEY_IDLE,
	KEY_SEED,
	KEY_JSON,
};

static const struct argp_option option_table[] = {
	{NULL, 0, NULL, 0, "What to measure:", 1},
	{"all-pairs", KEY_ALL_PAIRS, NULL, 0,
		"Every two of the CPUs (the default)", 1},
	{"pair", KEY_PAIR, "A,B", 0, "CPUs A and B only", 1},
	{"from", KEY_FROM, "A", 0, "CPU A with each of the others", 1},
	{"cpus", KEY_CPUS, "LIST", 0,
		"Only these CPUs: numbers and ranges (0-3,8) or hwloc objects "
		"(core:0-3, numa:0, package:1, l3:0)",
		1},
	{"cores", KEY_CORES, NULL, 0, "One CPU of every core", 1},
	{NULL, 0, NULL, 0, "How long and how:", 3},
	{"passes", KEY_PASSES, "MIN[:MAX]", 0,
		"Passes over all pairs (default 6:100000); without --budget, "
		"MIN passes are made however long they take",
		3},
	{"precision", KEY_PRECISION, "PCT", 0,
		"End when every pair's 95 % interval is within PCT per cent of "
		"its median (default 2), but not in under a second",
		3},
	{"budget", KEY_BUDGET, "SECONDS", 0,
		"End after so long, precise or not; the first pass is always "
		"finished (default 8)",
		3},
	{"jobs", KEY_JOBS, "N|max|auto", 0,
		"Pairs measured at the same time: N, as many as there are, or "
		"the most whose measured bias stays under 2 per cent (default "
		"1)",
		3},
	{"idle", KEY_IDLE, "park|spin|auto", 0,
		"CPUs that wait sleep, or spin with the relax hint; auto spins "
		"under a hypervisor and parks on bare metal (default auto)",
		3},
	{"seed", KEY_SEED, "N", 0,
		"Seed of the random order (default: drawn, and recorded)", 3},
	{NULL, 0, NULL, 0, "Output:", 4},
	{"output", 'o', "FILE", 0,
		"Write FILE, by extension: .json .dat .csv, or a picture .png "
		".svg .pdf; may be given more than once",
		4},
	{"json", KEY_JSON, NULL, 0,
		"Print the complete record as JSON instead of the matrix", 4},
	{0},
};

void measure_options_init(struct measure_options *options)
{
	*options = (struct measure_options){
		.passes_min = PASSES_MIN,
		.passes_max = PASSES_MAX,
		.precision = PRECISION_PCT / 100,
		.budget_s = BUDGET_S,
		.jobs = 1,
		.idle = "auto",
	};
}

void measure_options_release(struct measure_options *options)
{
	free(options->outputs);
	options->outputs = NULL;
	options->n_outputs = 0;
}

static int parse_passes(
	struct measure_options *options, const char *text, struct error *err)
{
	const char *colon = strchr(text, ':');
	char *first =
		colon ? strndup(text, (size_t)(colon - text)) : strdup(text);
	int rc;

	if (!first)
		return error_no_memory(err, "--passes");
	rc = parse_u64(first, 1, PASSES_MAX, &options->passes_min, err);
	free(first);
	if (rc < 0)
		return rc;
	options->passes_given = true;
	if (!colon) {
		if (options->passes_max < options->passes_min)
			options->passes_max = options->passes_min;
		return 0;
	}
	return parse_u64(colon + 1, options->passes_min, PASSES_MAX,
		&options->passes_max, err);
}

static int parse_jobs(
	struct measure_options *options, const char *text, struct error *err)
{
	if (strcmp(text, "auto") == 0)
		options->jobs = 0;
	else if (strcmp(text, "max") == 0)
		options->jobs = SIZE_MAX;
	else if (parse_u64(text, 1, CPU_LIST_MAX_CPU, &options->jobs, err) < 0)
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' is neither a number of pairs nor max nor auto",
			text);
	return 0;
}

static int parse_idle(
	struct measure_options *options, const char *text, struct error *err)
{
	if (strcmp(text, "park") != 0 && strcmp(text, "spin") != 0 &&
		strcmp(text, "auto") != 0)
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' is none of park, spin, auto", text);
	options->idle = text;
	return 0;
}

static int parse_precision(
	struct measure_options *options, const char *text, struct error *err)
{
	int rc = parse_double(text, 0.01, 100, &options->precision, err);

	if (rc == 0)
		options->precision /= 100;
	return rc;
}

static int parse_output(
	struct measure_options *options, const char *path, struct error *err)
{
	const char **outputs;
	enum file_format format;

	if (!plot_is_picture(path)) {
		int rc = file_format_of(path, &format, err);

		if (rc < 0)
			return rc;
	}
	for (size_t i = 0; i < options->n_outputs; i++) {
		if (file_same(options->outputs[i], path))
			return error_set(err, ERROR_USAGE, EINVAL,
				"'%s' is given twice", path);
	}
	outputs = reallocarray(
		options->outputs, options->n_outputs + 1, sizeof(*outputs));
	if (!outputs)
		return error_no_memory(err, "the outputs");
	options->outputs = outputs;
	outputs[options->n_outputs++] = path;
	return 0;
}

static void choose_pairs(
	struct argp_state *state, enum measure_pairs pairs, const char *text)
{
	struct measure_options *options = state->input;

	if (options->pairs != MEASURE_ALL)
		argp_error(state, "--pair and --from exclude each other and "
				  "are given once");
	options->pairs = pairs;
	options->pair_text = text;
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct measure_options *options = state->input;
	struct error err;
	const char *name = NULL;
	int rc = 0;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->verbosity;
		return 0;
	case KEY_ALL_PAIRS:
		return 0;
	case KEY_PAIR:
		choose_pairs(state, MEASURE_PAIR, argument);
		return 0;
	case KEY_FROM:
		choose_pairs(state, MEASURE_FROM, argument);
		return 0;
	case KEY_CPUS:
		options->cpus_text = argument;
		return 0;
	case KEY_CORES:
		options->cores = true;
		return 0;
	case KEY_JSON:
		options->json = true;
		return 0;
	case KEY_PASSES:
		name = "--passes";
		rc = parse_passes(options, argument, &err);
		break;
	case KEY_PRECISION:
		name = "--precision";
		rc = parse_precision(options, argument, &err);
		break;
	case KEY_BUDGET:
		name = "--budget";
		options->budget_given = true;
		rc = parse_double(
			argument, 0, BUDGET_MAX_S, &options->budget_s, &err);
		break;
	case KEY_JOBS:
		name = "--jobs";
		rc = parse_jobs(options, argument, &err);
		break;
	case KEY_IDLE:
		name = "--idle";
		rc = parse_idle(options, argument, &err);
		break;
	case KEY_SEED:
		name = "--seed";
		options->seed_given = true;
		/* JSON integers are signed. */
		rc = parse_u64(argument, 0, INT64_MAX, &options->seed, &err);
		break;
	case 'o':
		name = "-o";
		rc = parse_output(options, argument, &err);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	if (rc < 0)
		argp_error(state, "%s: %s", name, err.text);
	return 0;
}

static const struct argp_child verbosity_child[] = {
	{&cli_verbosity_argp, 0, NULL, 0}, {0}};

const struct argp measure_argp = {
	option_table, parse_option, NULL, NULL, verbosity_child, NULL, NULL};

/* One run of a measuring command, from its options to its output. */
struct run {
	const struct measure_options *options;
	const struct measure_plan *plan;
	struct machine *machine;
	struct timebase timebase;
	struct cpu_list cpus;
	struct pair *pairs; /* NULL: all */
	size_t n_pairs;
	uint64_t seed;
	bool spin;
	bool show_progress;
	struct campaign campaign;
	struct summary_agreement agreement;
	struct result result;
};

static int list_pairs(struct run *run, unsigned a, struct error *err)
{
	uint32_t first = (uint32_t)cpu_list_find(&run->cpus, a);

	run->pairs = calloc(run->cpus.n, sizeof(*run->pairs));
	if (!run->pairs)
		return error_no_memory(err, "the pairs");
	for (uint32_t i = 0; i < run->cpus.n; i++) {
		if (i != first)
			run->pairs[run->n_pairs++] = (struct pair){first, i};
	}
	return 0;
}

/* --pair A,B: the two are the matrix. */
static int select_pair(struct run *run, struct error *err)
{
	const char *text = run->options->pair_text;
	int rc = machine_select(run->machine, text, false, &run->cpus, err);

	if (rc == 0 && run->cpus.n != 2)
		rc = error_set(err, ERROR_USAGE, EINVAL,
			"'%s' names %zu CPU%s; two different ones make a pair "
			"(write for instance 0,1)",
			text, run->cpus.n, run->cpus.n == 1 ? "" : "s");
	if (rc == 0)
		rc = list_pairs(run, run->cpus.cpus[0], err);
	if (rc < 0)
		error_prefix(err, "--pair");
	return rc;
}

/* --from A: A, which --cpus need not name, with each of the CPUs. */
static int select_from(struct run *run, struct error *err)
{
	const char *text = run->options->pair_text;
	struct cpu_list one = {NULL, 0};
	int rc = machine_select(run->machine, text, false, &one, err);

	if (rc == 0 && one.n != 1)
		rc = error_set(err, ERROR_USAGE, EINVAL,
			"'%s' names %zu CPUs; one was expected", text, one.n);
	if (rc < 0)
		error_prefix(err, "--from");
	if (rc == 0 && cpu_list_find(&run->cpus, one.cpus[0]) < 0)
		rc = cpu_list_add(&run->cpus, one.cpus[0], err);
	if (rc == 0 && run->cpus.n >= 2)
		rc = list_pairs(run, one.cpus[0], err);
	cpu_list_release(&one);
	return rc;
}

static int select_cpus(struct run *run, struct error *err)
{
	const struct measure_options *options = run->options;
	const struct machine_facts *facts = machine_facts(run->machine);
	int rc;

	if (facts->allowed.n < 2)
		return error_set(err, ERROR_UNAVAILABLE, ENODEV,
			"this process may use one CPU only, and a pair needs "
			"two; 'c2c info' says why (cpuset, affinity, offline "
			"CPUs)");
	if (options->pairs == MEASURE_PAIR)
		return select_pair(run, err);
	rc = machine_select(run->machine, options->cpus_text, options->cores,
		&run->cpus, err);
	if (rc < 0) {
		error_prefix(err, "--cpus");
		return rc;
	}
	if (options->pairs == MEASURE_FROM) {
		rc = select_from(run, err);
		if (rc < 0)
			return rc;
	}
	if (run->cpus.n >= 2)
		return 0;
	if (options->cpus_text)
		return error_set(err, ERROR_USAGE, EINVAL,
			"--cpus: '%s' leaves one CPU, and a pair needs two",
			options->cpus_text);
	return error_set(err, ERROR_UNAVAILABLE, ENODEV,
		"--cores leaves one CPU, and a pair needs two");
}

static int check_outputs(const struct run *run, struct error *err)
{
	for (size_t i = 0; i < run->options->n_outputs; i++) {
		int rc = file_check_writable(run->options->outputs[i], err);

		if (rc < 0) {
			error_prefix(err, "-o");
			return rc;
		}
	}
	return 0;
}

static int prepare(struct run *run, struct error *err)
{
	int rc = check_outputs(run, err);

	if (rc == 0)
		rc = machine_new(&run->machine, err);
	if (rc == 0)
		rc = select_cpus(run, err);
	if (rc < 0)
		return rc;
	timebase_init(&run->timebase);
	run->seed = run->options->seed;
	if (!run->options->seed_given) {
		if (getrandom(&run->seed, sizeof(run->seed), GRND_NONBLOCK) < 0)
			run->seed = timebase_raw_ns();
		run->seed &= INT64_MAX;
	}
	run->spin = strcmp(run->options->idle, "spin") == 0 ||
		    (strcmp(run->options->idle, "auto") == 0 &&
			    machine_facts(run->machine)->hypervisor);
	run->show_progress =
		run->options->verbosity >= 0 && isatty(STDERR_FILENO);
	return 0;
}

static void show_progress(
	void *context, const struct campaign_progress *progress)
{
	(void)context;
	progress_draw(stderr, plot_terminal_of(stderr).columns, progress);
}

static struct campaign_options campaign_options(
	const struct run *run, const atomic_bool *stop)
{
	const struct measure_options *options = run->options;
	const struct measure_plan *plan = run->plan;
	struct campaign_options out = {
		.machine = run->machine,
		.cpus = &run->cpus,
		.probe = plan->probe,
		.params = plan->params,
		.pairs = run->pairs,
		.n_pairs = run->n_pairs,
		.jobs = options->jobs,
		.idle = run->spin ? CREW_SPIN : CREW_PARK,
		.home = plan->home,
		.home_node = plan->home_node,
		.lines = plan->lines,
		.seed = run->seed,
		.passes_min = options->passes_min,
		.passes_max = options->passes_max,
		.precision = options->precision,
		.budget_s = options->budget_s,
		.least_s = LEAST_S,
		.patience_s = PATIENCE_S + PATIENCE_ROUND_TRIP_S *
						   plan->params.samples *
						   plan->params.round_trips,
		.stop = stop,
		.progress = run->show_progress ? show_progress : NULL,
	};

	out.params.counter = run->timebase.counter;
	out.params.ns_per_tick = 1e9 / run->timebase.hz;
	/* Who asks for passes gets them, however long they take. */
	if (options->passes_given && !options->budget_given)
		out.budget_s = INFINITY;
	if (options->passes_given)
		out.least_s = 0;
	return out;
}

/* A few passes over all pairs, only to see whether counters agree. */
static int check_counters(const struct run *run,
	struct campaign_options options, struct error *err)
{
	struct campaign campaign;
	int rc;

	if (!run->timebase.counter)
		return error_set(err, ERROR_UNAVAILABLE, ENOTSUP,
			"method %s needs a counter that all CPUs share; this "
			"machine has none that is invariant (clock source "
			"here: %s)",
			run->plan->probe->name, run->timebase.source);
	options.passes_min = COUNTER_PASSES;
	options.passes_max = COUNTER_PASSES;
	options.budget_s = INFINITY;
	options.progress = NULL;
	rc = campaign_run(&campaign, &options, err);
	if (rc < 0)
		return rc;
	rc = campaign_check_counters(&campaign, err);
	campaign_release(&campaign);
	return rc;
}

static json_t *number_or_null(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *describe_options(const struct run *run)
{
	static const char *const pairs[] = {"all", "pair", "from"};
	const struct measure_options *options = run->options;
	const struct campaign_options *used = &run->campaign.options;
	json_t *object = json_pack(
		"{s:s, s:s?, s:s?, s:b, s:I, s:I, s:f, s:o, s:I, s:s, s:I}",
		"pairs", pairs[options->pairs], "pair", options->pair_text,
		"cpus", options->cpus_text, "cores", options->cores,
		"passes_min", (json_int_t)used->passes_min, "passes_max",
		(json_int_t)used->passes_max, "precision_pct",
		used->precision * 100, "budget_s",
		number_or_null(used->budget_s), "jobs",
		(json_int_t)run->campaign.jobs, "idle",
		run->spin ? "spin" : "park", "seed", (json_int_t)run->seed);

	if (!object)
		return NULL;
	json_object_update(object, run->plan->options);
	json_object_set_new(
		object, "lines", json_integer((json_int_t)used->lines));
	return object;
}

static json_t *describe_run(const struct run *run)
{
	const struct campaign *campaign = &run->campaign;
	json_t *warnings = json_array();

	for (size_t i = 0; i < campaign->n_warnings; i++)
		json_array_append_new(
			warnings, json_string(campaign->warnings[i]));
	return json_pack("{s:I, s:I, s:I, s:o, s:b, s:{s:s, s:o, s:o}, s:o}",
		"pairs", (json_int_t)campaign->schedule.n_pairs, "passes",
		(json_int_t)campaign->n_complete, "jobs",
		(json_int_t)campaign->jobs, "jobs_bias",
		number_or_null(campaign->jobs_bias), "memory_bound",
		campaign->memory_bound, "agreement", "statistic", "spearman",
		"even_odd", number_or_null(run->agreement.even_odd), "halves",
		number_or_null(run->agreement.halves), "warnings", warnings);
}

static int fill_result(struct run *run, const char *started, struct error *err)
{
	struct result *result = &run->result;
	int rc = 0;

	for (size_t i = 0; i < run->cpus.n && rc == 0; i++)
		rc = cpu_list_add(&result->cpus, run->cpus.cpus[i], err);
	if (rc < 0)
		return rc;
	result->command = strdup(run->plan->command);
	result->started = strdup(started);
	result->elapsed_s = run->campaign.elapsed_s;
	result->complete = run->campaign.complete;
	result->tool = describe_tool();
	result->machine = describe_machine(run->machine, &run->timebase);
	result->options = describe_options(run);
	result->run = describe_run(run);
	result->hwloc_xml = machine_export_xml(run->machine);
	if (!result->command || !result->started || !result->tool ||
		!result->machine || !result->options || !result->run)
		return error_no_memory(err, "the result");
	return summary_matrices(
		&run->campaign, &run->plan->labels, result, err);
}

/* What only the whole run can tell, beside what its values tell. */
static void suspect_run(struct run *run, double stolen_s)
{
	struct campaign *campaign = &run->campaign;
	double cpu_s =
		campaign->elapsed_s * machine_facts(run->machine)->cpus_online;
	double drift = timebase_drift(&run->timebase);

	if (!campaign->memory_bound)
		campaign_warn(campaign,
			"the lines could not be bound to their NUMA node: "
			"--home had no effect (containers refuse it; "
			"CAP_SYS_NICE allows it)");
	if (stolen_s > 0.005 * cpu_s)
		campaign_warn(campaign,
			"the hypervisor took %.1f %% of the CPUs' time for "
			"others during the run",
			100 * stolen_s / cpu_s);
	if (run->timebase.counter && fabs(drift) > 1e-3)
		campaign_warn(campaign,
			"the counter ran %.2g %% off its calibrated rate "
			"during the run; C2C_CLOCK=clock uses the system's "
			"clock instead",
			100 * drift);
}

static int save_one(const struct run *run, const char *path, struct error *err)
{
	struct plot_options plot;

	if (!plot_is_picture(path))
		return result_save(&run->result, path, err);
	plot_options_init(&plot);
	return plot_file(&run->result, &plot, path, err);
}

/*
 * A data file that could not be written must not cost the measurement: keep
 * the record where temporary files go.
 */
static void rescue(const struct run *run)
{
	const char *folder = getenv("TMPDIR");
	struct error err;
	char path[4096];

	snprintf(path, sizeof(path), "%s/c2c-%s-%ld.json",
		folder && *folder ? folder : "/tmp", run->plan->command,
		(long)getpid());
	if (result_save(&run->result, path, &err) == 0)
		fprintf(stderr, "c2c %s: the complete record was saved as %s\n",
			run->plan->command, path);
}

static int save_outputs(const struct run *run)
{
	int status = STATUS_DONE;
	bool saved = false;

	for (size_t i = 0; i < run->options->n_outputs; i++) {
		const char *path = run->options->outputs[i];
		struct error err;

		if (save_one(run, path, &err) == 0) {
			saved = saved || !plot_is_picture(path);
			continue;
		}
		error_prefix(&err, "-o");
		status = cli_fail(run->plan->command, &err);
	}
	if (status != STATUS_DONE && !saved)
		rescue(run);
	return status;
}

static void print_summary(const struct run *run)
{
	const struct matrix *matrix =
		result_find_matrix(&run->result, NULL, "median");
	const struct cpu_list *cpus = &run->cpus;
	size_t n = cpus->n, found = 0, low = 0, high = 0;
	double *values = matrix ? calloc(n * n, sizeof(*values)) : NULL;

	if (!values)
		return;
	for (size_t i = 0; i < n * n; i++) {
		/* Each pair of a symmetric matrix once. */
		if (isnan(matrix->values[i]) ||
			(matrix->symmetric && i / n >= i % n))
			continue;
		if (!found || matrix->values[i] < matrix->values[low])
			low = i;
		if (!found || matrix->values[i] > matrix->values[high])
			high = i;
		values[found++] = matrix->values[i];
	}
	if (found)
		printf("\nminimum %.4g %s (CPUs %u and %u), median %.4g, "
		       "maximum %.4g (CPUs %u and %u)\n",
			matrix->values[low], matrix->unit, cpus->cpus[low / n],
			cpus->cpus[low % n], stat_median(values, found),
			matrix->values[high], cpus->cpus[high / n],
			cpus->cpus[high % n]);
	free(values);
	printf("%s, median of %zu passes over %zu pair%s in %.1f s",
		matrix->quantity ? matrix->quantity : matrix->name,
		run->campaign.n_complete, run->campaign.schedule.n_pairs,
		run->campaign.schedule.n_pairs == 1 ? "" : "s",
		run->campaign.elapsed_s);
	if (run->campaign.jobs > 1)
		printf(", %zu pairs together (bias %+.1f %%)",
			run->campaign.jobs, 100 * run->campaign.jobs_bias);
	if (!isnan(run->agreement.even_odd))
		printf("; passes agree at %.2f (even, odd) and %.2f (halves)",
			run->agreement.even_odd, run->agreement.halves);
	putchar('\n');
}

static int print_text(const struct run *run, struct error *err)
{
	struct plot_terminal terminal = plot_terminal_of(stdout);
	struct plot_options plot;
	int rc;

	plot_options_init(&plot);
	rc = plot_text(&run->result, &plot, &terminal, stdout, err);
	if (rc == 0)
		print_summary(run);
	return rc;
}

static int print_result(const struct run *run)
{
	struct error err;
	int rc = run->options->json
			 ? result_write_json(&run->result, stdout, &err)
			 : print_text(run, &err);

	if (rc < 0)
		return cli_fail(run->plan->command, &err);
	for (size_t i = 0; i < run->campaign.n_warnings; i++) {
		if (run->options->verbosity >= 0)
			cli_warn(run->plan->command, "%s",
				run->campaign.warnings[i]);
	}
	return STATUS_DONE;
}

static void tell(const struct run *run)
{
	char *cpus;

	if (run->options->verbosity < 1)
		return;
	cpus = cpu_list_format(&run->cpus);
	fprintf(stderr,
		"c2c %s: method %s on CPUs %s; clock %s at %.6g MHz; idle CPUs "
		"%s; seed %" PRIu64 "\n",
		run->plan->command, run->plan->probe->name, cpus ? cpus : "?",
		run->timebase.source, run->timebase.hz / 1e6,
		run->spin ? "spin" : "park", run->seed);
	free(cpus);
}

static int execute(struct run *run, struct error *err)
{
	const atomic_bool *stop = cli_catch_signals();
	struct campaign_options options = campaign_options(run, stop);
	double stolen_s = machine_stolen_s();
	time_t now = time(NULL);
	char started[32];
	struct tm utc;
	int rc = 0;

	strftime(started, sizeof(started), "%Y-%m-%dT%H:%M:%SZ",
		gmtime_r(&now, &utc));
	if (run->plan->probe->needs_synchronous_counters)
		rc = check_counters(run, options, err);
	if (rc == 0)
		rc = campaign_run(&run->campaign, &options, err);
	/* All else that a user may ask for was checked before. */
	if (rc < 0 && err->class == ERROR_USAGE)
		error_prefix(err, "--home");
	if (run->show_progress)
		progress_clear(stderr);
	if (rc < 0)
		return rc;
	stolen_s = stolen_s < 0 ? -1 : machine_stolen_s() - stolen_s;
	rc = summary_agree(&run->campaign, &run->agreement, err);
	if (rc < 0)
		return rc;
	suspect_run(run, stolen_s);
	rc = summary_suspect(
		&run->campaign, &run->agreement, &run->plan->labels, err);
	if (rc < 0)
		return rc;
	return fill_result(run, started, err);
}

static void release(struct run *run)
{
	result_release(&run->result);
	campaign_release(&run->campaign);
	free(run->pairs);
	cpu_list_release(&run->cpus);
	machine_free(run->machine);
}

/* The exit status of a run whose result is on its way out. */
static int run_status(const struct run *run, int printed, int saved)
{
	if (run->campaign.interrupted)
		return STATUS_INTERRUPTED;
	if (!run->campaign.complete)
		return STATUS_FAILED;
	return saved != STATUS_DONE ? saved : printed;
}

int measure_run(
	const struct measure_options *options, const struct measure_plan *plan)
{
	struct run run = {.options = options, .plan = plan};
	struct error err;
	int status, printed, saved;

	result_init(&run.result);
	if (prepare(&run, &err) < 0) {
		status = cli_fail(plan->command, &err);
		release(&run);
		return status;
	}
	tell(&run);
	if (execute(&run, &err) < 0) {
		status = cli_fail(plan->command, &err);
		if (err.code == EINTR)
			status = STATUS_INTERRUPTED;
		release(&run);
		return status;
	}
	printed = print_result(&run);
	saved = save_outputs(&run);
	status = run_status(&run, printed, saved);
	release(&run);
	return status;
}
