/*
 * Shared by the formats: the envelope as a JSON object, and numbers as text.
 * Private to src/result.
 */
#ifndef C2C_FORMAT_H
#define C2C_FORMAT_H

#include <stdio.h>

#include "record/pack.h"
#include "result/reader.h"
#include "result/result.h"

/* Return advice for a write error, or "". */
const char *format_remedy(int code);

/* Finish a writer: flush, and turn a failed write into an error. */
int format_flush(FILE *out, struct error *err);

/* Fill an initialised *result; the caller releases it after a failure too. */
int format_read_json(
	struct result *result, struct reader *reader, struct error *err);

/*
 * Fill *result from text[n], ten times faster than format_read_json(). False
 * for an invalid or unusual record: then call format_read_json() for the error.
 */
bool format_read_grids(struct result *result, const char *text, size_t n);

int format_read_csv(
	struct result *result, struct reader *reader, struct error *err);

#endif
