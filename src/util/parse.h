/*
 * Numbers as users write them. The whole text must be a number within
 * [min, max]: 0, or -EINVAL with *err saying what was found and what was
 * expected, and *value untouched. The caller puts the option's name before the
 * message (error_prefix()). Pure.
 */
#ifndef C2C_PARSE_H
#define C2C_PARSE_H

#include <stdint.h>

#include "util/error.h"

/* A whole number in decimal. */
int parse_u64(const char *text, uint64_t min, uint64_t max, uint64_t *value,
	struct error *err);

/* A finite number: "2", "0.5", "1e-3". */
int parse_double(const char *text, double min, double max, double *value,
	struct error *err);

/*
 * Bytes: a whole number with an optional suffix K, M, G, T (powers of 1,024),
 * in any case and with an optional "iB": "512", "512B", "64K", "4GiB". "MB"
 * means 10^6 to some and 2^20 to others: -EINVAL.
 */
int parse_bytes(const char *text, uint64_t min, uint64_t max, uint64_t *value,
	struct error *err);

#endif
