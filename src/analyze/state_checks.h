/*
 * What the costs of lines in known states show: which states can be told apart,
 * and whether the lines were in the states that they are named after.
 */
#ifndef C2C_STATE_CHECKS_H
#define C2C_STATE_CHECKS_H

#include <stdbool.h>
#include <stddef.h>

#include "probe/probe_states.h"

/* The CPU itself, and pairs from near to far. */
#define STATE_LEVELS_MOST 5

/* A median and its interval in ns; NaN: not measured, or too few values. */
struct state_cost {
	double ns, low, high;
};

struct state_table {
	size_t n_levels; /* level 0 is the CPU itself */
	struct state_cost costs[STATE_LEVELS_MOST][LINE_OPERATIONS]
			       [LINE_STATES];
};

/* States whose costs c2c does not tell apart from that of the cheapest. */
struct state_class {
	enum line_state states[LINE_STATES]; /* [n], in the enum's order */
	size_t n;
	double least_ns, most_ns; /* of their medians */
};

/*
 * Make the classes of an operation at a level, from cheap to dear. Return how
 * many: none if nothing was measured.
 */
size_t state_classes(const struct state_cost costs[LINE_STATES],
	struct state_class classes[LINE_STATES]);

enum state_check {
	STATE_CHECK_TIMES,     /* memory takes longer than an own line */
	STATE_CHECK_HELD,      /* the holder has the lines that it used last */
	STATE_CHECK_EXCLUSIVE, /* an exclusive line is no shared one */
	STATE_CHECK_CLEAN,     /* an exclusive line is no modified one */
	STATE_CHECK_SHARED,    /* a shared line is no exclusive one */
	STATE_CHECKS,
};

enum state_finding {
	STATE_NOT_APPLICABLE, /* what it compares was not measured */
	STATE_HOLDS,
	STATE_UNVERIFIED, /* this machine does not show it */
	STATE_TOO_FEW,	  /* a median has no interval */
	STATE_FAILS,
};

/* A check compares two costs; NaN: it does not apply. */
struct state_check_result {
	enum state_finding finding;
	size_t level;
	enum line_operation operation;
	double low_ns, high_ns; /* what should be low, what should be high */
};

/*
 * Whether the reader of a level has the copies of the third CPU: what the third
 * CPU read costs no more than an own line, where lines of the holder do.
 */
bool state_third_is_near(const struct state_table *table, size_t level);

/* Run all checks. Those that need times do not apply if there are none. */
void state_check_table(const struct state_table *table,
	struct state_check_result results[STATE_CHECKS]);

#endif
