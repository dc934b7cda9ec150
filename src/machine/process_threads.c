#include "machine/process_threads.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/child.h"

/* Largest number of processes whose threads are read. */
#define PROCESSES_MAX 256

/* Fields of /proc/PID/stat after the name, with their numbers in proc(5). */
#define FIELD_FIRST	3
#define FIELD_USER	14
#define FIELD_SYSTEM	15
#define FIELD_PROCESSOR 39

/* Read the start of a thread's file; return false if the thread has ended. */
static bool read_thread_file(
	pid_t pid, pid_t tid, const char *name, char *text, size_t bytes)
{
	char path[96];
	FILE *in;
	size_t n;

	snprintf(path, sizeof(path), "/proc/%ld/task/%ld/%s", (long)pid,
		(long)tid, name);
	in = fopen(path, "re");
	if (!in)
		return false;
	n = fread(text, 1, bytes - 1, in);
	text[n] = '\0';
	fclose(in);
	return n > 0;
}

static bool read_thread(pid_t pid, pid_t tid, struct process_thread *thread)
{
	char text[1024], *at, *rest;
	unsigned long ticks = 0;

	if (!read_thread_file(pid, tid, "stat", text, sizeof(text)))
		return false;
	/* The name of a thread may have blanks and parentheses. */
	at = strrchr(text, ')');
	if (!at)
		return false;
	*thread = (struct process_thread){.tid = tid};
	at = strtok_r(at + 1, " ", &rest);
	for (int field = FIELD_FIRST; at;
		field++, at = strtok_r(NULL, " ", &rest)) {
		if (field == FIELD_FIRST)
			thread->runs = *at == 'R';
		else if (field == FIELD_USER || field == FIELD_SYSTEM)
			ticks += strtoul(at, NULL, 10);
		else if (field == FIELD_PROCESSOR)
			thread->cpu = (unsigned)strtoul(at, NULL, 10);
	}
	thread->run_s = (double)ticks / (double)sysconf(_SC_CLK_TCK);
	/* Use CPU time in nanoseconds if the kernel counts it. */
	if (read_thread_file(pid, tid, "schedstat", text, sizeof(text)))
		thread->run_s = strtod(text, NULL) * 1e-9;
	return true;
}

size_t process_threads_read(
	pid_t pid, struct process_thread *threads, size_t most)
{
	pid_t pids[PROCESSES_MAX] = {pid};
	size_t n_pids = 1, n = 0;

	for (size_t i = 0; i < n_pids && n < most; i++) {
		char path[64];
		DIR *folder;
		const struct dirent *entry;

		snprintf(path, sizeof(path), "/proc/%ld/task", (long)pids[i]);
		folder = opendir(path);
		if (!folder)
			continue;
		while (n < most && (entry = readdir(folder))) {
			pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);

			if (tid <= 0 || !read_thread(pids[i], tid, &threads[n]))
				continue;
			n++;
			n_pids = child_add_pids(
				pids[i], tid, pids, n_pids, PROCESSES_MAX);
		}
		closedir(folder);
	}
	return n;
}
