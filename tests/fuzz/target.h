/*
 * What a target of tests/fuzz is: something that takes any bytes, and what must
 * hold whatever they are. Two programs are made of each: fuzz_NAME with
 * fuzzer.c, for libFuzzer, and test_NAME with replay.c, for "make check".
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

extern const struct fuzz_target fuzz_target;

#endif
