#include "analyze/memory_links.h"

#include <math.h>
#include <stdlib.h>

/*
 * The kept share of a pair is the rate of its two groups together, divided by
 * the sum of the rates that each group reaches alone. Below KEPT_SHARED the two
 * groups share a link, from KEPT_APART on they do not. Two groups that each
 * fill a shared link keep half of their rates. Medians of a run were up to 8 %
 * off, so the share of a pair without a common link may be 0.85.
 */
#define KEPT_SHARED 0.75
#define KEPT_APART  0.8

struct kept_share {
	double median, low, high;
	double halves[2];
};

enum link_answer {
	LINK_APART,
	LINK_SHARED,
	LINK_OPEN,    /* the interval allows both */
	LINK_MISSING, /* the share has no interval */
	LINK_CHANGED,
};

static struct kept_share kept_share_of(
	const struct link_rate *rates, size_t n, size_t a, size_t b)
{
	const struct link_rate *x = &rates[a * n + a], *y = &rates[b * n + b];
	const struct link_rate *both = &rates[a * n + b];
	struct kept_share kept = {
		.median = both->median / (x->median + y->median),
		.low = both->low / (x->high + y->high),
		.high = both->high / (x->low + y->low),
	};

	for (int h = 0; h < 2; h++)
		kept.halves[h] =
			both->halves[h] / (x->halves[h] + y->halves[h]);
	return kept;
}

/* Return the largest share of all pairs, which memory may limit. */
static struct kept_share find_most_kept(const struct link_rate *rates, size_t n)
{
	struct kept_share most = {.median = NAN, .halves = {NAN, NAN}};

	for (size_t k = 0; k < n * n; k++) {
		struct kept_share kept = kept_share_of(rates, n, k / n, k % n);

		if (k / n >= k % n || isnan(kept.median))
			continue;
		if (!(kept.median <= most.median)) {
			most.median = kept.median;
			most.low = kept.low;
			most.high = kept.high;
		}
		for (int h = 0; h < 2; h++)
			most.halves[h] = fmax(most.halves[h], kept.halves[h]);
	}
	return most;
}

/* Return whether a pair shares a link in only one half of the run. */
static bool halves_differ(const struct kept_share *kept, const double most[2])
{
	for (int h = 0; h < 2; h++) {
		if (kept->halves[h] < KEPT_SHARED * most[h] &&
			kept->halves[!h] >= KEPT_APART * most[!h])
			return true;
	}
	return false;
}

/* Return the answer for a share, relative to the largest share. */
static enum link_answer answer_of(
	const struct kept_share *kept, double most, const double most_halves[2])
{
	if (isnan(kept->low) || isnan(kept->high))
		return LINK_MISSING;
	if (halves_differ(kept, most_halves))
		return LINK_CHANGED;
	if (kept->high < KEPT_SHARED * most)
		return LINK_SHARED;
	return kept->low >= KEPT_APART * most ? LINK_APART : LINK_OPEN;
}

static enum link_answer answer_of_pair(const struct link_rate *rates, size_t n,
	const struct kept_share *most, size_t a, size_t b)
{
	struct kept_share kept = kept_share_of(rates, n, a, b);
	/* A share above 1 is noise. */
	const double halves[2] = {
		fmin(most->halves[0], 1), fmin(most->halves[1], 1)};

	return answer_of(&kept, fmin(most->median, 1), halves);
}

static void set_doubt(struct memory_links *links, enum links_finding finding,
	size_t a, size_t b)
{
	if (links->finding >= finding)
		return;
	links->finding = finding;
	links->a = a;
	links->b = b;
}

static void doubt_answer(struct memory_links *links, enum link_answer answer,
	bool joined, size_t a, size_t b)
{
	static const enum links_finding findings[] = {
		[LINK_OPEN] = LINKS_UNCLEAR,
		[LINK_MISSING] = LINKS_UNKNOWN,
		[LINK_CHANGED] = LINKS_CHANGED,
	};

	if (answer == LINK_APART && joined)
		set_doubt(links, LINKS_CONTRADICT, a, b);
	/*
	 * Two groups that both share a link with a third group must share it.
	 */
	else if (answer == LINK_CHANGED || (answer > LINK_SHARED && !joined))
		set_doubt(links, findings[answer], a, b);
}

static void join_links(size_t *link_of, size_t n, size_t a, size_t b)
{
	size_t x = link_of[a], y = link_of[b];

	for (size_t i = 0; i < n; i++) {
		if (link_of[i] == x || link_of[i] == y)
			link_of[i] = x < y ? x : y;
	}
}

/* Count the links from 0, in the order of their first groups. */
static size_t number_links(size_t *link_of, size_t n)
{
	size_t found = 0;

	for (size_t a = 0; a < n; a++) {
		if (link_of[a] == a)
			link_of[a] = found++;
		else
			link_of[a] = link_of[link_of[a]];
	}
	return found;
}

/* Fill answers[n * n], for each pair a < b at [a * n + b]. */
static void answer_pairs(const struct link_rate *rates, size_t n,
	const struct kept_share *most, enum link_answer *answers)
{
	for (size_t a = 0; a < n; a++) {
		for (size_t b = a + 1; b < n; b++)
			answers[a * n + b] =
				answer_of_pair(rates, n, most, a, b);
	}
}

/* Join the links of pairs that share a link, and note doubtful answers. */
static void find_links(const enum link_answer *answers, size_t n,
	struct memory_links *links, size_t *link_of)
{
	for (size_t a = 0; a < n; a++)
		link_of[a] = a;
	for (size_t a = 0; a < n; a++) {
		for (size_t b = a + 1; b < n; b++) {
			if (answers[a * n + b] == LINK_SHARED)
				join_links(link_of, n, a, b);
		}
	}
	for (size_t a = 0; a < n; a++) {
		for (size_t b = a + 1; b < n; b++)
			doubt_answer(links, answers[a * n + b],
				link_of[a] == link_of[b], a, b);
	}
	links->n_links = number_links(link_of, n);
}

int memory_links_find(const struct link_rate *rates, size_t n,
	struct memory_links *links, size_t *link_of, struct error *err)
{
	static const double whole[2] = {1, 1};
	struct kept_share most = find_most_kept(rates, n);
	enum link_answer all = answer_of(&most, 1, whole);
	enum link_answer *answers = calloc(n * n + 1, sizeof(*answers));

	if (!answers)
		return error_no_memory(err, "the links to memory");
	*links = (struct memory_links){.finding = LINKS_FOUND};
	answer_pairs(rates, n, &most, answers);
	find_links(answers, n, links, link_of);
	free(answers);
	links->common = all == LINK_SHARED && links->n_links > 1;
	if (links->n_links < n || n < 2)
		return 0;
	/* All pairs have about the same share, so this share alone decides. */
	doubt_answer(links, all, false, 0, 1);
	if (!links->common)
		return 0;
	for (size_t a = 0; a < n; a++)
		link_of[a] = 0;
	links->n_links = 1;
	links->common = false;
	return 0;
}
