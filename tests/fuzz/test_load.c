/*
 * Thousands of damaged result files through the loaders. Damage is drawn from
 * a generator seeded with the number of the input, so that every run tries the
 * same inputs, and
 *
 *	tests/fuzz/test_load FIRST COUNT
 *
 * tries some of them again, telling which. A crash, a leak or undefined
 * behaviour is found by the sanitizers; a hang by the alarm.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "check_load.h"
#include "result/file.h"
#include "stat/stat.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define INPUTS	     60000
#define INPUT_MAX    8192
#define HANG_SECONDS 60

/* Good files, in every format and shape; the golden ones come first. */
static const char *const golden[] = {"result.json", "result.dat", "result.csv"};
static const char *const shapes[] = {
	"{\"format\": \"c2c-result\", \"version\": 1, \"command\": \"x\", "
	"\"complete\": true, \"cpus\": [0, 1], \"matrices\": [{\"name\": \"n\","
	" \"statistic\": \"s\", \"unit\": \"u\", \"better\": \"lower\", "
	"\"symmetric\": false, \"values\": [[null, 1], [2, 3e0]]}]}",
	"{\"format\": \"c2c-result\", \"version\": 1, \"command\": \"x\", "
	"\"complete\": true, \"cpus\": [0, 1], \"matrices\": [], \"passes\": "
	"[{\"name\": \"n\", \"unit\": \"u\", \"pairs\": [[0, 1], [1, 1]], "
	"\"start_s\": [0, null], \"values\": [[1, 2], [null, 3e0]]}]}",
	"# format: c2c-result\n# version: 1\n# command: x\n# complete: true\n"
	"# cpus: [0, 1]\n# matrix: n s u - lower symmetric\ncpu 0 1\n0 nan 1\n"
	"1 1 nan\n\n\n# series: a b c d e f\n1 2\n3 nan\n",
	",20,30\n20,,31.5\n30,31.5,\n",
	"\n20\n30,31.5\n",
	"0;20;30\r\n;0;31.5\r\n;;0\r\n",
	"cpu\t0\t1\n0\t\t5\n1\t5\t\n",
	",0,1,2\n0,,5,6\n1,5,,7\n2,6,7,\n",
	"1 2 3\n4 5\n6\n",
};

/* Pieces that mean something somewhere. */
static const char *const tokens[] = {"\n", "\r\n", "\n\n\n", ",", ";", "\t",
	" ", "\"", "\\", "\\u0000", "\\ud800", "{", "}", "[", "]", "[[[[[[[[",
	":", "# ", "# matrix: ", "# series: ", "# cpus: ", "# machine.x: ",
	"# topology: ", "nan", "null", "true", "inf", "-", "-1", "0", "1e999",
	"1e-999", "1e308", "0x10", "1048575", "1048576", "4294967296",
	"18446744073709551616", "99999999999999999999", "1.5", "cpu",
	"\xef\xbb\xbf", "\xff", "\xc3", "symmetric", "asymmetric", "higher",
	"\"cpus\": ", "\"values\": ", "\"matrices\": ", "\"series\": [],",
	"\"passes\": ", "\"pairs\": ", "\"start_s\": [],", "[0, 1]",
	"\"topology\": null,", "\"version\": 2,", "%s%n"};

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

static void read_golden(struct input *input, const char *name)
{
	const char *srcdir = getenv("srcdir");
	char path[4096];
	FILE *in;

	snprintf(path, sizeof(path), "%s/tests/unit/golden/%s",
		srcdir ? srcdir : ".", name);
	in = fopen(path, "r");
	if (!in)
		fail_msg("no %s", path);
	input->n = fread(input->data, 1, INPUT_MAX, in);
	fclose(in);
}

/* Every good file: inputs[COUNT(golden) + COUNT(shapes)]. */
static size_t read_good(struct input *inputs)
{
	size_t n = 0;

	for (size_t i = 0; i < COUNT(golden); i++)
		read_golden(&inputs[n++], golden[i]);
	for (size_t i = 0; i < COUNT(shapes); i++) {
		inputs[n].n = strlen(shapes[i]);
		memcpy(inputs[n++].data, shapes[i], strlen(shapes[i]));
	}
	return n;
}

/* Try inputs; how many were loaded all the same. */
static size_t try_inputs(size_t first, size_t count, bool tell)
{
	static struct input good[COUNT(golden) + COUNT(shapes)];
	size_t n_good = read_good(good), n_loaded = 0;

	for (size_t i = first; i < first + count; i++) {
		struct stat_random random;
		struct input input;
		const char *problem;
		bool loaded;

		stat_random_init(&random, i);
		input = good[i % n_good];
		for (size_t times = 1 + draw(&random, 4); times > 0; times--)
			damage(&input, &good[draw(&random, n_good)], &random);
		if (tell)
			print_message("input %zu\n%.*s\n", i, (int)input.n,
				input.data);
		alarm(HANG_SECONDS);
		problem = check_load(input.data, input.n, &loaded);
		n_loaded += loaded;
		if (problem)
			fail_msg("input %zu: %s", i, problem);
	}
	alarm(0);
	return n_loaded;
}

static void good_files_load(void **state)
{
	static struct input good[COUNT(golden) + COUNT(shapes)];
	size_t n = read_good(good);

	(void)state;
	for (size_t i = 0; i < n; i++) {
		bool loaded;

		assert_null(check_load(good[i].data, good[i].n, &loaded));
		assert_true(loaded);
	}
}

/* Both outcomes must be common, or the damage tests little. */
static void damaged_files_do_no_harm(void **state)
{
	size_t loaded;

	(void)state;
	loaded = try_inputs(0, INPUTS, false);
	assert_in_range(loaded, INPUTS / 50, INPUTS / 2);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_files_load),
		cmocka_unit_test(damaged_files_do_no_harm),
	};

	if (argc == 3) {
		try_inputs(strtoul(argv[1], NULL, 10),
			strtoul(argv[2], NULL, 10), true);
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
