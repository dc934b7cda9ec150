/*
 * What a target of tests/fuzz is: something that takes any bytes, and what must
 * hold whatever they are. Each is a program fuzz_NAME with fuzzer.c, for
 * libFuzzer, and a group of the program fuzz with replay.c, for "make check".
 */
#ifndef C2C_TESTS_FUZZ_TARGET_H
#define C2C_TESTS_FUZZ_TARGET_H

#include <stdbool.h>
#include <stddef.h>

struct fuzz_target {
	size_t inputs; /* how many damaged files "make check" tries */
	/*
	 * Returns NULL, or what did not hold (static). *used says whether the
	 * input was more than refused.
	 */
	const char *(*check)(const void *data, size_t n, bool *used);
};

void fuzz_target_add(const char *file, const struct fuzz_target *target);

/* The end of a file with a target. */
#define FUZZ_TARGET(target)                                                    \
	static void __attribute__((constructor)) add_this_target(void)         \
	{                                                                      \
		fuzz_target_add(__FILE__, &(target));                          \
	}                                                                      \
	struct fuzz_target

#endif
