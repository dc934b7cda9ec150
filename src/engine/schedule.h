/*
 * The order in which a pass visits its pairs.
 *
 * For all pairs of n members a pass is a round-robin tournament (circle
 * method): in a round every member plays at most once, so that the pairs of a
 * round can run together. Each pass draws members, rounds and pairs within a
 * round from a seed. If the directions of a pair differ, each round is played
 * once in each direction. A list of pairs is shuffled, with one pair in a step.
 * It is shuffled row by row if all pairs of a first CPU use what that CPU
 * prepared. No side effects; one thread per schedule.
 */
#ifndef C2C_SCHEDULE_H
#define C2C_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stat/stat.h"
#include "util/error.h"

/* Two members by index; first < second if one direction stands for both. */
struct schedule_pair {
	uint32_t first, second;
	uint32_t variant; /* for the probe; see struct probe_visit */
	/* The pair's part of campaign_options.others. */
	uint32_t n_others, others_at;
};

enum schedule_order {
	SCHEDULE_SHUFFLED,
	SCHEDULE_BY_ROW, /* rows in random order, a row's pairs together */
};

struct schedule {
	size_t n_members;
	/* [n_pairs], in row-major order if all */
	struct schedule_pair *pairs;
	size_t n_pairs;
	bool all;
	bool both_ways; /* if all: (a, b) and (b, a) are two pairs */
	enum schedule_order list_order;
	struct stat_random random;

	/* The last pass drawn: pair indexes, and where each step ends. */
	uint32_t *order; /* [n_pairs] */
	size_t *step_ends;
	size_t n_steps;

	uint32_t *members, *rounds; /* scratch */
};

/* Schedule every pair of n_members >= 2, in both directions or one. */
int schedule_init_all(struct schedule *schedule, size_t n_members,
	bool both_ways, uint64_t seed, struct error *err);

/* Schedule a list of pairs, which is copied. */
int schedule_init_list(struct schedule *schedule, size_t n_members,
	const struct schedule_pair *pairs, size_t n_pairs,
	enum schedule_order order, uint64_t seed, struct error *err);

void schedule_release(struct schedule *schedule);

/*
 * Draw the next pass: order and step_ends, at most jobs >= 1 pairs in a step.
 */
void schedule_draw(struct schedule *schedule, size_t jobs);

/* Return the most pairs that can run together. */
size_t schedule_max_jobs(const struct schedule *schedule);

#endif
