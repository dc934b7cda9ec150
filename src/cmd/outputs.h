/*
 * The files that -o names: checked when they are named, when all names are
 * known, and before the work begins.
 */
#ifndef C2C_CMD_OUTPUTS_H
#define C2C_CMD_OUTPUTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "result/result.h"
#include "util/error.h"

struct outputs {
	char **paths; /* [n], owned */
	size_t n;
};

/* What a command can write, or'ed together. */
enum output_kind {
	OUTPUT_JSON = 1,    /* of its own */
	OUTPUT_RESULT = 2,  /* .json, .dat and .csv */
	OUTPUT_PICTURE = 4, /* .png, .svg and .pdf */
};

/*
 * Append the file that text stands for (cli_output_name()): -EINVAL
 * (ERROR_USAGE) when its extension is of none of kinds or it is there already.
 */
int outputs_add(struct outputs *outputs, const char *text, unsigned kinds,
	struct error *err);
void outputs_release(struct outputs *outputs);

/*
 * That none is the file at input, which is read: writing would lose it. -EINVAL
 * (ERROR_USAGE). "-" is none.
 */
int outputs_spare(
	const struct outputs *outputs, const char *input, struct error *err);

/* That all can be written, before the first is. */
int outputs_check_writable(const struct outputs *outputs, struct error *err);

/*
 * Write what a command made to path, atomically, or NULL: to standard output.
 * Takes json; NULL, when there was no memory for it, is -ENOMEM.
 */
int output_json(json_t *json, const char *path, struct error *err);

/*
 * Write a result to all of them, telling of what fails. Where no data file
 * could be written, the record goes where temporary files do. Returns an enum
 * exit_status.
 */
int outputs_save(const struct outputs *outputs, const char *command,
	const struct result *result);

/* Whether a path is for JSON, by its extension. */
bool output_is_json(const char *path);

#endif
