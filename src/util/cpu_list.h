/*
 * An ordered list of Linux CPU numbers and its text form, "0-3,8".
 *
 * A zeroed struct is an empty list. A list owns its array. Only these functions
 * may lengthen the array, because its capacity follows from its length. The
 * order is that of the rows and columns of a matrix.
 */
#ifndef C2C_CPU_LIST_H
#define C2C_CPU_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "util/error.h"

/* The largest CPU number that cpu_list_parse() accepts. */
#define CPU_LIST_MAX_CPU 1048575u

struct cpu_list {
	unsigned *cpus; /* [n], all different */
	size_t n;
};

void cpu_list_release(struct cpu_list *list);

/*
 * Append cpu, at most CPU_LIST_MAX_CPU, unless the list has it. -ENOMEM with
 * *err.
 */
int cpu_list_add(struct cpu_list *list, unsigned cpu, struct error *err);

/* Return the index of cpu in the list, or -1. */
long cpu_list_find(const struct cpu_list *list, unsigned cpu);

/* Compare two CPU numbers, for qsort() and bsearch(). */
int cpu_list_compare_numbers(const void *a, const void *b);

void cpu_list_sort(struct cpu_list *list);

/* Return whether both lists have the same numbers in the same order. */
bool cpu_list_same(const struct cpu_list *a, const struct cpu_list *b);

/*
 * Append the CPUs of text in the kernel's format, "0-3,8", with strides as
 * "0-30/2" or, like taskset, "0-30:2". On an error, return -EINVAL with the
 * reason in *err, and *list has the CPUs before the error.
 */
int cpu_list_parse(struct cpu_list *list, const char *text, struct error *err);

/* Return text for cpu_list_parse(), "0-3,8", for free(); NULL: no memory. */
char *cpu_list_format(const struct cpu_list *list);

#endif
