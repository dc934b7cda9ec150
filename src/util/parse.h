/*
 * Numbers as users write them. The whole text must be a number within [min,
 * max]. Return 0, or -EINVAL with *value unchanged. On an error, *err describes
 * the found and the expected text. The caller puts the option's name before the
 * message (error_prefix()). No side effects.
 */
#ifndef C2C_PARSE_H
#define C2C_PARSE_H

#include <stdint.h>

#include "util/error.h"

/* Parse a whole decimal number. */
int parse_u64(const char *text, uint64_t min, uint64_t max, uint64_t *value,
	struct error *err);

/* Parse a finite number: "2", "0.5", "1e-3". */
int parse_double(const char *text, double min, double max, double *value,
	struct error *err);

/*
 * Parse bytes: a whole number with an optional suffix K, M, G, T (powers of
 * 1,024), in any case and with an optional "iB": "512", "512B", "64K", "4GiB".
 * Return -EINVAL for "MB", which may mean 10^6 or 2^20 bytes.
 */
int parse_bytes(const char *text, uint64_t min, uint64_t max, uint64_t *value,
	struct error *err);

#endif
