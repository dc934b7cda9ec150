/*
 * What changed, in words. Pure but for memory.
 */
#ifndef C2C_WATCH_WORDS_H
#define C2C_WATCH_WORDS_H

#include <stddef.h>

#include "analyze/bursts.h"
#include "result/analysis.h"

struct watch_change {
	const struct bursts *bursts;
	size_t first; /* the burst that begins the new epoch */
	const struct cpu_list *cpus;
	/* The groups before and behind; NULL where nothing tells. */
	const struct analysis *before, *after;
};

/* A CPU, or one of two, and what became of it. */
struct watch_event {
	double at_s; /* Unix time */
	unsigned cpus[2];
	size_t n_cpus;
	double change; /* of latencies: 0.15 is 15 % farther; NaN: unknown */
	char *text;    /* for free() */
};

/* Fill all but the time. -ENOMEM. */
int watch_describe_move(const struct watch_change *change,
	const struct epoch_move *move, struct watch_event *event,
	struct error *err);

#endif
