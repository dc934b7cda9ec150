/* --as-published: which options of a test's source apply. */
#include "cmd/cl/cl_published.h"

#include <stdio.h>
#include <string.h>

#include "util/array.h"
#include "util/text.h"

/* Bytes of an option's name. */
#define NAME_BYTES 32

bool cl_published_applies(
	const struct test *test, size_t i, const struct options_given *given)
{
	static const struct {
		const char *published, *given;
		unsigned takes; /* only for tests that take it; 0: for all */
	} exclusions[] = {{"sizes", "size", TAKES_SIZE}, {"sizes", "units", 0},
		{"fine", "quick", 0}, {"fine", "sizes", TAKES_SIZES},
		{"work-group", "work-items", TAKES_WORK_ITEMS}};
	const char *option = test->published[i];
	char name[NAME_BYTES];

	if (!option)
		return false;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(option + 2, "="),
		option + 2);
	for (size_t k = 0; k < N_OF(exclusions); k++) {
		if (strcmp(exclusions[k].published, name) == 0 &&
			option_given(given, exclusions[k].given) &&
			!(exclusions[k].takes & ~test->takes))
			return false;
	}
	return !option_given(given, name);
}

char *cl_published_text(
	const struct test *test, const struct options_given *given)
{
	struct text_list list = {.text = NULL};

	for (size_t i = 0; i < TEST_PUBLISHED && test->published[i]; i++)
		if (!given || cl_published_applies(test, i, given))
			text_list_add(&list, " ", "%s", test->published[i]);
	return text_list_end(&list);
}
