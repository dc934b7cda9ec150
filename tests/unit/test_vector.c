/*
 * Every vector that this CPU has against single words, in all sizes: nothing
 * is left out, nothing beside it is touched. And flushing, which must change
 * nothing that can be read.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "../case_group.h"
#include "arch/arch.h"
#include "arch/vector.h"
#include "stat/stat.h"

#define LINE	   64
#define MOST_BYTES (64 * 1024)
#define PAGE	   ((size_t)65536) /* of any kernel, or some of them */

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

static void add_takes_floats_at_any_address(void **state)
{
	struct areas areas = areas_new();
	const struct arch_vector *const *at = NULL;
	const struct arch_vector *vector;
	float *tried = (float *)areas.tried.bytes;
	float *expected = (float *)areas.expected.bytes;
	float a[256], b[256];

	(void)state;
	for (size_t i = 0; i < 256; i++) {
		a[i] = (float)i;
		b[i] = (float)(1000 * i);
	}
	while ((vector = next(&at))) {
		for (size_t n = 0; n < 200; n++) {
			size_t first = n % 17;

			vector->add(a + first, b + 2 * first, tried + first, n);
			for (size_t i = first; i < first + n; i++)
				expected[i] = a[i] + b[first + i];
			assert_same(&areas);
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

/* a = b + 3 * c and its simpler kin, in small whole numbers: exact. */
static double expected_number(
	enum arch_access access, const double *b, const double *c, size_t i)
{
	switch (access) {
	case ARCH_WRITE:
	case ARCH_NT_WRITE:
		return 7;
	case ARCH_TRIAD:
		return b[i] + 3 * c[i];
	default:
		return b[i];
	}
}

static void put_numbers(struct area *area, unsigned factor)
{
	double *numbers = (double *)area->bytes;

	for (size_t i = 0; i < MOST_BYTES / sizeof(double); i++)
		numbers[i] = (double)(i * factor % 1009);
}

/* The loops that measure rates, and what each does. */
#define LOOPS (ARCH_ACCESSES + 1)
struct loop {
	enum arch_access access;
	void (*run)(const struct arch_arrays *arrays);
};

static struct loop loop_of(const struct arch_vector *vector, int i)
{
	if (i == ARCH_ACCESSES)
		return (struct loop){ARCH_WRITE, vector->write_long};
	return (struct loop){(enum arch_access)i, vector->rate[i]};
}

/* Three arrays of n bytes each, so many rounds; none beside a may change. */
static void check_rate(
	struct areas *areas, struct loop loop, const struct area *c, size_t n)
{
	enum arch_access access = loop.access;
	const struct arch_arrays arrays = {.a = areas->tried.bytes,
		.b = areas->source.bytes,
		.c = c->bytes,
		.bytes = n,
		.rounds = 1 + n % 3,
		.value = 7};

	memset(areas->tried.whole, 0x55, MOST_BYTES + 2 * LINE);
	memset(areas->expected.whole, 0x55, MOST_BYTES + 2 * LINE);
	for (size_t i = 0; access != ARCH_READ && i < n / sizeof(double); i++) {
		double number = expected_number(access,
			(const double *)areas->source.bytes,
			(const double *)c->bytes, i);

		memcpy(areas->expected.bytes + i * sizeof(double), &number,
			sizeof(double));
	}
	loop.run(&arrays);
	assert_same(areas);
}

static void rates_write_what_they_say_and_nothing_else(void **state)
{
	struct areas areas = areas_new(), kept = areas_new();
	const struct arch_vector *const *at = NULL;
	const struct arch_vector *vector;
	struct area *c = &kept.tried;

	(void)state;
	put_numbers(&areas.source, 5);
	put_numbers(&kept.source, 5);
	put_numbers(c, 11);
	put_numbers(&kept.expected, 11);
	while ((vector = next(&at))) {
		for (int i = 0; i < LOOPS; i++) {
			for (size_t n = ARCH_GRAIN; n <= MOST_BYTES;
				n += n < 16 * ARCH_GRAIN ? ARCH_GRAIN : n)
				check_rate(&areas, loop_of(vector, i), c, n);
		}
	}
	assert_same(&kept);
	assert_memory_equal(areas.source.bytes, kept.source.bytes, MOST_BYTES);
	areas_free(&areas);
	areas_free(&kept);
}

/* Where the first fault was; each makes its page accessible. */
static struct {
	unsigned char *page; /* that may not be accessed */
	volatile uintptr_t fault;
} guard;

static void on_fault(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	guard.fault = (uintptr_t)info->si_addr;
	mprotect(guard.page, PAGE, PROT_READ | PROT_WRITE);
}

/* Of an array, lines from k on lie in a page that may not be accessed. */
static void check_line(struct loop loop, size_t k)
{
	static const bool has_b[ARCH_ACCESSES] = {
		[ARCH_COPY] = true, [ARCH_TRIAD] = true, [ARCH_NT_COPY] = true};
	unsigned char *tried = guard.page - k * LINE;
	const int arrays = loop.access == ARCH_TRIAD ? 3
			   : has_b[loop.access]	     ? 2
						     : 1;

	for (int which = 0; which < arrays; which++) {
		unsigned char *other = guard.page + PAGE;
		const struct arch_arrays work = {
			.a = which == 0 ? tried : other,
			.b = which == 1 ? tried : other + ARCH_GRAIN,
			.c = which == 2 ? tried : other + 2 * ARCH_GRAIN,
			.bytes = ARCH_GRAIN,
			.rounds = 1};

		guard.fault = 0;
		mprotect(guard.page, PAGE, PROT_NONE);
		loop.run(&work);
		mprotect(guard.page, PAGE, PROT_READ | PROT_WRITE);
		if (k * LINE < ARCH_GRAIN)
			assert_int_equal(guard.fault, (uintptr_t)guard.page);
		else
			assert_int_equal(guard.fault, 0);
	}
}

static void rates_take_each_line_and_none_behind(void **state)
{
	const struct sigaction ours = {
		.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
	const struct arch_vector *const *at = NULL;
	const struct arch_vector *vector;
	struct sigaction before;
	unsigned char *memory = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_true(memory != MAP_FAILED);
	guard.page = memory + PAGE;
	sigaction(SIGSEGV, &ours, &before);
	while ((vector = next(&at))) {
		for (int i = 0; i < LOOPS; i++) {
			for (size_t k = 0; k <= ARCH_GRAIN / LINE; k++)
				check_line(loop_of(vector, i), k);
		}
	}
	sigaction(SIGSEGV, &before, NULL);
	munmap(memory, 3 * PAGE);
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
		bool expected = arch_vectors[i] == &arch_vector_scalar;

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

/* Each of its additions doubles the sum. */
static void a_chain_has_as_many_clocks_as_it_says(void **state)
{
	(void)state;
	assert_int_equal(arch_clocks(1),
		ARCH_CLOCKS < 64 ? UINT64_C(1) << ARCH_CLOCKS : 0);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(fill_stores_the_word_and_nothing_else),
	cmocka_unit_test(read_takes_every_word_once),
	cmocka_unit_test(add_takes_floats_at_any_address),
	cmocka_unit_test(stream_copies_and_nothing_else),
	cmocka_unit_test(rates_write_what_they_say_and_nothing_else),
	cmocka_unit_test(rates_take_each_line_and_none_behind),
	cmocka_unit_test(the_widest_usable_is_chosen),
	cmocka_unit_test(usable_is_what_the_kernel_says),
	cmocka_unit_test(flush_changes_no_content),
	cmocka_unit_test(a_chain_has_as_many_clocks_as_it_says),
};

CASE_GROUP(cases);
