/*
 * The findings of a check: what holds, what does not, what is unknown, and why.
 * c2c check prints them, and c2c compare --threshold warns of them.
 */
#ifndef C2C_MACHINE_CHECK_H
#define C2C_MACHINE_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "util/arena.h"
#include "util/cpu_list.h"

/* Answers from light to heavy: the heaviest is that of the whole check. */
enum check_answer {
	CHECK_HOLDS,
	CHECK_UNKNOWN,
	CHECK_FAILS,
};

struct check_finding {
	const char *code; /* "apart": what a program tells it by */
	const char *name; /* "share llc": what was asked, whatever is found */
	enum check_answer answer;
	const char *text;     /* a sentence without a full stop */
	struct cpu_list cpus; /* CPUs that it is about */
	double value, limit;  /* numbers that decided; NaN: none */
	const char *unit;     /* unit of both; NULL: none */
};

/* Findings; none in a zeroed struct. The caller's arena has all texts. */
struct machine_check {
	const char *source, *hostname; /* NULL: unknown */
	struct check_finding *findings;
	size_t n;
};

/*
 * Append a finding without CPUs and numbers, with its code as name. Only within
 * arena_run(), whose arena it is; what is returned moves with the next.
 */
struct check_finding *check_add(struct machine_check *check,
	struct arena *arena, enum check_answer answer, const char *code,
	const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Give a finding its CPUs. */
void check_name_cpus(struct check_finding *finding, const unsigned *cpus,
	size_t n, struct arena *arena);

/* Return the answer of all findings together: the heaviest. */
enum check_answer check_conclude(const struct machine_check *check);

/* Words by enum check_answer: "holds", "cannot-tell", "does-not-hold", NULL. */
extern const char *const check_answers[];

/* The format of a struct machine_check, and its text for free(), or NULL. */
extern const struct record_type check_type;
char *check_text(const struct machine_check *check);

#endif
