/*
 * c2c compare: arguments and functions for two files and for a fleet. Private
 * to src/cmd/compare.
 */
#ifndef C2C_CMD_COMPARE_H
#define C2C_CMD_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "cmd/compare/compare_threshold.h"
#include "cmd/input_records.h"
#include "cmd/outputs.h"
#include "cmd/unit_option.h"
#include "result/comparison.h"
#include "util/arena.h"
#include "util/error.h"

struct compare_arguments {
	struct inputs inputs;
	struct options_given given;
	struct outputs outputs;
	struct unit_choice unit;
	struct threshold threshold;
	bool by_level, json;
	int verbosity;
};

/* The files of the command line: files[0] is the reference. */
struct compare_task {
	const struct compare_arguments *arguments;
	struct compared_file *files; /* [n] */
	size_t n;
	struct input_records records[2]; /* records of two files */
	int status;
};

/* compare_fleet.c: compare, rank and judge more than two files. */
int compare_fleet(
	struct compare_task *task, struct arena *arena, struct error *err);

/* Warn if the reference is incomplete, or of vCPUs that move. */
void compare_warn_of_reference(const struct compare_task *task, bool decided);

#endif
