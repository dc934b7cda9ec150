/*
 * Targets without libFuzzer: the corpus, and thousands of damaged copies of
 * it. Damage is drawn from a generator seeded with the number of the input, so
 * that every run tries the same inputs, and
 *
 *	tests/fuzz/fuzz NAME FIRST COUNT
 *
 * tries some of them again, telling which;
 *
 *	tests/fuzz/fuzz NAME FILE
 *
 * tries a file. A crash, a leak or undefined behaviour is found by the
 * sanitizers; a hang by the alarm.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../case_group.h"
#include "stat/stat.h"
#include "target.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define INPUT_MAX    16384
#define CORPUS_MAX   256
#define HANG_SECONDS 60
#define TARGETS_MAX  16

/* The same inputs take six times as long there; all are tried without. */
#ifdef __SANITIZE_ADDRESS__
#define INPUTS_SHARE 10
#else
#define INPUTS_SHARE 1
#endif

/* Pieces that mean something somewhere. */
static const char *const tokens[] = {"\n", "\r\n", "\n\n\n", ",", ";", "\t",
	" ", "\"", "\\", "\\u0000", "\\ud800", "{", "}", "[", "]", "[[[[[[[[",
	":", "# ", "# format: ", "\"low\": ", "\"fit\": {", "\"mark\": {",
	"# topology: ", "nan", "null", "true", "inf", "-", "-1", "0", "1e999",
	"1e-999", "1e308", "0x10", "1048575", "1048576", "4294967296",
	"18446744073709551616", "99999999999999999999", "1.5", "cpu",
	"\xef\xbb\xbf", "\xff", "\xc3", "symmetric", "asymmetric", "higher",
	"\"cpus\": ", "\"values\": ", "\"matrices\": ", "\"curves\": [],",
	"\"passes\": ", "\"pairs\": ", "\"start_s\": [],", "[0, 1]",
	"\"topology\": null,", "\"version\": 2,", "%s%n", "\n=====\n", "ci_low",
	"ci_high", "median"};

struct input {
	char data[INPUT_MAX];
	size_t n;
};

static size_t draw(struct stat_random *random, size_t bound)
{
	return (size_t)stat_random_below(random, bound);
}

/* Replace old bytes at place by n bytes of piece; too long ones are cut. */
static void splice(struct input *input, size_t place, size_t old,
	const char *piece, size_t n)
{
	struct input result = {.n = 0};
	size_t rest;

	memcpy(result.data, input->data, place);
	result.n = place;
	if (n > INPUT_MAX - result.n)
		n = INPUT_MAX - result.n;
	memcpy(result.data + result.n, piece, n);
	result.n += n;
	rest = input->n - place - old;
	if (rest > INPUT_MAX - result.n)
		rest = INPUT_MAX - result.n;
	memcpy(result.data + result.n, input->data + place + old, rest);
	result.n += rest;
	*input = result;
}

static void damage(struct input *input, const struct input *other,
	struct stat_random *random)
{
	size_t place = draw(random, input->n + 1);
	size_t length = draw(random, input->n - place + 1);
	size_t from = draw(random, other->n + 1);
	const char *token = tokens[draw(random, COUNT(tokens))];

	/* Most damage is small, or nothing but refusals would be seen. */
	if (length > 16 && draw(random, 4) != 0)
		length = draw(random, 16);
	switch (draw(random, 8)) {
	case 0: /* a flipped bit */
		if (place < input->n)
			input->data[place] = (char)(input->data[place] ^
						    1 << draw(random, 7));
		break;
	case 1: /* any byte */
		if (place < input->n)
			input->data[place] = (char)draw(random, 256);
		break;
	case 2: /* a hole */
		splice(input, place, length, "", 0);
		break;
	case 3: /* a cut */
		input->n = place;
		break;
	case 4: /* a repetition */
		splice(input, place, 0, input->data + place, length);
		break;
	case 5: /* a token */
		splice(input, place, 0, token, strlen(token));
		break;
	case 6: /* a token in place of something */
		splice(input, place, length, token, strlen(token));
		break;
	case 7: /* the end of another file */
		splice(input, place, input->n - place, other->data + from,
			other->n - from);
		break;
	}
}

/* A file of the tree, or of anybody: path as it is. */
static void read_file(struct input *input, const char *path)
{
	FILE *in = fopen(path, "r");

	if (!in)
		fail_msg("no %s", path);
	input->n = fread(input->data, 1, INPUT_MAX, in);
	if (getc(in) != EOF)
		fail_msg("%s has more than %d bytes", path, INPUT_MAX);
	fclose(in);
}

static int is_file(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

struct corpus {
	struct input inputs[CORPUS_MAX];
	char names[CORPUS_MAX][256];
	size_t n;
};

/* Every file of a folder, by name, so that numbers stay with inputs. */
static void read_folder(struct corpus *corpus, const char *folder)
{
	const char *srcdir = getenv("srcdir");
	struct dirent **entries;
	char path[4096];
	int n;

	snprintf(path, sizeof(path), "%s/%s", srcdir ? srcdir : ".", folder);
	n = scandir(path, &entries, is_file, alphasort);
	if (n < 0)
		fail_msg("no %s", path);
	for (int i = 0; i < n; i++) {
		if (corpus->n == CORPUS_MAX)
			fail_msg("more than %d files", CORPUS_MAX);
		snprintf(path, sizeof(path), "%s/%s/%s", srcdir ? srcdir : ".",
			folder, entries[i]->d_name);
		snprintf(corpus->names[corpus->n],
			sizeof(corpus->names[corpus->n]), "%s",
			entries[i]->d_name);
		read_file(&corpus->inputs[corpus->n++], path);
		free(entries[i]);
	}
	free(entries);
}

static struct corpus *read_corpus(void)
{
	struct corpus *corpus = calloc(1, sizeof(*corpus));

	assert_non_null(corpus);
	read_folder(corpus, "tests/unit/golden");
	read_folder(corpus, "tests/fuzz/corpus");
	return corpus;
}

/* Try inputs; how many were used all the same. */
static size_t try_inputs(
	const struct fuzz_target *target, size_t first, size_t count, bool tell)
{
	struct corpus *corpus = read_corpus();
	size_t n_used = 0;

	for (size_t i = first; i < first + count; i++) {
		struct stat_random random;
		struct input input;
		const char *problem;
		bool used;

		stat_random_init(&random, i);
		input = corpus->inputs[i % corpus->n];
		for (size_t times = 1 + draw(&random, 4); times > 0; times--)
			damage(&input,
				&corpus->inputs[draw(&random, corpus->n)],
				&random);
		if (tell) {
			printf("input %zu\n%.*s\n", i, (int)input.n,
				input.data);
			fflush(stdout);
		}
		alarm(HANG_SECONDS);
		problem = target->check(input.data, input.n, &used);
		n_used += used;
		if (problem)
			fail_msg("input %zu: %s", i, problem);
	}
	alarm(0);
	free(corpus);
	return n_used;
}

/* Of the files most are of use to each target; others broke something once. */
static void the_corpus_does_no_harm(void **state)
{
	const struct fuzz_target *target = *state;
	struct corpus *corpus = read_corpus();
	size_t n_used = 0;

	for (size_t i = 0; i < corpus->n; i++) {
		const char *problem;
		bool used;

		alarm(HANG_SECONDS);
		problem = target->check(
			corpus->inputs[i].data, corpus->inputs[i].n, &used);
		n_used += used;
		if (problem)
			fail_msg("%s: %s", corpus->names[i], problem);
	}
	alarm(0);
	assert_in_range(n_used, corpus->n / 4, corpus->n);
	free(corpus);
}

/* Both outcomes must be common, or the damage tests little. */
static void damaged_files_do_no_harm(void **state)
{
	const struct fuzz_target *target = *state;
	size_t n = target->inputs / INPUTS_SHARE;
	size_t used = try_inputs(target, 0, n, false);

	assert_in_range(used, n / 50, n / 2);
}

static int try_file(const struct fuzz_target *target, const char *path)
{
	static struct input input;
	const char *problem;
	bool used;

	read_file(&input, path);
	problem = target->check(input.data, input.n, &used);
	print_message("%s: %s\n", path,
		problem ? problem
		: used	? "no harm, and used"
			: "no harm, and refused");
	return problem != NULL;
}

static int try_words(const struct case_group *group, int n, char **words)
{
	const struct fuzz_target *target = group->cases->initial_state;

	if (n == 1)
		return try_file(target, words[0]);
	if (n != 2) {
		fputs("FILE, or FIRST and COUNT\n", stderr);
		return 2;
	}
	try_inputs(target, strtoul(words[0], NULL, 10),
		strtoul(words[1], NULL, 10), true);
	return 0;
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(the_corpus_does_no_harm),
	cmocka_unit_test(damaged_files_do_no_harm),
};

/* A group for each target. */
void fuzz_target_add(const char *file, const struct fuzz_target *target)
{
	static struct {
		struct case_group group;
		struct CMUnitTest cases[COUNT(cases)];
	} groups[TARGETS_MAX], *next = groups;

	if (next == groups + TARGETS_MAX)
		abort();
	for (size_t i = 0; i < COUNT(cases); i++) {
		next->cases[i] = cases[i];
		next->cases[i].initial_state = (void *)target;
	}
	next->group = (struct case_group){.file = file,
		.cases = next->cases,
		.n_cases = COUNT(cases),
		.take_words = try_words};
	case_group_add(&next->group);
	next++;
}
