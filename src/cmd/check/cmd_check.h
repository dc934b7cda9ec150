/* The interface between the files of c2c check. */
#ifndef C2C_CMD_CHECK_H
#define C2C_CMD_CHECK_H

#include <stdbool.h>
#include <stdio.h>

#include "analyze/analyze.h"
#include "cmd/option.h"
#include "cmd/outputs.h"
#include "machine/machine.h"
#include "result/machine_check.h"
#include "result/result.h"

enum check_format {
	CHECK_AS_TEXT,
	CHECK_AS_JSON,
	CHECK_AS_JUNIT,
	CHECK_AS_TAP,
	CHECK_AS_MARKDOWN,
	CHECK_AS_PROMETHEUS,
};

struct check_arguments {
	struct inputs inputs;
	struct options_given given;
	struct outputs outputs;
	const char *cpus, *like;
	int share; /* which of core|llc|node|package */
	bool isolated, quiet_cpus;
	double threshold_pct;
	int format; /* enum check_format */
	int verbosity;
};

/* The subject of a check: a record, its analysis, its topology. */
struct check_task {
	const struct check_arguments *arguments;
	struct result result;
	bool has_result;
	struct result reference; /* reference of --like */
	bool has_reference;
	const char *name; /* name of the record in messages */
	struct analysis analysis;
	bool has_analysis;
	struct machine *machine; /* topology, or NULL */
	struct cpu_list cpus;	 /* CPUs of --cpus */
	struct machine_check check;
};

/*
 * check_measure.c: run c2c latency on this machine, for the CPUs of the
 * reference, or for those of --cpus and some others. Return -EINTR if the user
 * stopped it.
 */
int check_measure(
	struct check_task *task, struct arena *arena, struct error *err);

/* check_like.c: compare the record with the latencies of the reference. */
int check_like(struct check_task *task, const struct result *reference,
	struct arena *arena, struct error *err);

/*
 * check_quiet.c: check whether the CPUs of --cpus are isolated, or undisturbed
 * for a second (-EINTR: the user stopped c2c).
 */
int check_isolated(
	struct check_task *task, struct arena *arena, struct error *err);
int check_quiet(
	struct check_task *task, struct arena *arena, struct error *err);

/* Judge the disturbance of these CPUs, [cpus.n], between two readings. */
struct cpu_disturbance;
void check_judge_disturbance(struct check_task *task,
	const struct cpu_disturbance *before,
	const struct cpu_disturbance *after, double seconds,
	struct arena *arena);

/* check_format.c: print the findings in any format except JSON. */
void check_print(
	FILE *out, const struct machine_check *check, enum check_format format);

#endif
