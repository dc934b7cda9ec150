/*
 * --as-published: the options of each test's source. The section "Source" of a
 * test in the manual names the values of a source that no option sets.
 */
#include "cmd/cl/cl_published.h"

#include <stdio.h>
#include <string.h>

#include "cl/cl.h"
#include "util/array.h"
#include "util/text.h"

/* Bytes of an option's name. */
#define NAME_BYTES 32

#define SUITE                                                                  \
	"X. Yan et al., \"An OpenCL Micro-Benchmark Suite for GPUs and "       \
	"CPUs\", section "
#define GPU_BENCHES "gpu-benches by D. Ernst, "

#define READING_MEMORY                                                         \
	"M. Oomen, \"Learning About GPUs Through Measuring Memory Bandwidth\""
#define READING_CACHES                                                         \
	"Chips and Cheese, \"Microbenchmarking GPU cache bandwidth\""

static const struct cl_published published[] = {
	{"rowcol", SUITE "2.3.1, figures 16 to 19", {"--work-group=auto"}},
	{"scale", SUITE "2.5, figure 25", {"--work-group=auto"}},
	{"stride", SUITE "2.3.1, formula 1, figures 14 and 15",
		{"--work-items=32768", "--work-group=32", "--fine"}},
	{"local", SUITE "2.3.2, figures 20 and 21",
		{"--work-items=32768", "--work-group=32"}},
	{"constant", SUITE "2.3.3, formula 2, figure 22",
		{"--work-items=32768", "--work-group=32", "--fine"}},
	{"image", SUITE "2.3.4, figures 23 and 24", {"--work-group=32"}},
	{"bus", SUITE "2.2, figure 13", {"--fine"}},
	{"math", SUITE "2.1, table 1, figures 9 to 12", {"--fine"}},
	{"branch", SUITE "2.4, table 3",
		{"--work-items=32768", "--work-group=32"}},
	{"cache", READING_MEMORY "; " GPU_BENCHES "gpu-cache and gpu-l2-cache",
		{"--fine"}},
	{"stream", GPU_BENCHES "gpu-stream", {"--fine"}},
	{"banks", GPU_BENCHES "gpu-strides", {"--work-group=1024"}},
	{"atomic", "no other program", {NULL}},
	{"latency", GPU_BENCHES "gpu-latency", {"--sizes=1K:1G:18"}},
	{"formats", READING_MEMORY, {NULL}},
	{"incore", GPU_BENCHES "cuda-incore", {"--fine"}},
	{"peak", READING_CACHES, {"--work-group=256"}},
	{"launch", GPU_BENCHES "gpu-small-kernels", {"--fine"}},
	{"roofline", GPU_BENCHES "gpu-roofline",
		{"--fine", "--work-group=256"}},
	/* --beyond may hang the machine, so only the user sets it. */
	{"svm", GPU_BENCHES "um-stream", {NULL}},
};

const struct cl_published *cl_published_find(const char *test)
{
	for (size_t i = 0; i < N_OF(published); i++) {
		if (strcmp(published[i].test, test) == 0)
			return &published[i];
	}
	return NULL;
}

bool cl_published_applies(const struct cl_published *row, size_t i,
	const struct options_given *given)
{
	static const struct {
		const char *published, *given;
		unsigned takes; /* only for tests that take it; 0: for all */
	} exclusions[] = {{"sizes", "size", TAKES_SIZE}, {"sizes", "units", 0},
		{"fine", "quick", 0}, {"fine", "sizes", TAKES_SIZES},
		{"work-group", "work-items", TAKES_WORK_ITEMS}};
	const struct test *test = test_find(row->test);
	unsigned takes = test ? test->takes : 0;
	const char *option = row->options[i];
	char name[NAME_BYTES];

	if (!option)
		return false;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(option + 2, "="),
		option + 2);
	for (size_t k = 0; k < N_OF(exclusions); k++) {
		if (strcmp(exclusions[k].published, name) == 0 &&
			option_given(given, exclusions[k].given) &&
			!(exclusions[k].takes & ~takes))
			return false;
	}
	return !option_given(given, name);
}

char *cl_published_text(
	const struct cl_published *row, const struct options_given *given)
{
	struct text_list list = {.text = NULL};

	for (size_t i = 0; i < CL_PUBLISHED_OPTIONS && row->options[i]; i++)
		if (!given || cl_published_applies(row, i, given))
			text_list_add(&list, " ", "%s", row->options[i]);
	return text_list_end(&list);
}
