/*
 * The findings of a check: what holds, fails or is unknown, and why. c2c check
 * prints the findings, and c2c compare --threshold warns of them.
 */
#ifndef C2C_MACHINE_CHECK_H
#define C2C_MACHINE_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "util/arena.h"
#include "util/cpu_list.h"

/* Answers by severity: the most severe is the answer of the whole check. */
enum check_answer {
	CHECK_HOLDS,
	CHECK_UNKNOWN,
	CHECK_FAILS,
};

struct check_finding {
	const char *code; /* "apart": identifies the finding for programs */
	const char *name; /* "share llc": the question */
	enum check_answer answer;
	const char *text;     /* a sentence without a full stop */
	struct cpu_list cpus; /* CPUs that the finding is about */
	double value, limit;  /* decisive value and its limit; NaN: none */
	const char *unit;     /* unit of value and limit; NULL: none */
};

/* Findings; none in a zeroed struct. The caller's arena has all texts. */
struct machine_check {
	const char *source, *hostname; /* NULL: unknown */
	struct check_finding *findings;
	size_t n;
};

/*
 * Append a finding without CPUs and numbers, with its code as name. Call within
 * the arena_run() of this arena; the next call invalidates the pointer.
 */
struct check_finding *check_add(struct machine_check *check,
	struct arena *arena, enum check_answer answer, const char *code,
	const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Give a finding its CPUs. */
void check_name_cpus(struct check_finding *finding, const unsigned *cpus,
	size_t n, struct arena *arena);

/* Return the most severe answer of all findings. */
enum check_answer check_conclude(const struct machine_check *check);

/* Words by enum check_answer: "holds", "cannot-tell", "does-not-hold", NULL. */
extern const char *const check_answers[];

/* The format of a struct machine_check, and its text for free(), or NULL. */
extern const struct record_type check_type;
char *check_text(const struct machine_check *check);

#endif
