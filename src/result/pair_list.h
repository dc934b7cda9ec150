/* A list of pairs in a text, with one pair on each line. */
#ifndef C2C_PAIR_LIST_H
#define C2C_PAIR_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "result/pair_line.h"
#include "util/cpu_list.h"
#include "util/error.h"

struct table_line;

struct pair_list {
	struct pair_line *lines; /* [n], owned */
	size_t n;
	size_t first_line; /* number of the first line, from 1 */
	bool has_heading;  /* a heading is above the list */
	bool all_explicit; /* all lines have words or arrows */
	bool of_nodes;	   /* the pairs are NUMA nodes */
	/* A line in or next to the list that is not a pair, or NULL. */
	const struct table_line *odd;
};

bool pair_list_add(struct pair_list *list, const struct pair_line *line);

/*
 * Return whether a list has each pair of its CPUs once, or once in each
 * direction. Each CPU may be paired with itself. If the list has two CPUs, they
 * must be 0 and 1, because other lines of three numbers may not be pairs.
 */
bool pair_list_is_complete(
	const struct pair_list *list, const struct cpu_list *cpus);

int pair_list_cpus(
	const struct pair_list *list, struct cpu_list *cpus, struct error *err);

/* Check that a list has enough pairs for a matrix. */
int pair_list_check(
	const struct pair_list *list, size_t n_cpus, struct error *err);

/* Fill the matrix values[n * n] over cpus. values are NaN before the call. */
int pair_list_fill(const struct pair_list *list, const struct cpu_list *cpus,
	double *values, struct error *err);

#endif
