/*
 * A target under libFuzzer: see "Fuzz" in CONTRIBUTING.md.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	bool used;
	const char *problem = fuzz_target.check(data, n, &used);

	if (problem) {
		fprintf(stderr, "does not hold: %s\n", problem);
		abort();
	}
	return 0;
}
