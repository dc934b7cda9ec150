#include <fnmatch.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "case_group.h"
#include "util/text.h"

#define NAME_BYTES 64
#define CASES_MAX  128

static struct case_group *groups;

/* In the order of the files in sources.am. */
void case_group_add(struct case_group *group)
{
	struct case_group **end = &groups;

	while (*end)
		end = &(*end)->next;
	*end = group;
}

static const char *name_of(
	const struct case_group *group, char name[NAME_BYTES])
{
	const char *slash = strrchr(group->file, '/');
	const char *begin = slash ? slash + 1 : group->file;

	if (strncmp(begin, "test_", 5) == 0)
		begin += 5;
	snprintf(name, NAME_BYTES, "%.*s", (int)strcspn(begin, "."), begin);
	return name;
}

/*
 * cmocka knows no time of a case, so these go around what is before and after.
 */
static const struct CMUnitTest *chosen[CASES_MAX];
static size_t n_chosen, n_begun;
static struct timespec began;

static int begin_case(void **state)
{
	const struct CMUnitTest *test = chosen[n_begun++];

	clock_gettime(CLOCK_MONOTONIC, &began);
	return test->setup_func ? test->setup_func(state) : 0;
}

static int end_case(void **state)
{
	const struct CMUnitTest *test = chosen[n_begun - 1];
	int rc = test->teardown_func ? test->teardown_func(state) : 0;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	print_message("# took %ld ms: %s\n",
		(now.tv_sec - began.tv_sec) * 1000 +
			(now.tv_nsec - began.tv_nsec) / 1000000,
		test->name);
	return rc;
}

/* Names that a word may have meant; without any, all names. */
struct nearest {
	const char *word;
	bool all;
	size_t n;
};

static void tell_if_near(struct nearest *nearest, const char *name)
{
	size_t best = SIZE_MAX;

	if (!nearest->all && !strstr(name, nearest->word) &&
		!text_is_nearer(nearest->word, name, &best))
		return;
	fprintf(stderr, "\t%s\n", name);
	nearest->n++;
}

static int no_case(const struct case_group *group, const char *word)
{
	struct nearest nearest = {.word = word};
	char name[NAME_BYTES];

	fprintf(stderr, "%s has no case '%s'; it has:\n", name_of(group, name),
		word);
	do {
		for (size_t i = 0; i < group->n_cases; i++)
			tell_if_near(&nearest, group->cases[i].name);
		nearest.all = !nearest.all;
	} while (nearest.n == 0 && nearest.all);
	return 2;
}

static int no_group(const char *word)
{
	struct nearest nearest = {.word = word};
	char name[NAME_BYTES];

	fprintf(stderr, "there is no group '%s', but:\n", word);
	do {
		for (const struct case_group *group = groups; group;
			group = group->next)
			tell_if_near(&nearest, name_of(group, name));
		nearest.all = !nearest.all;
	} while (nearest.n == 0 && nearest.all);
	return 2;
}

/* Those of the group whose name matches pattern; NULL: all. */
static int run_group(const struct case_group *group, const char *pattern)
{
	struct CMUnitTest cases[CASES_MAX];
	char name[NAME_BYTES];

	for (size_t i = 0; i < group->n_cases; i++) {
		const struct CMUnitTest *test = &group->cases[i];

		if (pattern && fnmatch(pattern, test->name, 0) != 0)
			continue;
		if (n_chosen == CASES_MAX) {
			fprintf(stderr, "more than %d cases\n", CASES_MAX);
			return 2;
		}
		chosen[n_chosen] = test;
		cases[n_chosen] = *test;
		cases[n_chosen].setup_func = begin_case;
		cases[n_chosen++].teardown_func = end_case;
	}
	if (n_chosen == 0)
		return no_case(group, pattern ? pattern : "");
	return _cmocka_run_group_tests(name_of(group, name), cases, n_chosen,
		group->set_up, group->tear_down);
}

/* What a group changes of its process, the next one must not see. */
static int run_all(void)
{
	char name[NAME_BYTES];
	int failed = 0;

	for (const struct case_group *group = groups; group;
		group = group->next) {
		int status = 0;
		pid_t child;

		printf("# %s\n", name_of(group, name));
		fflush(stdout);
		child = fork();
		if (child == 0)
			exit(run_group(group, NULL));
		if (child < 0 || waitpid(child, &status, 0) != child) {
			perror("fork");
			return 2;
		}
		if (status != 0) {
			fprintf(stderr, "%s failed\n", name);
			failed = 1;
		}
	}
	return failed;
}

int main(int argc, char **argv)
{
	char word[NAME_BYTES], name[NAME_BYTES];

	if (argc < 2)
		return run_all();
	snprintf(word, sizeof(word), "%.*s", (int)strcspn(argv[1], ":"),
		argv[1]);
	for (const struct case_group *group = groups; group;
		group = group->next) {
		const char *colon = strchr(argv[1], ':');

		if (strcmp(name_of(group, name), word) != 0)
			continue;
		if (argc == 2)
			return run_group(group, colon ? colon + 1 : NULL);
		if (group->take_words)
			return group->take_words(group, argc - 2, argv + 2);
		fprintf(stderr, "%s takes no more words\n", name);
		return 2;
	}
	return no_group(word);
}
