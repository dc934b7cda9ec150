#include "util/cpu_list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

int cpu_list_add(struct cpu_list *list, unsigned cpu, struct error *err)
{
	/* Mostly increasing: the last element answers without a search. */
	if (list->n > 0 && list->cpus[list->n - 1] >= cpu &&
		cpu_list_find(list, cpu) >= 0)
		return 0;
	/* Grow at powers of two, which the length itself remembers. */
	if ((list->n & (list->n - 1)) == 0) {
		size_t room = list->n ? 2 * list->n : 1;
		unsigned *cpus = reallocarray(list->cpus, room, sizeof(*cpus));

		if (!cpus)
			return error_no_memory(err, "a list of CPUs");
		list->cpus = cpus;
	}
	list->cpus[list->n++] = cpu;
	return 0;
}

static int compare_cpus(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a;
	unsigned y = *(const unsigned *)b;

	return (x > y) - (x < y);
}

void cpu_list_sort(struct cpu_list *list)
{
	if (list->n > 1)
		qsort(list->cpus, list->n, sizeof(*list->cpus), compare_cpus);
}

/* Read one number at *cursor and step over it. */
static int parse_cpu(
	const char **cursor, unsigned *cpu, const char *text, struct error *err)
{
	unsigned long value;
	char *end;

	if (**cursor < '0' || **cursor > '9')
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' is not a list of CPUs: a CPU number was expected "
			"at '%s' (write for instance 0-3,8)",
			text, *cursor);
	errno = 0;
	value = strtoul(*cursor, &end, 10);
	if (errno || value > CPU_LIST_MAX_CPU)
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' names a CPU above %u, the largest number known",
			text, CPU_LIST_MAX_CPU);
	*cursor = end;
	*cpu = (unsigned)value;
	return 0;
}

int cpu_list_parse(struct cpu_list *list, const char *text, struct error *err)
{
	const char *cursor = text;

	for (;;) {
		unsigned first, last, stride = 1;
		int rc = parse_cpu(&cursor, &first, text, err);

		if (rc < 0)
			return rc;
		last = first;
		if (*cursor == '-') {
			cursor++;
			rc = parse_cpu(&cursor, &last, text, err);
			if (rc < 0)
				return rc;
			if (last < first)
				return error_set(err, ERROR_USAGE, EINVAL,
					"'%s' has the range %u-%u, which runs "
					"backwards",
					text, first, last);
			if (*cursor == '/') {
				cursor++;
				rc = parse_cpu(&cursor, &stride, text, err);
				if (rc < 0)
					return rc;
				if (stride == 0)
					return error_set(err, ERROR_USAGE,
						EINVAL,
						"'%s' has a stride of 0", text);
			}
		}
		for (unsigned cpu = first; cpu <= last; cpu += stride) {
			rc = cpu_list_add(list, cpu, err);
			if (rc < 0)
				return rc;
		}
		if (*cursor == '\0')
			return 0;
		if (*cursor != ',')
			return error_set(err, ERROR_USAGE, EINVAL,
				"'%s' is not a list of CPUs: ',' was expected "
				"at '%s'",
				text, cursor);
		cursor++;
	}
}

char *cpu_list_format(const struct cpu_list *list)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		return NULL;
	for (size_t i = 0; i < list->n;) {
		size_t end = i + 1;

		while (end < list->n &&
			list->cpus[end] == list->cpus[end - 1] + 1)
			end++;
		fprintf(out, "%s%u", i ? "," : "", list->cpus[i]);
		/* Two neighbours are as short as a pair: 4,5 not 4-5. */
		if (end - i == 2)
			fprintf(out, ",%u", list->cpus[end - 1]);
		else if (end - i > 2)
			fprintf(out, "-%u", list->cpus[end - 1]);
		i = end;
	}
	if (fclose(out) != 0) {
		free(text);
		return NULL;
	}
	return text;
}
