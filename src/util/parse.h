/*
 * Numbers as users write them. Every function reads the whole of text, wants
 * a value within [min, max] and returns 0, or -EINVAL with *err saying what
 * was found and what was expected; *value is then untouched. The caller puts
 * the option's name before it (error_prefix). Pure.
 */
#ifndef C2C_UTIL_PARSE_H
#define C2C_UTIL_PARSE_H

#include <stdint.h>

#include "util/error.h"

/* A whole number in decimal. */
int parse_u64(const char *text, uint64_t min, uint64_t max, uint64_t *value,
	struct error *err);

/* A finite number: "2", "0.5", "1e-3". */
int parse_double(const char *text, double min, double max, double *value,
	struct error *err);

/*
 * A number of bytes: a whole number with an optional suffix K, M, G, T (powers
 * of 1,024, lower case and a trailing "iB" or "B" allowed): "512", "64K",
 * "4GiB".
 */
int parse_bytes(const char *text, uint64_t min, uint64_t max, uint64_t *value,
	struct error *err);

#endif
