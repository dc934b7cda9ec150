/*
 * The findings of a check: properties that hold, fail or are unknown. c2c check
 * prints the findings, and c2c compare --threshold warns about them.
 */
#ifndef C2C_MACHINE_CHECK_H
#define C2C_MACHINE_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "util/arena.h"
#include "util/cpu_list.h"

/* Answers in the order of their severity. */
enum check_answer {
	CHECK_HOLDS,
	CHECK_UNKNOWN,
	CHECK_FAILS,
};

struct check_finding {
	const char *code; /* code for programs, such as "apart" */
	const char *name; /* checked property, such as "share llc" */
	enum check_answer answer;
	const char *text;     /* sentence without a full stop */
	struct cpu_list cpus; /* CPUs that the finding concerns */
	double value, limit;  /* compared value and limit, or NaN */
	const char *unit;     /* unit of value and limit, or NULL */
};

/*
 * Findings. A check of zeros has no findings. An arena of the caller owns the
 * texts.
 */
struct machine_check {
	const char *source, *hostname; /* NULL: unknown */
	struct check_finding *findings;
	size_t n;
};

/*
 * Append a finding with the code as name, and without CPUs and numbers. Call
 * check_add() within arena_run() of the arena. The next check_add() invalidates
 * the pointer.
 */
struct check_finding *check_add(struct machine_check *check,
	struct arena *arena, enum check_answer answer, const char *code,
	const char *format, ...) __attribute__((format(printf, 5, 6)));

void check_name_cpus(struct check_finding *finding, const unsigned *cpus,
	size_t n, struct arena *arena);

enum check_answer check_conclude(const struct machine_check *check);

/* Words for enum check_answer; NULL ends them. */
extern const char *const check_answers[];

/* Return the JSON of a check, or NULL if out of memory. The caller frees it. */
extern const struct record_type check_type;
char *check_text(const struct machine_check *check);

#endif
