/*
 * A target under libFuzzer: see "Fuzz" in CONTRIBUTING.md.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static const struct fuzz_target *only;

void fuzz_target_add(const char *file, const struct fuzz_target *target)
{
	(void)file;
	only = target;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	bool used;
	const char *problem = only->check(data, n, &used);

	if (problem) {
		fprintf(stderr, "does not hold: %s\n", problem);
		abort();
	}
	return 0;
}
