/*
 * The loaders under libFuzzer, for hands only: "make check" runs the seeded
 * mutator of test_load.c instead. From a folder for the build:
 *
 *	../configure CC=clang CFLAGS='-O1 -g -fsanitize=fuzzer-no-link' \
 *		--enable-asan --enable-ubsan
 *	make all tests/fuzz/fuzz_load
 *	tests/fuzz/fuzz_load CORPUS ../tests/unit/golden
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "check_load.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	bool loaded;
	const char *problem = check_load(data, n, &loaded);

	if (problem) {
		fprintf(stderr, "%s\n", problem);
		abort();
	}
	return 0;
}
