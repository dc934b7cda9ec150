#include "engine/schedule.h"

#include <stdlib.h>
#include <string.h>

/* A tournament needs an even number of members: add a dummy member. */
static size_t round_up_to_even(size_t n)
{
	return n + (n & 1);
}

/* Allocate the arrays of a schedule whose sizes are set. */
static int schedule_allocate(
	struct schedule *schedule, uint64_t seed, struct error *err)
{
	size_t n = round_up_to_even(schedule->n_members);

	stat_random_init(&schedule->random, seed);
	schedule->pairs = calloc(schedule->n_pairs, sizeof(*schedule->pairs));
	schedule->order = calloc(schedule->n_pairs, sizeof(*schedule->order));
	schedule->step_ends =
		calloc(schedule->n_pairs, sizeof(*schedule->step_ends));
	schedule->members = calloc(n, sizeof(*schedule->members));
	schedule->rounds = calloc(2 * n, sizeof(*schedule->rounds));
	if (!schedule->pairs || !schedule->order || !schedule->step_ends ||
		!schedule->members || !schedule->rounds) {
		schedule_release(schedule);
		return error_no_memory(err, "the schedule");
	}
	return 0;
}

int schedule_init_all(struct schedule *schedule, size_t n_members,
	bool both_ways, uint64_t seed, struct error *err)
{
	struct schedule_pair *pair;
	int rc;

	*schedule = (struct schedule){
		.n_members = n_members,
		.n_pairs = n_members * (n_members - 1) / (both_ways ? 1 : 2),
		.all = true,
		.both_ways = both_ways,
	};
	rc = schedule_allocate(schedule, seed, err);
	if (rc < 0)
		return rc;
	pair = schedule->pairs;
	for (uint32_t i = 0; i < n_members; i++) {
		for (uint32_t j = both_ways ? 0 : i + 1; j < n_members; j++) {
			if (i != j)
				*pair++ = (struct schedule_pair){
					.first = i, .second = j};
		}
	}
	return 0;
}

int schedule_init_list(struct schedule *schedule, size_t n_members,
	const struct schedule_pair *pairs, size_t n_pairs,
	enum schedule_order order, uint64_t seed, struct error *err)
{
	int rc;

	*schedule = (struct schedule){
		.n_members = n_members,
		.n_pairs = n_pairs,
		.list_order = order,
	};
	rc = schedule_allocate(schedule, seed, err);
	if (rc == 0)
		memcpy(schedule->pairs, pairs, n_pairs * sizeof(*pairs));
	return rc;
}

void schedule_release(struct schedule *schedule)
{
	free(schedule->pairs);
	free(schedule->order);
	free(schedule->step_ends);
	free(schedule->members);
	free(schedule->rounds);
	memset(schedule, 0, sizeof(*schedule));
}

/* Return the row-major index of the pair (a, b) among all pairs. */
static uint32_t pair_index(const struct schedule *schedule, size_t a, size_t b)
{
	size_t n = schedule->n_members;
	size_t i = a < b ? a : b;
	size_t j = a < b ? b : a;

	if (schedule->both_ways)
		return (uint32_t)(a * (n - 1) + b - (b > a));
	return (uint32_t)(i * n - i * (i + 1) / 2 + (j - i - 1));
}

/*
 * Draw a round by the circle method: the last member is in the middle, and the
 * others on a circle of n - 1. In round r, members at equal distance from
 * member r are pairs, and member r is paired with the middle. Rounds from n - 1
 * on have the same pairs in reverse directions. Write the round's pairs to out;
 * return their number.
 */
static size_t draw_tournament_round(
	struct schedule *schedule, size_t round, uint32_t *out)
{
	size_t n = round_up_to_even(schedule->n_members);
	const uint32_t *members = schedule->members;
	bool reverse = round >= n - 1;
	size_t found = 0;

	round %= n - 1;
	for (size_t k = 0; k < n / 2; k++) {
		size_t a = members[(round + k) % (n - 1)];
		size_t b = members[k ? (round + n - 1 - k) % (n - 1) : n - 1];

		/* The dummy's partner is in no pair. */
		if (a >= schedule->n_members || b >= schedule->n_members)
			continue;
		out[found++] = reverse ? pair_index(schedule, b, a)
				       : pair_index(schedule, a, b);
	}
	return found;
}

static void shuffle_values(
	struct stat_random *random, uint32_t *values, size_t n)
{
	for (size_t i = n; i > 1; i--) {
		size_t j = stat_random_below(random, i);
		uint32_t value = values[i - 1];

		values[i - 1] = values[j];
		values[j] = value;
	}
}

/* Make the pairs of each row adjacent; sort rows by their first pair. */
static void gather_rows(struct schedule *schedule)
{
	size_t done = 0;

	while (done < schedule->n_pairs) {
		uint32_t row = schedule->pairs[schedule->order[done]].first;

		for (size_t i = done; i < schedule->n_pairs; i++) {
			uint32_t index = schedule->order[i];

			if (schedule->pairs[index].first != row)
				continue;
			schedule->order[i] = schedule->order[done];
			schedule->order[done++] = index;
		}
	}
}

void schedule_draw(struct schedule *schedule, size_t jobs)
{
	size_t n = round_up_to_even(schedule->n_members);
	size_t n_rounds = (n - 1) * (schedule->both_ways ? 2 : 1);
	size_t filled = 0;

	if (!schedule->all) {
		stat_shuffle(
			&schedule->random, schedule->order, schedule->n_pairs);
		if (schedule->list_order == SCHEDULE_BY_ROW)
			gather_rows(schedule);
		for (size_t i = 0; i < schedule->n_pairs; i++)
			schedule->step_ends[i] = i + 1;
		schedule->n_steps = schedule->n_pairs;
		return;
	}
	schedule->n_steps = 0;
	stat_shuffle(&schedule->random, schedule->members, n);
	stat_shuffle(&schedule->random, schedule->rounds, n_rounds);
	for (size_t r = 0; r < n_rounds; r++) {
		uint32_t *round = schedule->order + filled;
		size_t found = draw_tournament_round(
			schedule, schedule->rounds[r], round);

		shuffle_values(&schedule->random, round, found);
		for (size_t done = 0; done < found;) {
			done += jobs < found - done ? jobs : found - done;
			schedule->step_ends[schedule->n_steps++] =
				filled + done;
		}
		filled += found;
	}
}

size_t schedule_max_jobs(const struct schedule *schedule)
{
	return schedule->all ? schedule->n_members / 2 : 1;
}
