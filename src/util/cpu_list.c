/* Lists of CPU numbers, and their text as users and the kernel write it. */
#include "util/cpu_list.h"

#include <errno.h>
#include <stdlib.h>

#include "util/array.h"
#include "util/text.h"

void cpu_list_release(struct cpu_list *list)
{
	free(list->cpus);
	list->cpus = NULL;
	list->n = 0;
}

long cpu_list_find(const struct cpu_list *list, unsigned cpu)
{
	for (size_t i = 0; i < list->n; i++) {
		if (list->cpus[i] == cpu)
			return (long)i;
	}
	return -1;
}

/* Append a CPU that is not in the list. */
static int append_cpu(struct cpu_list *list, unsigned cpu, struct error *err)
{
	if (!array_grow(&list->cpus, list->n, sizeof(cpu)))
		return error_no_memory(err, "a list of CPUs");
	list->cpus[list->n++] = cpu;
	return 0;
}

int cpu_list_add(struct cpu_list *list, unsigned cpu, struct error *err)
{
	if (cpu_list_find(list, cpu) >= 0)
		return 0;
	return append_cpu(list, cpu, err);
}

int cpu_list_compare_numbers(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a;
	unsigned y = *(const unsigned *)b;

	return (x > y) - (x < y);
}

void cpu_list_sort(struct cpu_list *list)
{
	if (list->n > 1)
		qsort(list->cpus, list->n, sizeof(*list->cpus),
			cpu_list_compare_numbers);
}

bool cpu_list_same(const struct cpu_list *a, const struct cpu_list *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++) {
		if (a->cpus[i] != b->cpus[i])
			return false;
	}
	return true;
}

/* Parse a number at *cursor, and move *cursor behind it. */
static int parse_cpu(
	const char **cursor, unsigned *cpu, const char *text, struct error *err)
{
	const char *at = *cursor;
	unsigned long value = strtoul(at, (char **)cursor, 10);

	if (*at < '0' || *at > '9')
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' is not a list of CPUs: a CPU number was expected "
			"at %s%s%s (write for instance 0-3,8)",
			text, *at ? "'" : "its end", at, *at ? "'" : "");
	/* strtoul() returns ULONG_MAX for larger numbers. */
	if (value > CPU_LIST_MAX_CPU)
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' has a CPU number above the largest possible "
			"number, %u",
			text, CPU_LIST_MAX_CPU);
	*cpu = (unsigned)value;
	return 0;
}

/* A CPU or a range between commas. */
struct cpu_range {
	unsigned first, last, stride;
};

static int parse_cpu_range(const char **cursor, struct cpu_range *range,
	const char *text, struct error *err)
{
	int rc = parse_cpu(cursor, &range->first, text, err);

	if (rc < 0)
		return rc;
	range->last = range->first;
	range->stride = 1;
	if (**cursor != '-')
		return 0;
	++*cursor;
	rc = parse_cpu(cursor, &range->last, text, err);
	if (rc == 0 && range->last < range->first)
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' has the range %u-%u, which runs backwards", text,
			range->first, range->last);
	if (rc < 0 || (**cursor != '/' && **cursor != ':'))
		return rc;
	++*cursor;
	rc = parse_cpu(cursor, &range->stride, text, err);
	if (rc == 0 && range->stride == 0)
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' has a stride of 0: 1 or more was expected", text);
	return rc;
}

/*
 * Append the CPUs of a range that the list lacks. seen[cpu] is set if the list
 * has the CPU: a search would take minutes for "1048575,0-1048574".
 */
static int add_unseen_cpus(struct cpu_list *list, const struct cpu_range *range,
	bool *seen, struct error *err)
{
	for (unsigned cpu = range->first; cpu <= range->last;
		cpu += range->stride) {
		if (seen[cpu])
			continue;
		if (append_cpu(list, cpu, err) < 0)
			return -ENOMEM;
		seen[cpu] = true;
	}
	return 0;
}

int cpu_list_parse(struct cpu_list *list, const char *text, struct error *err)
{
	bool *seen = calloc(CPU_LIST_MAX_CPU + 1, sizeof(*seen));
	const char *cursor = text;
	int rc;

	if (!seen)
		return error_no_memory(err, "a list of CPUs");
	for (size_t i = 0; i < list->n; i++)
		seen[list->cpus[i]] = true;
	do {
		struct cpu_range range = {.stride = 1};

		rc = parse_cpu_range(&cursor, &range, text, err);
		if (rc == 0)
			rc = add_unseen_cpus(list, &range, seen, err);
		if (rc == 0 && *cursor && *cursor != ',')
			rc = error_set(err, ERROR_USAGE, EINVAL,
				"'%s' is not a list of CPUs: ',' was expected "
				"at '%s'",
				text, cursor);
	} while (rc == 0 && *cursor++);
	free(seen);
	return rc;
}

char *cpu_list_format(const struct cpu_list *list)
{
	struct text_list text = {.text = NULL};
	const unsigned *cpus = list->cpus;

	for (size_t i = 0, end; i < list->n; i = end) {
		for (end = i + 1; end < list->n; end++) {
			if (cpus[end] != cpus[end - 1] + 1)
				break;
		}
		text_list_add(&text, ",", "%u", cpus[i]);
		/* Two consecutive numbers are "4,5", not "4-5". */
		if (end - i > 1)
			text_list_add(&text, end - i > 2 ? "-" : ",", "%u",
				cpus[end - 1]);
	}
	return text_list_end(&text);
}
