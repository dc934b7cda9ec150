/*
 * Checks the costs of lines in known states: which states differ in cost, and
 * whether the lines were really in these states.
 */
#ifndef C2C_STATE_CHECKS_H
#define C2C_STATE_CHECKS_H

#include <stdbool.h>
#include <stddef.h>

#include "probe/probe_states.h"

/* The CPU itself, and pairs ordered by distance. */
#define STATE_LEVELS_MOST 5

/* A median and its interval in ns; NaN: unknown. */
struct state_cost {
	double ns, low, high;
};

struct state_table {
	size_t n_levels; /* level 0 is the CPU itself */
	struct state_cost costs[STATE_LEVELS_MOST][LINE_OPERATIONS]
			       [LINE_STATES];
};

/* States whose costs do not differ significantly from the cheapest state. */
struct state_class {
	enum line_state states[LINE_STATES]; /* [n] in enum order */
	size_t n;
	double least_ns, most_ns; /* range of medians */
};

/*
 * Make the classes of an operation at a level, cheapest first. Return the
 * number of classes; 0 if nothing was measured.
 */
size_t state_classes(const struct state_cost costs[LINE_STATES],
	struct state_class classes[LINE_STATES]);

enum state_check {
	STATE_CHECK_TIMES,     /* memory takes longer than the own cache */
	STATE_CHECK_HELD,      /* the holder has the lines that it last used */
	STATE_CHECK_EXCLUSIVE, /* an exclusive line is not shared */
	STATE_CHECK_CLEAN,     /* an exclusive line is not modified */
	STATE_CHECK_SHARED,    /* a shared line is not exclusive */
	STATE_CHECKS,
};

enum state_finding {
	STATE_NOT_APPLICABLE, /* the costs were not measured */
	STATE_HOLDS,
	STATE_UNVERIFIED, /* the costs do not confirm the check */
	STATE_TOO_FEW,	  /* a median has no interval */
	STATE_FAILS,
};

/* A check compares two costs, which are NaN if it is not applicable. */
struct state_check_result {
	enum state_finding finding;
	size_t level;
	enum line_operation operation;
	double low_ns, high_ns; /* costs expected to be low and high */
};

/*
 * Whether the reader of a level shares the third CPU's cache: a line that the
 * third CPU read costs no more than a line in the own cache, and lines of the
 * holder cost more.
 */
bool state_third_is_near(const struct state_table *table, size_t level);

void state_check_table(const struct state_table *table,
	struct state_check_result results[STATE_CHECKS]);

#endif
