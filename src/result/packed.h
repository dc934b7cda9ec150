/*
 * Compressed records: .json.gz and .json.zst. c2c runs the programs gzip and
 * zstd, and does not need their libraries.
 */
#ifndef C2C_PACKED_H
#define C2C_PACKED_H

#include <stdio.h>

#include "util/error.h"

struct packing;

/* Return the compression for the extension of path, or NULL. */
const struct packing *packing_of(const char *path);

/* Return an empty file in memory, or NULL with errno. */
FILE *packing_stream(void);

/*
 * Compress the contents of `plain`, also unflushed contents, and write them to
 * out. The error is ERROR_UNAVAILABLE if the program is missing.
 */
int packing_write(const struct packing *packing, FILE *plain, FILE *out,
	struct error *err);

/* Check that the program for the extension of path exists. */
int packing_check(const char *path, struct error *err);

/*
 * If *in begins with the magic bytes of a compressed file, close *in, and set
 * *in to a file in memory with the unpacked contents. stdin stays open. After
 * an error *in stays open. NUL bytes, or more than `most` bytes, are an error.
 */
int packing_open(FILE **in, size_t most, struct error *err);

/*
 * Limit for unpacked bytes, since gunzip can expand 1 MB to 1 GB. A record of
 * 1,024 CPUs with 60 passes has 350 MB.
 */
#define PACKED_BYTES_MAX ((size_t)1 << 30)

#endif
