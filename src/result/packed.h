/*
 * Compressed records: .json.gz and .json.zst, by the programs gzip and zstd.
 * Where one is missing, all else of c2c works, and so no build needs a library
 * of either.
 */
#ifndef C2C_PACKED_H
#define C2C_PACKED_H

#include <stdio.h>

#include "util/error.h"

struct packing;

/* What an output is compressed with, by its extension, or NULL. */
const struct packing *packing_of(const char *path);

/* An empty file in memory for packing_write(); NULL with errno. */
FILE *packing_stream(void);

/*
 * Compress what was written to plain, all of it, and write that to out, which
 * need not be flushed. ERROR_UNAVAILABLE if the program is missing.
 */
int packing_write(const struct packing *packing, FILE *plain, FILE *out,
	struct error *err);

/* Check, before a long run, that an output with this extension can be made. */
int packing_check(const char *path, struct error *err);

/*
 * Open *in, at its beginning, anew in memory, unpacked, if it is compressed,
 * which its bytes tell. What was *in is closed then, unless it is stdin; after
 * a failure it is not. What unpacks to no text, or to over most bytes, is an
 * error.
 */
int packing_open(FILE **in, size_t most, struct error *err);

/*
 * A record of 1,024 CPUs with 60 passes has 350 MB. Zeros of this size are 1 MB
 * by gzip, and c2c would need the memory before it finds that they are nothing.
 */
#define PACKED_BYTES_MAX ((size_t)1 << 30)

#endif
