/*
 * Compressed records: .json.gz and .json.zst, by the programs gzip and zstd. If
 * one is missing, all else of c2c works, so no build needs a library of either.
 */
#ifndef C2C_PACKED_H
#define C2C_PACKED_H

#include <stdio.h>

#include "util/error.h"

struct packing;

/* Return what an output is compressed with, by its extension, or NULL. */
const struct packing *packing_of(const char *path);

/* Return an empty file in memory for packing_write(); NULL with errno. */
FILE *packing_stream(void);

/*
 * Compress all that was written to plain, which need not be flushed, and write
 * it to out. ERROR_UNAVAILABLE if the program is missing.
 */
int packing_write(const struct packing *packing, FILE *plain, FILE *out,
	struct error *err);

/* Check, before a long run, that an output with this extension can be made. */
int packing_check(const char *path, struct error *err);

/*
 * If *in, at its beginning, is compressed, which its bytes show, replace it by
 * an unpacked copy in memory, and close the old *in, unless it is stdin. After
 * a failure it stays open. Output that is no text, or over most bytes, is an
 * error.
 */
int packing_open(FILE **in, size_t most, struct error *err);

/*
 * Most unpacked bytes. A record of 1,024 CPUs with 60 passes has 350 MB. Zeros
 * of this size take 1 MB by gzip, and fill memory before c2c finds them.
 */
#define PACKED_BYTES_MAX ((size_t)1 << 30)

#endif
