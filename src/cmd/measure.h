/*
 * The way of every measuring command: options, campaign, result, files, text.
 * A command adds its own options, names its probe and its labels.
 */
#ifndef C2C_CMD_MEASURE_H
#define C2C_CMD_MEASURE_H

#include <argp.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "engine/campaign.h"
#include "engine/summary.h"

/* JSON readers that keep numbers as doubles lose digits above it. */
#define MEASURE_SEED_MAX ((UINT64_C(1) << 53) - 1)

enum measure_pairs {
	MEASURE_ALL,
	MEASURE_PAIR,
	MEASURE_FROM
};

/* What the common options say, as parsed. */
struct measure_options {
	enum measure_pairs pairs;
	const char *pair_text; /* "A,B" or "A" */
	const char *cpus_text;
	bool cores;
	uint64_t passes_min, passes_max;
	bool passes_given, budget_given, seed_given;
	double precision; /* a share, not per cent */
	double budget_s;
	uint64_t jobs; /* 0 auto, SIZE_MAX max */
	const char *idle;
	uint64_t seed;
	const char **outputs;
	size_t n_outputs;
	bool json;
	int verbosity;
};

void measure_options_init(struct measure_options *options);
void measure_options_release(struct measure_options *options);

/* The parser of these options, for argp children; input: the struct. */
extern const struct argp measure_argp;

/* What a command measures. */
struct measure_plan {
	const char *command;
	const struct probe *probe;
	struct probe_params params; /* but for the clock's part */
	struct summary_labels labels;
	enum lines_home home;
	int home_node;
	size_t lines;
	json_t *options; /* the command's own part of "options"; borrowed */
};

/* Do it and print. Returns an enum exit_status. */
int measure_run(
	const struct measure_options *options, const struct measure_plan *plan);

#endif
