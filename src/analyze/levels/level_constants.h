/*
 * The constants that decide which levels a matrix shows, their confidence and
 * their kind.
 */
#ifndef C2C_LEVEL_CONSTANTS_H
#define C2C_LEVEL_CONSTANTS_H

#include <stdbool.h>
#include <stddef.h>

/* The table in level_constants.c explains each constant. */
struct level_constants {
	double cuts, spike;
	double odd_share, bad_share, sigmas, least_margin;
	double ridge, noise_floor, torn_cost, least_evidence, alone_evidence;
	double sample, widest, least_cells, cold_nearest, moved_cpus;
	double edge, far, parts, known_rows;
	double one_margin, one_share;
	double doubt_nats, odds, apart, bare_units;
	double alone_cap, inferred_cap, doubt_cap;
	double class_single, class_gap, class_rows, class_share;
	double class_clear, class_span, class_step, class_kinds, deviations;
	double argument, named, possible, named_cap, kinds_cap;
	double siblings_ns, cluster_ns, link, members, packages;
	double steps, comb_teeth, comb_fit, comb_next, comb_step, comb_odds;
	double draws, drawn_cpus;
};

struct level_constant {
	const char *name;
	size_t offset; /* offset in struct level_constants */
	double value;
	const char *meaning;
	const char *machine; /* what makes the constant necessary */
};

/* Return the constant at an index; NULL past the end. */
const struct level_constant *level_constants_row(size_t k);

/* Fill *constants with the values of the table. */
void level_constants_init(struct level_constants *constants);

/* Set a constant by its name; return false if the name is unknown. */
bool level_constants_set(
	struct level_constants *constants, const char *name, double value);

#endif
