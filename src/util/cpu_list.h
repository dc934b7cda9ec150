/*
 * An ordered list of Linux CPU numbers and its text form, "0-3,8".
 *
 * The list owns its array: cpu_list_release() frees it. A zeroed struct is an
 * empty list; only the functions below may lengthen it, since the room of the
 * array follows from the length. Order is kept and is the order of rows and
 * columns wherever a list names the CPUs of a matrix.
 */
#ifndef C2C_UTIL_CPU_LIST_H
#define C2C_UTIL_CPU_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "util/error.h"

/* The largest CPU number that text may name. */
#define CPU_LIST_MAX_CPU 1048575u

struct cpu_list {
	unsigned *cpus; /* [n], no number twice */
	size_t n;
};

void cpu_list_release(struct cpu_list *list);

/*
 * Append cpu, at most CPU_LIST_MAX_CPU, unless it is there already. -ENOMEM
 * with *err filled.
 */
int cpu_list_add(struct cpu_list *list, unsigned cpu, struct error *err);

/* The position of cpu in the list, or -1. */
long cpu_list_find(const struct cpu_list *list, unsigned cpu);

/* Put the CPUs in increasing order. */
void cpu_list_sort(struct cpu_list *list);

/*
 * Append what text names to *list: "0-3,8", the kernel's list format, with
 * strides as "0-30/2" or, like taskset, "0-30:2". -EINVAL with *err saying
 * which part of the text is wrong and what was expected; *list then holds what
 * came before it.
 */
int cpu_list_parse(struct cpu_list *list, const char *text, struct error *err);

/*
 * The text, neighbours joined as in "0-3,8", that cpu_list_parse() reads back
 * as the same list.
 * Returns a string for free(), or NULL when memory is out.
 */
char *cpu_list_format(const struct cpu_list *list);

#endif
