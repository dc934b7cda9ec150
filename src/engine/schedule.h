/*
 * The order in which a pass visits its pairs.
 *
 * For all pairs of n members a pass is a round-robin tournament (the circle
 * method): rounds in which every member plays at most once, so that the pairs
 * of a round can run together. Members, rounds and pairs within a round are
 * drawn anew for each pass from a seed. Where the directions of a pair differ,
 * each round is played both ways, apart. For a chosen list of pairs it is that
 * list, shuffled, one at a time; where what the first CPU prepares serves all
 * its pairs, row by row. Pure; one thread per schedule.
 */
#ifndef C2C_SCHEDULE_H
#define C2C_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stat/stat.h"
#include "util/error.h"

/* Two members by index; first < second where one direction stands for both. */
struct schedule_pair {
	uint32_t first, second;
	uint32_t variant; /* of what is measured; see struct probe_visit */
	/* Members beside second: so many of the campaign's list, from there. */
	uint32_t n_others, others_at;
};

enum schedule_order {
	SCHEDULE_SHUFFLED,
	SCHEDULE_BY_ROW, /* rows in random order, a row's pairs together */
};

struct schedule {
	size_t n_members;
	/* [n_pairs], in row-major order when all */
	struct schedule_pair *pairs;
	size_t n_pairs;
	bool all;
	bool both_ways; /* all: (a, b) and (b, a) are two pairs */
	enum schedule_order list_order;
	struct stat_random random;

	/* The pass drawn last: pair indexes, and where each step ends. */
	uint32_t *order; /* [n_pairs] */
	size_t *step_ends;
	size_t n_steps;

	uint32_t *members, *rounds; /* scratch */
};

/* Every pair of n_members >= 2, both ways or one. For schedule_release(). */
int schedule_init_all(struct schedule *schedule, size_t n_members,
	bool both_ways, uint64_t seed, struct error *err);

/* A list of pairs, copied. */
int schedule_init_list(struct schedule *schedule, size_t n_members,
	const struct schedule_pair *pairs, size_t n_pairs,
	enum schedule_order order, uint64_t seed, struct error *err);

void schedule_release(struct schedule *schedule);

/*
 * Draw the next pass: order and step_ends, with at most jobs >= 1 pairs in a
 * step.
 */
void schedule_draw(struct schedule *schedule, size_t jobs);

/* The most pairs that could run together. */
size_t schedule_max_jobs(const struct schedule *schedule);

#endif
