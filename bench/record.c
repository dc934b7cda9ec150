/*
 * How long do writing and reading a record take, and how much memory?
 *
 * The record has five matrices of made-up latencies, and three passes of all
 * pairs. The program prints the shortest times of some turns, and the peak
 * memory of the whole process.
 *
 * Usage: record [CPUS [TURNS]]   (default 1024, 5)
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "result/file.h"

static void fill_record(struct result *result, unsigned n)
{
	static const char *const statistics[] = {
		"median", "min", "p90", "ci_low", "ci_high"};
	struct passes *passes;
	size_t pair = 0;

	result_init(result);
	result->command = strdup("latency");
	for (unsigned cpu = 0; cpu < n; cpu++)
		cpu_list_add(&result->cpus, cpu, NULL);
	for (size_t m = 0; m < 5; m++) {
		double *values = result_add_matrix(result, "latency",
			statistics[m], "ns", "one-way", false, true)
					 ->values;

		for (size_t i = 0; i < n; i++) {
			for (size_t j = 0; j < n; j++)
				values[i * n + j] =
					i == j ? NAN
					       : 50 + (double)(i * j % 9973) /
								 37;
		}
	}
	passes = result_add_passes(
		result, "latency", "ns", (size_t)n * (n - 1) / 2, 3);
	for (unsigned i = 0; i < n; i++) {
		for (unsigned j = 0; j < i; j++)
			passes->pairs[pair++] = (struct cpu_pair){i, j};
	}
	for (size_t i = 0; i < 3 * passes->n_pairs; i++)
		passes->values[i] = 50 + (double)(i % 9973) / 41;
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
	unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 1024;
	int turns = argc > 2 ? atoi(argv[2]) : 5;
	char path[] = "bench-record-XXXXXX.json";
	double written = INFINITY, read = INFINITY;
	struct result result, back;
	struct rusage usage;
	struct error err;
	int fd = mkstemps(path, 5), rc = fd < 0 ? -1 : close(fd);

	fill_record(&result, n);
	for (int i = 0; rc == 0 && i < turns; i++) {
		double begin = seconds();

		rc = result_save(&result, path, &err);
		written = fmin(written, seconds() - begin);
		begin = seconds();
		rc = rc ? rc : result_load(&back, path, &err);
		read = fmin(read, seconds() - begin);
		if (rc == 0)
			result_release(&back);
	}
	getrusage(RUSAGE_SELF, &usage);
	unlink(path);
	result_release(&result);
	printf("%u CPUs: written in %.3f s, read in %.3f s, peak %ld MiB\n", n,
		written, read, usage.ru_maxrss >> 10);
	return rc != 0;
}
