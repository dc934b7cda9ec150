/*
 * The order in which a pass visits its pairs.
 *
 * A pass over all pairs is a round-robin tournament (circle method): each
 * member is in at most one pair of a round, so that the pairs of a round can
 * run together. A seed decides the order of members, of rounds and of the pairs
 * in a round, in each pass. If the directions of a pair are measured
 * separately, each round occurs once in each direction. A list of pairs is
 * shuffled, with one pair in a step. The shuffle keeps rows together if the
 * pairs of a row use data that their first CPU prepared. No side effects; one
 * thread per schedule.
 */
#ifndef C2C_SCHEDULE_H
#define C2C_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stat/stat.h"
#include "util/error.h"

/* Indexes of two members; first < second if directions do not matter. */
struct schedule_pair {
	uint32_t first, second;
	uint32_t variant; /* for the probe; see struct probe_visit */
	/* The pair's members in campaign_options.others. */
	uint32_t n_others, others_at;
};

enum schedule_order {
	SCHEDULE_SHUFFLED,
	SCHEDULE_BY_ROW, /* rows in random order, a row's pairs together */
};

struct schedule {
	size_t n_members;
	/* [n_pairs] */
	struct schedule_pair *pairs;
	size_t n_pairs;
	bool all;
	bool both_ways;
	enum schedule_order list_order;
	struct stat_random random;

	/* The last drawn pass: indexes of pairs, and ends of steps. */
	uint32_t *order; /* [n_pairs] */
	size_t *step_ends;
	size_t n_steps;

	uint32_t *members, *rounds; /* scratch */
};

/* Schedule all pairs of n_members >= 2, in one direction or both. */
int schedule_init_all(struct schedule *schedule, size_t n_members,
	bool both_ways, uint64_t seed, struct error *err);

/* Schedule a copy of a list of pairs. */
int schedule_init_list(struct schedule *schedule, size_t n_members,
	const struct schedule_pair *pairs, size_t n_pairs,
	enum schedule_order order, uint64_t seed, struct error *err);

void schedule_release(struct schedule *schedule);

/*
 * Draw the next pass: order and step_ends, at most jobs >= 1 pairs in a step.
 */
void schedule_draw(struct schedule *schedule, size_t jobs);

/* Return the largest number of pairs that can run together. */
size_t schedule_max_jobs(const struct schedule *schedule);

#endif
