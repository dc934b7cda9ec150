/*
 * Functions that readers and writers of several formats share. Private to
 * src/result.
 */
#ifndef C2C_FORMAT_H
#define C2C_FORMAT_H

#include <stdio.h>

#include "record/pack.h"
#include "result/reader.h"
#include "result/result.h"

const char *format_remedy(int code);

/* Flush a stream, and report an earlier failed write. */
int format_flush(FILE *out, struct error *err);

/* Fill an initialised *result. The caller always releases *result. */
int format_read_json(
	struct result *result, struct reader *reader, struct error *err);

/*
 * Fill *result from text[n], ten times faster than format_read_json(). Return
 * false for an invalid or unusual record; then the caller uses
 * format_read_json().
 */
bool format_read_grids(struct result *result, const char *text, size_t n);

int format_read_csv(
	struct result *result, struct reader *reader, struct error *err);

/* Write a line for each point of the curves, and flush the stream. */
int format_write_curves(const struct result *result, char separator, FILE *out,
	struct error *err);

#endif
