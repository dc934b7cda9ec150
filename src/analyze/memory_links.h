/*
 * Finds which groups of CPUs share a link to memory. A group is, for instance,
 * the CPUs of a last-level cache. Two groups on one link together read less
 * than the sum of the rates that each reaches alone. Pure.
 */
#ifndef C2C_MEMORY_LINKS_H
#define C2C_MEMORY_LINKS_H

#include <stdbool.h>
#include <stddef.h>

#include "util/error.h"

/* A rate in GiB/s. */
struct link_rate {
	double median, low, high; /* NaN: not measured, or too few passes */
	double halves[2];
};

enum links_finding {
	LINKS_FOUND,
	LINKS_UNKNOWN,	  /* a rate or its interval is missing */
	LINKS_UNCLEAR,	  /* an interval allows both answers */
	LINKS_CONTRADICT, /* a and b share no link, but both share it with c */
	LINKS_CHANGED,	  /* the halves of the run have different answers */
};

struct memory_links {
	enum links_finding finding;
	size_t a, b;	/* if not found: a pair with the cause */
	size_t n_links; /* if found */
	/* All groups also share one common link, which any two groups fill. */
	bool common;
};

/*
 * Find the links of n groups. rates[n * n] has the rate of each pair at [a * n
 * + b] for a < b, and of each group alone at [a * n + a]. Write the number of
 * each group's link to link_of[n], counted from 0 in the order of their first
 * groups. Return -ENOMEM without memory.
 */
int memory_links_find(const struct link_rate *rates, size_t n,
	struct memory_links *links, size_t *link_of, struct error *err);

#endif
