/*
 * The files that a command reads, and those that -o names: checked when they
 * are named, when all names are known, and before the work begins.
 */
#ifndef C2C_CMD_OUTPUTS_H
#define C2C_CMD_OUTPUTS_H

#include <stdbool.h>
#include <stddef.h>

#include "plot/plot.h"
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
	OUTPUT_TEXT = 8,    /* of any name */
};

/*
 * Append the file that text stands for (cli_output_name()): -EINVAL
 * (ERROR_USAGE) when its extension is of none of kinds or it is there already.
 */
int outputs_add(struct outputs *outputs, const char *text, unsigned kinds,
	struct error *err);
void outputs_release(struct outputs *outputs);

/* What a command reads, by arguments: the first member of its struct. */
struct inputs {
	const char **paths; /* [n], borrowed: "-" is standard input */
	size_t n;
	bool several; /* may be given */
};

/* For struct option_command: append a file to the struct inputs at into. */
int inputs_take(void *into, const char *path, struct error *err);
void inputs_release(struct inputs *inputs);

/* That there is one, and none of outputs. -EINVAL (ERROR_USAGE). */
int inputs_check(const struct inputs *inputs, const struct outputs *outputs,
	struct error *err);

/*
 * That none is the file at path, which is read: writing would lose it. -EINVAL
 * (ERROR_USAGE), with option before the message.
 */
int outputs_spare(const struct outputs *outputs, const char *option,
	const char *path, struct error *err);

/* That all that option names can be written, before the first is. */
int outputs_check_writable(
	const struct outputs *outputs, const char *option, struct error *err);

/* Whether one is not a picture. */
bool outputs_have_data(const struct outputs *outputs);

/* What goes into the outputs of a command. */
struct output_contents {
	const char *command;
	const char *option; /* that named them */
	int verbosity;
	/* In data files, one of these. */
	const struct result *result;
	const char *json; /* as text */
	const char *text; /* whatever the names are */
	bool measured;	  /* the result, just now: nobody else has it */
	bool interrupted; /* ... by a signal, which pictures do not heed */
	/* In pictures. */
	const struct result *drawn;
	struct plot_options plot;
};

/*
 * Write all of them, data before pictures, telling of what fails, which costs
 * no other. A first signal meanwhile ends what takes time: files that are begun
 * are finished, those of what was measured are written all the same, pictures
 * are not. Where no data file of a measurement could be written, the record
 * goes where temporary files do. Returns an enum exit_status.
 *
 * Signals are caught from here on, if there are outputs (cli_catch_signals()).
 */
int outputs_save(
	const struct outputs *outputs, const struct output_contents *contents);

/* Whether a path is for JSON, by its extension. */
bool output_is_json(const char *path);

#endif
