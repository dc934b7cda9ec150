/*
 * How often the analysis is right on machines made up from seeds, and how sure
 * it was: a table of whole machines and one of parts of them, a row for each
 * kind. bench/README.md has what it said on 2026-11-29: 3,701 of 4,159 levels
 * of parts found, 185 of 4,325 invented, 9 of 1,887 wrong at 0.9; whole 8,868
 * of 9,136, 216 of 9,690, 5 of 5,715.
 *
 * shown       levels of the machines that show, and must be found
 * found       those of them that are given, with 0.5 or more
 * given       levels that are, and of these
 * inv'd       those that are not true
 * sure        given with 0.9 or more, and of these
 * wrong       those that are not true
 * named       kinds of true levels, with 0.9 or more, and of these
 * wrong       those that are not true
 * by order    machines with another answer in another order of CPUs
 * place       machines said to move threads that do not, or the reverse
 * again       with -a, machines with cells that contradict their neighbours,
 * cells       and how many these are: each gets the median of three
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <jansson.h>

#include "machines.h"
#include "score.h"
#include "util/array.h"

#define MOST_KINDS 100

/* What the user asks for. */
static struct request {
	size_t machines, first, jobs;
	const char *kind, *program;
	bool whole, parts;
	struct score_task task;
	struct level_constants constants;
} request = {.machines = 100,
	.first = 1,
	.jobs = 1,
	.whole = true,
	.parts = true,
	.task = {.n_max = 32, .orders = 2}};

static const char usage[] =
	"usage: score_groups [OPTION]...\n"
	"  -n MACHINES  of each kind (100)\n"
	"  -f FIRST     the first seed (1)\n"
	"  -k KIND      kinds whose names have this word; lists what is wrong\n"
	"  -w, -p       whole machines only, parts only\n"
	"  -c CPUS      of a whole machine at most, 32 at least (32)\n"
	"  -o ORDERS    of the CPUs of each, the first their own (2)\n"
	"  -j JOBS      processes (1)\n"
	"  -a           measure again what contradicts its neighbours\n"
	"  -s NAME=NUMBER  another value of a row of level_constants.c\n"
	"  -x PROGRAM   score `PROGRAM analyze FILE --json` instead\n";

/* A level of n CPUs in the answer of another program. */
static struct score_level read_level(
	json_t *level, size_t n, struct arena *arena)
{
	const char *kind = json_string_value(json_object_get(level, "kind"));
	struct score_level made = {
		.group = arena_alloc(arena, n, sizeof(*made.group)),
		.confidence =
			json_number_value(json_object_get(level, "confidence")),
		.kind_confidence = json_number_value(
			json_object_get(level, "kind_confidence"))};
	json_t *group, *cpu;
	size_t g, c;

	while (made.kind < ANALYSIS_GROUP && kind &&
		strcmp(kind, analysis_kinds[made.kind]) != 0)
		made.kind++;
	for (size_t i = 0; i < n; i++)
		made.group[i] = (uint32_t)(n + i);
	json_array_foreach(json_object_get(level, "groups"), g, group)
		json_array_foreach(group, c, cpu)
			made.group[json_integer_value(cpu)] = (uint32_t)g;
	return made;
}

static void ask_program(const struct score_machine *machine,
	const double *values, struct score_answer *answer, struct arena *arena)
{
	size_t n = machine->n, k;
	char *file = arena_format(
		arena, "/tmp/score_groups.%ld.csv", (long)getpid());
	FILE *stream = fopen(file, "w");
	json_t *found, *level;
	const char *place;

	*answer = (struct score_answer){0};
	for (size_t i = 0; stream && i < n * n; i++) {
		if (values[i] >= 0)
			fprintf(stream, "%.2f", values[i]);
		putc(i % n == n - 1 ? '\n' : ',', stream);
	}
	if (!stream || fclose(stream) != 0)
		abort();
	stream = popen(arena_format(arena, "%s analyze %s --json",
			       request.program, file),
		"r");
	found = stream ? json_loadf(stream, 0, NULL) : NULL;
	if (!stream || pclose(stream) != 0 || !found)
		abort();
	unlink(file);
	place = json_string_value(json_object_get(found, "placement"));
	/* Of fewer it says that they are too few to tell. */
	answer->moves = n >= 8 && place && strcmp(place, "stable") != 0;
	json_array_foreach(json_object_get(found, "levels"), k, level)
	{
		struct score_level made = read_level(level, n, arena);

		if (made.confidence >= SCORE_GIVEN &&
			answer->n_levels < N_OF(answer->levels))
			answer->levels[answer->n_levels++] = made;
	}
	json_decref(found);
}

/* Seeds by turns of the processes; tallies[jobs][2][MOST_KINDS] are shared. */
static void work(size_t job, struct score_tally *tallies)
{
	struct score_task task = request.task;

	for (size_t kind = 0; score_kind_name(kind); kind++)
		for (int part = !request.whole; part <= request.parts; part++)
			for (size_t k = job; k < request.machines;
				k += request.jobs) {
				if (request.kind &&
					!strstr(score_kind_name(kind),
						request.kind))
					continue;
				task.kind = kind;
				task.part = part;
				score_add(&task, request.first + k,
					&tallies[(job * 2 + (size_t)part) *
							 MOST_KINDS +
						 kind]);
			}
	fflush(stdout);
}

/* Add counts, which are all words. */
static void add(struct score_tally *sum, const struct score_tally *more)
{
	unsigned *to = (unsigned *)sum;
	const unsigned *from = (const unsigned *)more;

	for (size_t k = 0; k < sizeof(*sum) / sizeof(*to); k++)
		to[k] += from[k];
}

static void print_row(const char *name, const struct score_tally *tally)
{
	printf("%-14s %8u %6u %6u %6u %6u %6u %6u %5u %6u %8u %6u %5u %5u\n",
		name, tally->machines, tally->shown, tally->found, tally->given,
		tally->invented, tally->sure, tally->wrong, tally->named,
		tally->misnamed, tally->machines - tally->same,
		tally->misplaced, tally->again, tally->cells);
}

static void print_table(const struct score_tally *tallies, int part)
{
	struct score_tally sum = {0};

	printf("\n%-14s machines  shown  found  given  inv'd   sure  wrong "
	       "named  wrong by order  place again cells\n",
		part ? "part of" : "whole");
	for (size_t kind = 0; score_kind_name(kind); kind++) {
		struct score_tally tally = {0};

		for (size_t job = 0; job < request.jobs; job++)
			add(&tally,
				&tallies[(job * 2 + (size_t)part) * MOST_KINDS +
					 kind]);
		if (tally.machines > 0)
			print_row(score_kind_name(kind), &tally);
		add(&sum, &tally);
	}
	print_row("all", &sum);
	printf("right of given, by confidence:");
	for (size_t b = 0; b < SCORE_BINS; b++)
		printf("  from %.2f %u of %u", score_bins[b], sum.right[b],
			sum.bins[b]);
	printf("\n");
}

static bool read_request(int argc, char **argv)
{
	size_t *const numbers[] = {&request.machines, &request.first,
		&request.task.n_max, &request.task.orders, &request.jobs};
	static const char letters[] = "nfcoj";
	int option;

	request.task.analyse = score_groups_find;
	level_constants_init(&request.constants);
	request.task.constants = &request.constants;
	while ((option = getopt(argc, argv, "n:f:c:o:j:k:s:x:awp")) != -1) {
		const char *letter = strchr(letters, option);

		if (letter)
			*numbers[letter - letters] = strtoul(optarg, NULL, 10);
		else if (option == 'k')
			request.kind = optarg;
		else if (option == 's' && strchr(optarg, '=')) {
			char *number = strchr(optarg, '=');

			*number++ = '\0';
			if (!level_constants_set(&request.constants, optarg,
				    strtod(number, NULL)))
				return false;
		} else if (option == 'x')
			request.program = optarg;
		else if (option == 'a')
			request.task.again = true;
		else if (option == 'w')
			request.parts = false;
		else if (option == 'p')
			request.whole = false;
		else
			return false;
	}
	if (request.program)
		request.task.analyse = ask_program;
	request.task.list = request.kind;
	return optind == argc && request.jobs > 0 && request.task.n_max >= 32;
}

int main(int argc, char **argv)
{
	struct score_tally *tallies;
	int failed = 0, status;

	if (!read_request(argc, argv)) {
		fputs(usage, stderr);
		return 2;
	}
	tallies = mmap(NULL, sizeof(*tallies) * 2 * MOST_KINDS * request.jobs,
		PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (tallies == MAP_FAILED)
		abort();
	for (size_t job = 0; job < request.jobs; job++)
		if (fork() == 0) {
			work(job, tallies);
			_exit(0);
		}
	while (wait(&status) > 0)
		failed |= status;
	for (int part = !request.whole; part <= request.parts; part++)
		print_table(tallies, part);
	return failed != 0;
}
