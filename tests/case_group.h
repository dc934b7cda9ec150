/*
 * The cmocka program of a folder: each file of cases is a group, which is known
 * by the file's name without "test_". Include it after <cmocka.h>.
 *
 *	tests/unit/unit            every group, each in a process of its own
 *	tests/unit/unit crew       one
 *	tests/unit/unit crew:CASE  one case, or those of a pattern
 *	tests/unit/unit crew WORD  what the group makes of other words
 */
#ifndef C2C_TESTS_CASE_GROUP_H
#define C2C_TESTS_CASE_GROUP_H

#include <stddef.h>

struct case_group {
	const char *file;
	const struct CMUnitTest *cases;
	size_t n_cases;
	CMFixtureFunction set_up, tear_down;
	int (*take_words)(const struct case_group *group, int n, char **words);
	struct case_group *next;
};

void case_group_add(struct case_group *group);

/* The end of a file of cases; more fields of the group may follow. */
#define CASE_GROUP(array, ...)                                                 \
	static struct case_group this_group;                                   \
	static void __attribute__((constructor)) add_this_group(void)          \
	{                                                                      \
		case_group_add(&this_group);                                   \
	}                                                                      \
	static struct case_group this_group = {.file = __FILE__,               \
		.cases = (array),                                              \
		.n_cases = sizeof(array) / sizeof((array)[0]),                 \
		__VA_ARGS__}

#endif
