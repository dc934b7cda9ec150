/*
 * What the formats share: the envelope as a JSON object, and numbers as text.
 * Private to src/result.
 */
#ifndef C2C_FORMAT_H
#define C2C_FORMAT_H

#include <stdio.h>

#include "record/pack.h"
#include "result/reader.h"
#include "result/result.h"

/* Return what may help against an error of writing, or "". */
const char *format_remedy(int code);

/* End a writer: flush, and turn a failed write into an error. */
int format_flush(FILE *out, struct error *err);

/* Fill an initialised *result; the caller releases it after a failure too. */
int format_read_json(
	struct result *result, struct reader *reader, struct error *err);

/*
 * Fill *result from text[n], in a tenth of the time. False for no record, or an
 * unusual one: then format_read_json() says what is wrong.
 */
bool format_read_grids(struct result *result, const char *text, size_t n);

int format_read_csv(
	struct result *result, struct reader *reader, struct error *err);

#endif
