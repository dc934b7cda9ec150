/*
 * c2c latency: how long does one cache line take between every two CPUs?
 */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cli.h"
#include "cmd/measure/measure.h"
#include "commands.h"
#include "machine/machine.h"
#include "util/parse.h"

/* Defaults, and the bounds within which a number makes sense. */
#define ROUND_TRIPS	50
#define ROUND_TRIPS_MAX 1000000
#define SAMPLES		9
#define SAMPLES_MAX	10000
#define WARM_UP		4
/* A visit of 10^8 round trips takes tens of seconds: nobody wants more. */
#define VISIT_MAX 100000000
#define LINES	  1024
#define LINES_MAX (1 << 20)

struct latency_options {
	struct measure_options measure;
	const struct probe *probe;
	uint64_t round_trips, samples, lines;
	enum lines_home home;
	uint64_t home_node;
	const char *home_text;
	bool round_trip;
	bool relax;
};

enum {
	KEY_METHOD = 0x200,
	KEY_ROUND_TRIPS,
	KEY_SAMPLES,
	KEY_HOME,
	KEY_LINES,
	KEY_ROUND_TRIP,
	KEY_RELAX,
};

static const struct argp_option option_table[] = {
	{NULL, 0, NULL, 0, "Method:", 2},
	{"method", KEY_METHOD, "line|cas|two-line|one-way", 0,
		"How a message travels: one word in one line, by loads and "
		"stores (line, the default) or by compare-and-swap (cas); a "
		"line for each direction (two-line); time-stamped messages, "
		"both directions reported apart (one-way)",
		2},
	{"round-trips", KEY_ROUND_TRIPS, "N", 0,
		"Round trips that a sample is timed over (default 50)", 2},
	{"samples", KEY_SAMPLES, "N", 0,
		"Samples of a pair in a pass, whose median counts (default 9)",
		2},
	{"home", KEY_HOME, "first|second|node:N|interleave", 0,
		"NUMA node that the lines lie on: that of a pair's first CPU "
		"(default), of its second, node N, or all in turn",
		2},
	{"lines", KEY_LINES, "N", 0,
		"Different cache lines on each node that samples take turns "
		"on (default 1024)",
		2},
	{"relax", KEY_RELAX, "none|pause", 0,
		"Wait for the partner in a bare loop (none, the default) or "
		"with the CPU's spin-wait hint (pause)",
		2},
	{"round-trip", KEY_ROUND_TRIP, NULL, 0,
		"Report round trips instead of one way", 2},
	{0},
};

/* Parse a count or end with argp's usage error. */
static uint64_t parse_count(struct argp_state *state, const char *option,
	const char *text, uint64_t max)
{
	struct error err;
	uint64_t value = 0;

	if (parse_u64(text, 1, max, &value, &err) < 0)
		argp_error(state, "%s: %s", option, err.text);
	return value;
}

static void parse_home(
	struct argp_state *state, const char *text, struct latency_options *out)
{
	struct error err;

	out->home_text = text;
	if (lines_home_parse(text, &out->home, &out->home_node, &err) < 0)
		argp_error(state, "--home: %s", err.text);
}

static void parse_method(
	struct argp_state *state, const char *text, struct latency_options *out)
{
	const struct probe *probe = probe_find(text);

	if (!probe)
		argp_error(state,
			"--method: '%s' is none of line, cas, two-line, "
			"one-way",
			text);
	out->probe = probe;
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct latency_options *options = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->measure;
		return 0;
	case KEY_METHOD:
		parse_method(state, argument, options);
		return 0;
	case KEY_ROUND_TRIPS:
		options->round_trips = parse_count(
			state, "--round-trips", argument, ROUND_TRIPS_MAX);
		return 0;
	case KEY_SAMPLES:
		options->samples =
			parse_count(state, "--samples", argument, SAMPLES_MAX);
		return 0;
	case KEY_LINES:
		options->lines =
			parse_count(state, "--lines", argument, LINES_MAX);
		return 0;
	case KEY_HOME:
		parse_home(state, argument, options);
		return 0;
	case KEY_RELAX:
		if (strcmp(argument, "pause") != 0 &&
			strcmp(argument, "none") != 0)
			argp_error(state,
				"--relax: '%s' is none of none, pause",
				argument);
		options->relax = strcmp(argument, "pause") == 0;
		return 0;
	case KEY_ROUND_TRIP:
		options->round_trip = true;
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "unexpected argument '%s'", argument);
		return 0;
	case ARGP_KEY_END:
		if (options->round_trips * options->samples > VISIT_MAX)
			argp_error(state,
				"--round-trips times --samples is more than %d",
				VISIT_MAX);
		if (options->probe->needs_synchronous_counters &&
			options->round_trip)
			argp_error(state,
				"--round-trip: method %s reports each "
				"direction by itself",
				options->probe->name);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int latency_run(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{&measure_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {option_table, parse_option, NULL,
		"Measure how long one cache line takes between every two CPUs.",
		children, NULL, NULL};
	struct latency_options options = {
		.probe = latency_probes[0],
		.round_trips = ROUND_TRIPS,
		.samples = SAMPLES,
		.lines = LINES,
		.home = LINES_HOME_FIRST,
		.home_text = "first",
	};
	struct measure_plan plan = {
		.command = "latency",
		.pages = MEMORY_PAGES_BASE,
	};
	int status;

	measure_options_init(&options.measure);
	status = cli_parse("latency", &argp, argc, argv, &options);
	if (status != STATUS_DONE)
		return status;

	plan.probe = options.probe;
	plan.params.round_trips = (uint32_t)options.round_trips;
	plan.params.samples = (uint32_t)options.samples;
	plan.params.warm_up = WARM_UP;
	plan.params.relax = options.relax;
	plan.labels = (struct summary_labels){
		.name = {"latency", NULL},
		.unit = "ns",
		.quantity = options.round_trip ? "round-trip" : "one-way",
		.factor = options.round_trip ? 2 : 1,
		.noun = "pair",
	};
	plan.home = options.home;
	plan.home_node = (int)options.home_node;
	plan.lines = options.lines;
	plan.options = json_pack("{s:s, s:I, s:I, s:I, s:s, s:I, s:s, s:b}",
		"method", options.probe->name, "round_trips",
		(json_int_t)options.round_trips, "samples",
		(json_int_t)options.samples, "warm_up", (json_int_t)WARM_UP,
		"home", options.home_text, "lines", (json_int_t)options.lines,
		"relax", options.relax ? "pause" : "none", "round_trip",
		options.round_trip);
	status = measure_run(&options.measure, &plan);
	json_decref(plan.options);
	measure_options_release(&options.measure);
	return status;
}

extern const struct command cmd_latency;
const struct command cmd_latency = {
	.name = "latency",
	.summary = "Cache-line latency between every two CPUs",
	.run = latency_run,
};
