/* A list of pairs, a line each, in place of a matrix. */
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
	size_t first_line; /* in the file, from 1 */
	bool has_heading;  /* the line above names the columns */
	bool all_explicit; /* each line says that it is a pair */
	bool of_nodes;	   /* of NUMA nodes */
	/* A line among them or beside them that is none, or NULL. */
	const struct table_line *odd;
};

/* Append a pair; false without memory. */
bool pair_list_add(struct pair_list *list, const struct pair_line *line);

/*
 * Whether it has each pair of its CPUs once, or once each way, and perhaps each
 * with itself. Two CPUs are 0 and 1: rows of three numbers may be others.
 */
bool pair_list_is_complete(
	const struct pair_list *list, const struct cpu_list *cpus);

/* Append its CPUs, in ascending order. */
int pair_list_cpus(
	const struct pair_list *list, struct cpu_list *cpus, struct error *err);

/* Refuse a list of so few pairs that a matrix of its CPUs would be empty. */
int pair_list_check(
	const struct pair_list *list, size_t n_cpus, struct error *err);

/* Fill values[n * n], NaN before; n and the order are those of its CPUs. */
int pair_list_fill(const struct pair_list *list, const struct cpu_list *cpus,
	double *values, struct error *err);

#endif
