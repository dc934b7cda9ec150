/*
 * A candidate is tested between the next finer and the next coarser chosen
 * level. The candidate with the most evidence is added. Then
 *
 * - if a chosen level fails because its groups add nothing to the groups of the
 *   added level, the two levels are rivals: each is tested without the other,
 *   and the level with less evidence is dropped;
 * - a chosen level that fails for other reasons is dropped;
 * - a candidate replaces a chosen level that it excludes, if it has more
 *   evidence between the same levels;
 * - a chosen level that mixes groups of a finer and a coarser candidate is
 *   replaced by these candidates if both pass together and each has groups of
 *   one size.
 *
 * A rival with groups of equal size gets a bonus, because noise and missing
 * cells split groups and never make them equal. A dropped candidate is never
 * added again, so the search terminates.
 */
#include "analyze/levels/rivals.h"

#include <string.h>

/* No candidate. */
#define NOBODY SIZE_MAX

#define ROUNDS_MAX 60

struct tested_place {
	size_t finer, coarser; /* NOBODY: single CPUs, or all CPUs */
	double nats;	       /* negative: the level fails */
};

/* Largest number of places whose evidence is cached for a candidate. */
#define PLACES_MAX 32

struct place_list {
	struct tested_place places[PLACES_MAX];
	size_t n;
};

struct rival_search {
	const struct level_candidates *candidates;
	const struct level_constants *constants;
	const struct level_units *cpus;
	const struct level_units *units[CANDIDATES_MAX]; /* by place.finer */
	struct unit_view *last_view;
	size_t last_finer, last_coarser;
	struct place_list tested[CANDIDATES_MAX];
	bool banned[CANDIDATES_MAX];
	signed char nests[CANDIDATES_MAX][CANDIDATES_MAX]; /* 0: unknown */
	size_t chosen[CHOSEN_MAX], n_chosen;
	struct arena *arena;
};

static const struct partition *partition_at(
	const struct rival_search *search, size_t c)
{
	return c == NOBODY ? NULL : &search->candidates->all[c].partition;
}

/* Whether each group of a is within a group of b. */
static bool is_partition_within(struct rival_search *search, size_t a, size_t b)
{
	const struct partition *fine = partition_at(search, a);
	const struct partition *coarse = partition_at(search, b);
	signed char *known = &search->nests[a][b];
	const struct arena_block *mark = search->arena->last;
	uint32_t *in;

	if (*known)
		return *known > 0;
	*known = fine->n_groups > coarse->n_groups ? 1 : -1;
	in = arena_alloc(search->arena, fine->n_groups, sizeof(*in));
	for (size_t i = 0; i<fine->n_units && * known> 0; i++) {
		uint32_t *at = &in[fine->group[i]];

		if (*at == 0)
			*at = coarse->group[i] + 1;
		else if (*at != coarse->group[i] + 1)
			*known = -1;
	}
	arena_rewind(search->arena, mark);
	return *known > 0;
}

/*
 * Find the next finer and coarser chosen levels of c, except `without`. Return
 * false if c does not nest with a chosen level.
 */
static bool find_place(struct rival_search *search, size_t c, size_t without,
	struct tested_place *place)
{
	*place = (struct tested_place){NOBODY, NOBODY, -1};
	for (size_t k = 0; k < search->n_chosen; k++) {
		size_t x = search->chosen[k];

		if (x == c || x == without)
			continue;
		if (is_partition_within(search, x, c)) {
			if (place->finer == NOBODY ||
				is_partition_within(search, place->finer, x))
				place->finer = x;
		} else if (is_partition_within(search, c, x)) {
			if (place->coarser == NOBODY ||
				is_partition_within(search, x, place->coarser))
				place->coarser = x;
		} else {
			return false;
		}
	}
	return true;
}

static const struct level_units *units_of(
	struct rival_search *search, size_t finer)
{
	const struct level_units **units;

	if (finer == NOBODY)
		return search->cpus;
	units = &search->units[finer];
	if (!*units) {
		struct level_units *made =
			arena_alloc(search->arena, 1, sizeof(*made));

		level_units_init(made, search->cpus->costs,
			partition_at(search, finer), search->constants,
			search->arena);
		*units = made;
	}
	return *units;
}

static struct unit_view *view_of(
	struct rival_search *search, const struct tested_place *place)
{
	if (search->last_view && search->last_finer == place->finer &&
		search->last_coarser == place->coarser)
		return search->last_view;
	search->last_view =
		arena_alloc(search->arena, 1, sizeof(*search->last_view));
	search->last_finer = place->finer;
	search->last_coarser = place->coarser;
	level_view_init(search->last_view, units_of(search, place->finer),
		partition_at(search, place->coarser), search->constants,
		search->arena);
	return search->last_view;
}

static void test_in_place(struct rival_search *search, size_t c,
	const struct tested_place *place, struct level_choice *choice)
{
	const struct level_candidate *candidate = &search->candidates->all[c];
	struct level_subject subject;

	choice->candidate = candidate;
	choice->view = view_of(search, place);
	choice->groups = level_view_partition(
		choice->view, &candidate->partition, search->arena);
	subject = (struct level_subject){.view = choice->view,
		.groups = choice->groups,
		.members = partition_members(&choice->groups, search->arena),
		.equal = candidate->equal,
		.inferred = candidate->inferred != NULL};
	raw_rule_test(
		&subject, search->constants, &choice->test, search->arena);
	if (!choice->test.fails)
		evidence_test(&subject, search->constants, &choice->test,
			search->arena);
	if (!choice->test.fails)
		group_parts_test(&subject, search->constants, &choice->test,
			search->arena);
}

/* Return the evidence for c among the chosen levels; negative if c fails. */
static double nats_among(struct rival_search *search, size_t c, size_t without,
	struct tested_place *place)
{
	struct place_list *tested = &search->tested[c];
	const struct arena_block *mark;
	struct level_choice choice;

	if (!find_place(search, c, without, place))
		return -1;
	for (size_t k = 0; k < tested->n; k++)
		if (tested->places[k].finer == place->finer &&
			tested->places[k].coarser == place->coarser)
			return tested->places[k].nats;
	/* Keep the view, which the next candidate often needs. */
	view_of(search, place);
	mark = search->arena->last;
	test_in_place(search, c, place, &choice);
	arena_rewind(search->arena, mark);
	place->nats = choice.test.fails ? -1 : choice.test.nats;
	if (tested->n < PLACES_MAX)
		tested->places[tested->n++] = *place;
	return place->nats;
}

static double among(struct rival_search *search, size_t c, size_t without)
{
	struct tested_place place;

	return nats_among(search, c, without, &place);
}

/* Return the bonus for groups of equal size, in nats. */
static double bonus(const struct rival_search *search, size_t c)
{
	return search->candidates->all[c].equal ? search->constants->torn_cost
						: 0;
}

static bool is_chosen(const struct rival_search *search, size_t c)
{
	for (size_t k = 0; k < search->n_chosen; k++)
		if (search->chosen[k] == c)
			return true;
	return false;
}

static void drop_chosen(struct rival_search *search, size_t c)
{
	size_t k = 0;

	while (search->chosen[k] != c)
		k++;
	search->chosen[k] = search->chosen[--search->n_chosen];
	search->banned[c] = true;
}

/* Return a candidate that excludes x and has more evidence than x. */
static size_t find_better(struct rival_search *search, size_t x)
{
	struct tested_place own, other;
	double most = nats_among(search, x, NOBODY, &own) + bonus(search, x);
	size_t best = NOBODY;

	for (size_t c = 0; c < search->candidates->n; c++) {
		double nats;

		if (is_chosen(search, c) || search->banned[c])
			continue;
		nats = nats_among(search, c, x, &other);
		if (nats <= 0 || other.finer != own.finer ||
			other.coarser != own.coarser ||
			nats + bonus(search, c) <= most ||
			among(search, c, NOBODY) > 0)
			continue;
		most = nats + bonus(search, c);
		best = c;
	}
	return best;
}

static bool is_mixture(
	struct rival_search *search, size_t x, size_t a, size_t b)
{
	const struct arena_block *mark = search->arena->last;
	const struct partition *own = partition_at(search, x);
	const struct partition *fine = partition_at(search, a);
	const struct partition *coarse = partition_at(search, b);
	const uint32_t *sizes = partition_sizes(own, search->arena);
	const uint32_t *fine_sizes = partition_sizes(fine, search->arena);
	const uint32_t *coarse_sizes = partition_sizes(coarse, search->arena);
	bool mixed = true;

	for (size_t i = 0; i < own->n_units && mixed; i++) {
		uint32_t size = sizes[own->group[i]];

		mixed = size == fine_sizes[fine->group[i]] ||
			size == coarse_sizes[coarse->group[i]];
	}
	arena_rewind(search->arena, mark);
	return mixed;
}

static bool replace_by_two(
	struct rival_search *search, size_t x, size_t a, size_t b)
{
	size_t before[CHOSEN_MAX], n_before = search->n_chosen;

	if (n_before == CHOSEN_MAX)
		return false;
	memcpy(before, search->chosen, sizeof(before));
	drop_chosen(search, x);
	search->chosen[search->n_chosen++] = a;
	search->chosen[search->n_chosen++] = b;
	if (among(search, a, NOBODY) > 0 && among(search, b, NOBODY) > 0)
		return true;
	memcpy(search->chosen, before, sizeof(before));
	search->n_chosen = n_before;
	search->banned[x] = false;
	return false;
}

/*
 * If x mixes groups of a finer and a coarser candidate because the finer groups
 * are hardly nearer, replace x by both. Each candidate must have groups of one
 * size. Return false if no candidates fit.
 */
static bool unmix(struct rival_search *search, size_t x)
{
	const struct level_candidate *all = search->candidates->all;

	for (size_t a = 0; a < search->candidates->n && !all[x].even; a++) {
		if (search->banned[a] || is_chosen(search, a) || !all[a].even ||
			!is_partition_within(search, a, x))
			continue;
		for (size_t b = 0; b < search->candidates->n; b++)
			if (!search->banned[b] && !is_chosen(search, b) &&
				all[b].even &&
				is_partition_within(search, x, b) &&
				is_mixture(search, x, a, b) &&
				replace_by_two(search, x, a, b))
				return true;
	}
	return false;
}

/* Drop or replace a chosen level; return false if all chosen levels pass. */
static bool settle_chosen(struct rival_search *search)
{
	for (size_t k = 0; k < search->n_chosen; k++) {
		size_t x = search->chosen[k], better;

		if (among(search, x, NOBODY) <= 0) {
			drop_chosen(search, x);
			return true;
		}
		better = find_better(search, x);
		if (better != NOBODY) {
			drop_chosen(search, x);
			search->chosen[search->n_chosen++] = better;
			return true;
		}
		if (unmix(search, x))
			return true;
	}
	return false;
}

/* Add the candidate with the most evidence; return false if none passes. */
static bool add_best(struct rival_search *search)
{
	size_t best = NOBODY;
	double most = 0;

	for (size_t c = 0; c < search->candidates->n; c++) {
		double nats;

		if (is_chosen(search, c) || search->banned[c])
			continue;
		nats = among(search, c, NOBODY);
		if (nats > most) {
			most = nats;
			best = c;
		}
	}
	if (best == NOBODY || search->n_chosen == CHOSEN_MAX)
		return false;
	search->chosen[search->n_chosen++] = best;
	for (size_t k = 0; k + 1 < search->n_chosen; k++) {
		size_t x = search->chosen[k];

		if (among(search, x, NOBODY) > 0)
			continue;
		if (among(search, best, x) + bonus(search, best) >=
			among(search, x, best) + bonus(search, x))
			drop_chosen(search, x);
		else
			drop_chosen(search, best);
		break;
	}
	return true;
}

/* Sort from the most groups to the fewest. */
static void sort_chosen(struct rival_search *search)
{
	for (size_t a = 1; a < search->n_chosen; a++)
		for (size_t b = a; b > 0; b--) {
			size_t *x = &search->chosen[b - 1], own = *x;

			if (partition_at(search, own)->n_groups >=
				partition_at(search, x[1])->n_groups)
				break;
			*x = x[1];
			x[1] = own;
		}
}

void rivals_choose(const struct level_candidates *candidates,
	const struct level_units *cpus, const struct level_constants *constants,
	struct level_choices *choices, struct arena *arena)
{
	struct rival_search *search = arena_alloc(arena, 1, sizeof(*search));

	search->candidates = candidates;
	search->cpus = cpus;
	search->constants = constants;
	search->arena = arena;
	for (size_t round = 0; round < ROUNDS_MAX; round++)
		if (!settle_chosen(search) && !add_best(search))
			break;
	sort_chosen(search);
	choices->n = 0;
	for (size_t k = 0; k < search->n_chosen; k++) {
		struct tested_place place;

		find_place(search, search->chosen[k], NOBODY, &place);
		test_in_place(search, search->chosen[k], &place,
			&choices->all[choices->n++]);
	}
}
