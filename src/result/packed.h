/*
 * Compressed records: .json.gz and .json.zst, by the programs gzip and zstd.
 * c2c builds without their libraries, and all else works if a program is
 * missing.
 */
#ifndef C2C_PACKED_H
#define C2C_PACKED_H

#include <stdio.h>

#include "util/error.h"

struct packing;

/* Return the compression of an output, by its extension, or NULL. */
const struct packing *packing_of(const char *path);

/* Return an empty file in memory for packing_write(); NULL with errno. */
FILE *packing_stream(void);

/*
 * Compress the contents of `plain`, which need not be flushed, and write the
 * result to out. ERROR_UNAVAILABLE if the program is missing.
 */
int packing_write(const struct packing *packing, FILE *plain, FILE *out,
	struct error *err);

/* Check, before a long run, that an output with this extension can be made. */
int packing_check(const char *path, struct error *err);

/*
 * If *in (at its beginning) has the magic bytes of a compressed file, replace
 * it by an unpacked copy in memory, and close the old *in, unless it is stdin.
 * After a failure *in stays open. Output that is not text, or longer than
 * `most` bytes, is an error.
 */
int packing_open(FILE **in, size_t most, struct error *err);

/*
 * Most unpacked bytes. A record of 1,024 CPUs with 60 passes has 350 MB. The
 * limit is needed because 1 MB of gzip may unpack to this size.
 */
#define PACKED_BYTES_MAX ((size_t)1 << 30)

#endif
