#include "cl/workers.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "machine/machine.h"
#include "util/array.h"

/* A thread that ran less than this share of the longest time only woke up. */
#define LEAST_SHARE 0.05

/*
 * The share is larger for the thread that launches kernels: on a busy machine,
 * waiting for kernels may take a tenth of the time. If this thread runs
 * kernels, it works as long as the other threads.
 */
#define LEAST_SHARE_OF_CALLER 0.5

/* Bytes for the first line of a thread's file in /proc; "": no file. */
#define LINE_BYTES 1024
static void read_task_line(pid_t tid, const char *name, char line[LINE_BYTES])
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/%s", (int)tid, name);
	line[0] = '\0';
	file = fopen(path, "re");
	if (!file)
		return;
	if (!fgets(line, LINE_BYTES, file))
		line[0] = '\0';
	fclose(file);
}

/* Return the run time of a thread, from its schedstat; 0: unknown. */
static uint64_t worker_ran_ns(pid_t tid)
{
	char line[LINE_BYTES];

	read_task_line(tid, "schedstat", line);
	return strtoull(line, NULL, 10);
}

/* Return a thread's last CPU, -1 if unknown: the 39th field of stat. */
static int worker_last_cpu(pid_t tid)
{
	char line[LINE_BYTES];
	const char *at;

	read_task_line(tid, "stat", line);
	at = strrchr(line, ')');
	for (int field = 2; at && field < 39; field++)
		at = strchr(at + 1, ' ');
	return at ? atoi(at) : -1;
}

static int compare_workers(const void *a, const void *b)
{
	const struct worker *x = a, *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

int workers_note(struct workers *workers, struct error *err)
{
	DIR *folder = opendir("/proc/self/task");
	const struct dirent *entry;
	int rc = 0;

	*workers = (struct workers){0};
	if (!folder)
		return error_set(err, ERROR_FAILURE, errno,
			"/proc/self/task: %s", strerror(errno));
	while (rc == 0 && (entry = readdir(folder))) {
		pid_t tid = atoi(entry->d_name);

		if (tid <= 0)
			continue;
		if (array_grow(
			    &workers->all, workers->n, sizeof(*workers->all)))
			workers->all[workers->n++] =
				(struct worker){tid, worker_ran_ns(tid)};
		else
			rc = error_no_memory(err, "the list of threads");
	}
	closedir(folder);
	if (rc < 0) {
		workers_release(workers);
		return rc;
	}
	qsort(workers->all, workers->n, sizeof(*workers->all), compare_workers);
	return 0;
}

static uint64_t worker_ran_since(
	const struct workers *before, const struct worker *worker)
{
	for (size_t i = 0; i < before->n; i++) {
		if (before->all[i].tid == worker->tid)
			return worker->ran_ns - before->all[i].ran_ns;
	}
	return worker->ran_ns;
}

int workers_find(const struct workers *before, struct workers *workers,
	struct error *err)
{
	const pid_t caller = (pid_t)syscall(SYS_gettid);
	uint64_t longest = 0, ran;
	size_t kept = 0;
	int rc = workers_note(workers, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < workers->n; i++) {
		ran = worker_ran_since(before, &workers->all[i]);
		longest = ran > longest ? ran : longest;
	}
	for (size_t i = 0; i < workers->n; i++) {
		double share = workers->all[i].tid == caller
				       ? LEAST_SHARE_OF_CALLER
				       : LEAST_SHARE;

		ran = worker_ran_since(before, &workers->all[i]);
		if (ran > 0 && (double)ran >= share * (double)longest)
			workers->all[kept++] = workers->all[i];
	}
	workers->n = kept;
	return 0;
}

void workers_release(struct workers *workers)
{
	free(workers->all);
	*workers = (struct workers){0};
}

int workers_bind(const struct workers *workers, const struct cpu_list *cpus,
	struct error *err)
{
	bool each = workers->n == cpus->n;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < workers->n; i++)
		rc = machine_set_affinity(workers->all[i].tid,
			each ? &cpus->cpus[i] : cpus->cpus, each ? 1 : cpus->n,
			err);
	if (rc < 0)
		error_prefix(err, "the OpenCL implementation");
	return rc;
}

bool workers_are_bound(const struct workers *workers)
{
	struct cpu_list all = {0};
	bool bound = workers->n > 0;

	for (size_t i = 0; bound && i < workers->n; i++) {
		struct cpu_list own = {0};

		/* The thread is bound to a CPU of its own. */
		bound = machine_affinity(workers->all[i].tid, &own) &&
			own.n == 1 && cpu_list_find(&all, own.cpus[0]) < 0 &&
			cpu_list_add(&all, own.cpus[0], NULL) == 0;
		cpu_list_release(&own);
	}
	cpu_list_release(&all);
	return bound;
}

void workers_times(const struct workers *workers, uint64_t *ns)
{
	for (size_t i = 0; i < workers->n; i++)
		ns[i] = worker_ran_ns(workers->all[i].tid);
}

/* Return the CPUs that a thread may run on. *inside: cpus contains all. */
static char *worker_allowed_cpus(
	pid_t tid, const struct cpu_list *cpus, bool *inside)
{
	struct cpu_list list = {0};
	char *text = NULL;

	*inside = machine_affinity(tid, &list);
	for (size_t i = 0; i < list.n; i++)
		*inside = *inside && cpu_list_find(cpus, list.cpus[i]) >= 0;
	if (list.n > 0)
		text = cpu_list_format(&list);
	cpu_list_release(&list);
	return text;
}

bool workers_describe(const struct workers *workers,
	const struct cpu_list *cpus, struct record *record)
{
	bool inside = workers->n > 0;

	if (!inside)
		record_add_list(record, "threads");
	for (size_t i = 0; i < workers->n; i++) {
		const struct worker *worker = &workers->all[i];
		uint64_t ran = worker_ran_ns(worker->tid) - worker->ran_ns;
		int last = worker_last_cpu(worker->tid);
		struct facts row = {0};
		bool may;
		char *text = worker_allowed_cpus(worker->tid, cpus, &may);

		inside = inside && may && last >= 0 &&
			 cpu_list_find(cpus, (unsigned)last) >= 0;
		facts_set_count(&row, "tid", worker->tid);
		facts_set_text(&row, "cpus", text);
		facts_set_count(&row, "last_cpu", last);
		facts_set_number(&row, "ran_s", (double)ran * 1e-9);
		record_add_row(record, "threads", &row);
		free(text);
	}
	return inside;
}
