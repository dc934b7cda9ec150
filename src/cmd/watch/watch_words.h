/*
 * What changed, in words. Pure but for memory.
 */
#ifndef C2C_WATCH_WORDS_H
#define C2C_WATCH_WORDS_H

#include <stddef.h>

#include "analyze/bursts.h"
#include "result/analysis.h"

struct words_change {
	const struct bursts *bursts;
	size_t first; /* the burst that begins the new epoch */
	const struct cpu_list *cpus;
	/* The groups before and behind; NULL where nothing tells. */
	const struct analysis *before, *behind;
};

/* A CPU, or one of two, and what became of it. */
struct words_event {
	double at_s; /* Unix time */
	unsigned cpus[2];
	size_t n_cpus;
	double change; /* of latencies: 0.15 is 15 % farther; NaN: unknown */
	char *text;    /* for free() */
};

/* Fill all but the time. -ENOMEM. */
int words_of_move(const struct words_change *change,
	const struct epoch_move *move, struct words_event *event,
	struct error *err);

#endif
