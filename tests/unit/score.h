/*
 * The score of the analysis: of each kind of machine what is found of what must
 * be, what is invented, and how sure it was. score_machines.c makes the
 * machines: a row of a table for each kind, whole, and parts of them as a
 * cpuset, a container or a virtual machine gets. The kinds of machines.h follow
 * those of the table, whole only.
 */
#ifndef TESTS_UNIT_SCORE_H
#define TESTS_UNIT_SCORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/levels/level_constants.h"
#include "result/analysis.h"
#include "util/arena.h"

#define SCORE_TRUTHS 6

struct score_machine {
	size_t n;
	double *values; /* [n * n], NaN on the diagonal and where missing */
	/* Two more such squares, of later; NULL: nobody measures again. */
	const double *again;
	bool is_virtual;
	bool moves; /* its threads do, and there are no levels */
	const struct level_constants *constants; /* to analyse it with */
	size_t n_truths;
	struct score_truth {
		uint32_t *group; /* [n] */
		bool shows;	 /* so that it must be found */
		unsigned kinds;	 /* bits of enum analysis_kind */
	} truths[SCORE_TRUTHS];
	/*
	 * [n], or NULL. A level is right, too, if each side (P and E cores, the
	 * home of the lines and the rest) has a true one, or is one group.
	 */
	uint32_t *side;
};

/* NULL behind the last kind. */
const char *score_kind_name(size_t kind);

/*
 * The machine of a seed, or a random part of it, in memory of the arena; false
 * if there is none. A whole machine has at most n_max CPUs.
 */
bool score_machine_make(struct score_machine *machine, size_t kind, bool part,
	uint64_t seed, size_t n_max, struct arena *arena);

/* Whether a level is true of the machine. */
bool score_machine_has(
	const struct score_machine *machine, const uint32_t *group);

/* A level of this confidence and more is given, and taken for a fact. */
#define SCORE_GIVEN 0.5
#define SCORE_SURE  0.9

#define SCORE_BINS 5

/* Counts only, so that a sum is one of words. */
struct score_tally {
	unsigned machines, same; /* same: one answer for all orders */
	unsigned again, cells;	 /* machines with cells to measure again */
	unsigned misplaced;	 /* said to move and do not, or the reverse */
	unsigned shown, found;	 /* true levels that show */
	unsigned given, invented;
	unsigned sure, wrong;	   /* given, and wrong, at SCORE_SURE */
	unsigned named, misnamed;  /* kinds of right levels, at SCORE_SURE */
	unsigned bins[SCORE_BINS]; /* given, by confidence */
	unsigned right[SCORE_BINS];
};

/* The least confidence of each bin. */
extern const double score_bins[SCORE_BINS];

/* What an analysis says of the CPUs in the order of the machine. */
struct score_answer {
	size_t n_levels;
	struct score_level {
		uint32_t *group;
		double confidence, kind_confidence;
		enum analysis_kind kind;
	} levels[16];
	bool moves;
};

/*
 * The analysis to score: of values[n * n] of the machine, in some order; groups
 * are in that order.
 */
typedef void score_analyse(const struct score_machine *machine,
	const double *values, struct score_answer *answer, struct arena *arena);

/* That of this build. */
score_analyse score_groups_find;

/* What to make and to count. */
struct score_task {
	size_t kind;
	bool part;
	size_t n_max, orders;
	bool again; /* measure what contradicts its neighbours */
	score_analyse *analyse;
	const struct level_constants *constants; /* NULL: the table's */
	bool list;				 /* what is wrong */
};

/* Add the machine of a seed to the tally. */
void score_add(const struct score_task *task, uint64_t seed,
	struct score_tally *tally);

#endif
