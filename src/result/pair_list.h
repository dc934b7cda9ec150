/* A list of pairs, one per line, instead of a matrix. */
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
	size_t first_line; /* line in the file, from 1 */
	bool has_heading;  /* the line above names the columns */
	bool all_explicit; /* each line has words or arrows of a pair */
	bool of_nodes;	   /* pairs of NUMA nodes */
	/* A line among the pairs or next to them that is no pair, or NULL. */
	const struct table_line *odd;
};

/* Append a pair; false without memory. */
bool pair_list_add(struct pair_list *list, const struct pair_line *line);

/*
 * Whether a list has each pair of its CPUs once, or once in each direction, and
 * perhaps each CPU with itself. Two CPUs must be 0 and 1: other rows of three
 * numbers may be no pairs.
 */
bool pair_list_is_complete(
	const struct pair_list *list, const struct cpu_list *cpus);

/* Append the CPUs of the list, in ascending order. */
int pair_list_cpus(
	const struct pair_list *list, struct cpu_list *cpus, struct error *err);

/* Refuse a list with too few pairs for a matrix of its CPUs. */
int pair_list_check(
	const struct pair_list *list, size_t n_cpus, struct error *err);

/* Fill values[n * n], NaN before, ordered as by pair_list_cpus(). */
int pair_list_fill(const struct pair_list *list, const struct cpu_list *cpus,
	double *values, struct error *err);

#endif
