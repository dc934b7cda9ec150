/*
 * The options that all measuring commands share.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cli.h"
#include "cmd/measure/measure.h"
#include "util/parse.h"

/*
 * Six passes are the fewest that have a 95 % interval of the median. With
 * eight seconds of measuring a default run of 128 CPUs ends within ten.
 */
#define PASSES_MIN    6
#define PASSES_MAX    100000
#define PRECISION_PCT 2.0
#define BUDGET_S      8.0
#define BUDGET_MAX_S  (365.0 * 24 * 3600)

enum {
	KEY_ALL_PAIRS = 0x100,
	KEY_PAIR,
	KEY_FROM,
	KEY_CPUS,
	KEY_CORES,
	KEY_PER,
	KEY_PASSES,
	KEY_PRECISION,
	KEY_BUDGET,
	KEY_JOBS,
	KEY_IDLE,
	KEY_SEED,
	KEY_JSON,
	KEY_RESUME,
	KEY_KEEP_PASSES,
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
	{"per", KEY_PER, "core|llc|node|package", 0,
		"One CPU of every core, last-level cache, NUMA node or package",
		1},
	{"resume", KEY_RESUME, "FILE", 0,
		"Measure only the pairs that FILE, the record of a run that "
		"was interrupted, lacks; copy the others from it",
		1},
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
	{"keep-passes", KEY_KEEP_PASSES, NULL, 0,
		"Keep every pass in the record, not only what was made of them",
		4},
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
	outputs_release(&options->outputs);
}

static int parse_passes(
	struct measure_options *options, const char *text, struct error *err)
{
	const char *colon = strchr(text, ':');
	char *first =
		colon ? strndup(text, (size_t)(colon - text)) : strdup(text);
	int rc;

	if (colon == text || (colon && !colon[1])) {
		free(first);
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' has nothing on one side of the colon (write for "
			"instance 20 or 20:100)",
			text);
	}
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
	rc = parse_u64(colon + 1, 1, PASSES_MAX, &options->passes_max, err);
	if (rc == 0 && options->passes_max < options->passes_min)
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' has a MAX below its MIN", text);
	return rc;
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

static int parse_per(
	struct measure_options *options, const char *text, struct error *err)
{
	static const struct {
		const char *name;
		enum machine_per per;
	} rows[] = {
		{"core", MACHINE_PER_CORE},
		{"llc", MACHINE_PER_LLC},
		{"node", MACHINE_PER_NODE},
		{"package", MACHINE_PER_PACKAGE},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (strcmp(rows[i].name, text) == 0) {
			options->per = rows[i].per;
			return 0;
		}
	}
	return error_set(err, ERROR_USAGE, EINVAL,
		"'%s' is none of core, llc, node, package", text);
}

static int parse_precision(
	struct measure_options *options, const char *text, struct error *err)
{
	int rc = parse_double(text, 0.01, 100, &options->precision, err);

	if (rc == 0)
		options->precision /= 100;
	return rc;
}

/* Whether the complete record goes anywhere. */
static bool has_record(const struct measure_options *options)
{
	for (size_t i = 0; i < options->outputs.n; i++) {
		if (output_is_json(options->outputs.paths[i]))
			return true;
	}
	return options->json;
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
		options->per = MACHINE_PER_CORE;
		return 0;
	case KEY_PER:
		name = "--per";
		rc = parse_per(options, argument, &err);
		break;
	case KEY_RESUME:
		options->resume = argument;
		return 0;
	case KEY_JSON:
		options->json = true;
		return 0;
	case KEY_KEEP_PASSES:
		options->keep_passes = true;
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
		rc = parse_u64(
			argument, 0, MEASURE_SEED_MAX, &options->seed, &err);
		break;
	case 'o':
		name = "-o";
		rc = outputs_add(&options->outputs, argument,
			OUTPUT_RESULT | OUTPUT_PICTURE, &err);
		break;
	case ARGP_KEY_END:
		if (options->pairs == MEASURE_PAIR &&
			(options->cpus_text || options->per != MACHINE_PER_PU))
			argp_error(state,
				"--pair names its CPUs itself: leave --cpus, "
				"--cores and --per out");
		if (options->keep_passes && !has_record(options))
			argp_error(state,
				"--keep-passes: only the complete record holds "
				"passes: add -o FILE.json or --json");
		return 0;
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
