/*
 * Every vector that this CPU has against single words, in all sizes: nothing
 * is left out, nothing beside it is touched. And flushing, which must change
 * nothing that can be read.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arch/arch.h"
#include "arch/vector.h"
#include "stat/stat.h"

#define LINE	   64
#define MOST_BYTES (64 * 1024)

/* Memory with a line more on either side. */
struct area {
	unsigned char *whole;
	unsigned char *bytes;
};

static struct area area_new(struct stat_random *random)
{
	struct area area;

	area.whole = aligned_alloc(LINE, MOST_BYTES + 2 * LINE);
	assert_non_null(area.whole);
	area.bytes = area.whole + LINE;
	for (size_t i = 0; i < MOST_BYTES + 2 * LINE; i += 8) {
		uint64_t word = stat_random_next(random);

		memcpy(area.whole + i, &word, 8);
	}
	return area;
}

/* Two areas of the same random content, and one of another. */
struct areas {
	struct area tried, expected, source;
};

static struct areas areas_new(void)
{
	struct areas areas;
	struct stat_random random;

	stat_random_init(&random, 1);
	areas.tried = area_new(&random);
	stat_random_init(&random, 1);
	areas.expected = area_new(&random);
	areas.source = area_new(&random);
	return areas;
}

static void areas_free(struct areas *areas)
{
	free(areas->tried.whole);
	free(areas->expected.whole);
	free(areas->source.whole);
}

static void assert_same(const struct areas *areas)
{
	assert_memory_equal(areas->tried.whole, areas->expected.whole,
		MOST_BYTES + 2 * LINE);
}

/* The next vector that works here, NULL at the end; the first after NULL. */
static const struct arch_vector *next(const struct arch_vector *const **at)
{
	*at = *at ? *at + 1 : arch_vectors;
	while (**at && !arch_vector_usable(**at)) {
		print_message(
			"not tried, for this CPU has no %s\n", (**at)->name);
		++*at;
	}
	return **at;
}

/* All small sizes, then fewer: each way through an unrolled loop is taken. */
static size_t larger(size_t bytes)
{
	return bytes < 64 * LINE ? bytes + LINE : 2 * bytes;
}

static void fill_stores_the_word_and_nothing_else(void **state)
{
	struct areas areas = areas_new();
	const struct arch_vector *const *at = NULL;
	const struct arch_vector *vector;
	uint64_t word = 0x0123456789abcdef;

	(void)state;
	while ((vector = next(&at))) {
		for (size_t n = LINE; n <= MOST_BYTES; n = larger(n)) {
			word++;
			vector->fill(areas.tried.bytes, n, word);
			for (size_t i = 0; i < n; i += 8)
				memcpy(areas.expected.bytes + i, &word, 8);
			assert_same(&areas);
		}
	}
	areas_free(&areas);
}

static void read_takes_every_word_once(void **state)
{
	struct areas areas = areas_new();
	const struct arch_vector *const *at = NULL;
	const struct arch_vector *vector;

	(void)state;
	while ((vector = next(&at))) {
		for (size_t n = LINE; n <= MOST_BYTES; n = larger(n)) {
			uint64_t expected = 0;

			for (size_t i = 0; i < n; i += 8) {
				uint64_t word;

				memcpy(&word, areas.source.bytes + i, 8);
				expected ^= word;
			}
			assert_true(vector->read(areas.source.bytes, n) ==
				    expected);
		}
	}
	areas_free(&areas);
}

static void stream_copies_and_nothing_else(void **state)
{
	struct areas areas = areas_new();
	const struct arch_vector *const *at = NULL;
	const struct arch_vector *vector;

	(void)state;
	while ((vector = next(&at))) {
		for (size_t n = LINE; n <= MOST_BYTES; n = larger(n)) {
			/* Other content each time, or n - LINE would do. */
			areas.source.bytes[n - 1]++;
			areas.source.bytes[0]++;
			vector->stream(
				areas.tried.bytes, areas.source.bytes, n);
			memcpy(areas.expected.bytes, areas.source.bytes, n);
			assert_same(&areas);
		}
	}
	areas_free(&areas);
}

static void the_widest_usable_is_chosen(void **state)
{
	const struct arch_vector *widest = arch_vector_widest();
	unsigned bytes = UINT32_MAX;
	bool found = false;

	(void)state;
	assert_true(arch_vector_usable(widest));
	for (size_t i = 0; arch_vectors[i]; i++) {
		const struct arch_vector *vector = arch_vectors[i];

		assert_true(vector->bytes < bytes);
		bytes = vector->bytes;
		if (arch_vector_usable(vector))
			assert_true(vector->bytes <= widest->bytes);
		if (vector == widest)
			found = true;
	}
	assert_true(found);
	assert_int_equal(bytes, 8);
}

/* Whether the kernel says that the CPU has a feature. */
static bool cpuinfo_has(const char *feature)
{
	FILE *file = fopen("/proc/cpuinfo", "r");
	char line[8192], words[8192] = "";
	bool has;

	assert_non_null(file);
	while (!words[0] && fgets(line, sizeof(line), file))
		if (!strncmp(line, "flags", 5) || !strncmp(line, "Features", 8))
			strcpy(words, strchr(line, ':') + 1);
	fclose(file);
	has = false;
	for (char *at, *word = strtok_r(words, " \n", &at); word && !has;
		word = strtok_r(NULL, " \n", &at))
		has = !strcmp(word, feature);
	return has;
}

static void usable_is_what_the_kernel_says(void **state)
{
	static const struct {
		const char *vector, *feature;
	} names[] = {{"avx512", "avx512f"}, {"avx2", "avx2"}, {"sse2", "sse2"},
		{"neon", "asimd"}};

	(void)state;
	for (size_t i = 0; arch_vectors[i]; i++) {
		bool expected = arch_vectors[i] == &arch_vector_c;

		for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
			if (!strcmp(arch_vectors[i]->name, names[k].vector))
				expected = cpuinfo_has(names[k].feature);
		assert_int_equal(arch_vector_usable(arch_vectors[i]), expected);
	}
}

/* Begin and end within lines: the lines of both ends are whole ones. */
static void flush_changes_no_content(void **state)
{
	struct areas areas = areas_new();

	(void)state;
	arch_flush(areas.tried.bytes, MOST_BYTES, LINE);
	assert_same(&areas);
	arch_vector_widest()->stream(
		areas.tried.bytes, areas.source.bytes, MOST_BYTES);
	memcpy(areas.expected.bytes, areas.source.bytes, MOST_BYTES);
	arch_flush(areas.tried.bytes + 5, MOST_BYTES - 9, LINE);
	assert_same(&areas);
	arch_flush(areas.tried.bytes, 0, LINE);
	assert_same(&areas);
	areas_free(&areas);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fill_stores_the_word_and_nothing_else),
		cmocka_unit_test(read_takes_every_word_once),
		cmocka_unit_test(stream_copies_and_nothing_else),
		cmocka_unit_test(the_widest_usable_is_chosen),
		cmocka_unit_test(usable_is_what_the_kernel_says),
		cmocka_unit_test(flush_changes_no_content),
	};

	return cmocka_run_group_tests_name("vector", tests, NULL, NULL);
}
