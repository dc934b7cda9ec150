/*
 * The points of probe_states: a CPU loads, changes or flushes cache lines that
 * another CPU left in a known state.
 */
#ifndef C2C_PROBE_STATES_H
#define C2C_PROBE_STATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/probe.h"
#include "util/error.h"
#include "util/words.h"

/* How the holder left the lines. The third CPU is neither holder nor reader. */
#define LINE_STATE_WORDS(word)                                                 \
	word("modified") word("exclusive") word("shared")                      \
		word("modified then read") word("memory")
enum line_state {
	LINE_MODIFIED,	/* flushed, then the holder wrote them */
	LINE_EXCLUSIVE, /* flushed, then the holder read them */
	LINE_SHARED,	/* flushed, then two CPUs read them */
	LINE_READ_BACK, /* then the third CPU read them */
	LINE_IN_MEMORY, /* flushed */
	LINE_STATES,
};

static inline bool line_state_needs_third(enum line_state state)
{
	return state == LINE_SHARED || state == LINE_READ_BACK;
}

/* The operation of the reader on each line. */
#define LINE_OPERATION_WORDS(word)                                             \
	word("load") word("add") word("store") word("flush")
enum line_operation {
	LINE_LOAD,
	LINE_ADD,   /* atomic fetch-and-add of 0 */
	LINE_STORE, /* store, and wait for it */
	LINE_FLUSH, /* flush, and wait for it */
	LINE_OPERATIONS,
};

/* Distance of a visit's lines: prefetchers fetch pairs of lines. */
#define STATES_PITCH_BYTES ((size_t)128)

/* Memory of a visit: the slot, and all lines that visits draw from. */
#define STATES_BLOCK_BYTES ((size_t)2 << 20)

/* Lines of a visit; values of more lines vary less if CPUs sleep. */
#define STATES_LINES	   1024
#define STATES_LINES_AWAKE 4096

/* This variant only times round trips between the two CPUs of a visit. */
#define STATES_PING UINT32_MAX

/* The CPUs of a level. In level 0, a CPU is both holder and reader. */
struct states_level {
	unsigned reader, holder, third;
	bool has_third;
	double one_way_ns; /* in the first scan; NaN for level 0 */
};

struct states_point {
	enum line_state state;
	enum line_operation operation;
	uint32_t level; /* index in levels */
};

/* Sets of lines, which visits use in turn. */
struct states_lines {
	uint32_t *order; /* [sets * n], shuffled */
	uint32_t n;	 /* lines of a visit */
	uint32_t sets;
};

/* params->context of probe_states; states_init() draws the lines. */
struct states_context {
	const struct states_point *points; /* by variant, borrowed */
	const struct states_level *levels; /* borrowed */
	struct states_lines spread;	   /* lines of the whole block */
	struct states_lines dense;	   /* all lines of a few pages */
	size_t walks;			   /* all walks */
	size_t moved;			   /* invalid: the pair moved */
	size_t disturbed;		   /* invalid: interrupted reader */
};

/* Draw the order of the lines; states_release() frees it. */
int states_init(struct states_context *context, uint32_t lines, uint64_t seed,
	struct error *err);
void states_release(struct states_context *context);

/* Return the lines that visits of a variant use. */
const struct states_lines *states_lines_of(
	const struct states_context *context, uint32_t variant);

/*
 * The first half is the reader, which measures; the second half is the holder,
 * or on another CPU the third CPU.
 */
extern const struct probe probe_states;

#endif
