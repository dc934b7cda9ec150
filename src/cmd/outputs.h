/*
 * The files that a command reads, and the files that -o names. c2c checks the
 * files before it measures.
 */
#ifndef C2C_OUTPUTS_H
#define C2C_OUTPUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/option.h"
#include "cmd/page/page.h"
#include "render/plot.h"
#include "result/result.h"
#include "result/sections.h"
#include "util/error.h"

struct outputs {
	char **paths; /* [n], owned */
	size_t n;
	bool json; /* "-": JSON on standard output, like --json */
	/*
	 * For a part of c2c measure: its number from 1, and the number of
	 * parts. 0 of n: only check the options. 0 of 0: this process is no
	 * part. c2c passes the result of a part to the parent process.
	 */
	struct option_range section;
};

/* For the option tables of commands that may be a part of c2c measure. */
#define OUTPUTS_SECTION_ROW(place)                                             \
	{                                                                      \
		"child-section", OPTION_COUNTS, "AT:N", place, .within = {     \
			0,                                                     \
			SECTIONS_MAX                                           \
		}                                                              \
	}
/* The rule for parts of c2c measure, beside OUTPUTS_SECTION_ROW. */
#define OUTPUTS_SECTION_RULE(options)                                          \
	{                                                                      \
		options " quiet verbose", "child-section", "child",            \
			" belongs to c2c measure: write it before the first "  \
			"command"                                              \
	}

/* Kinds of files that a command can write, as flags. */
enum output_kind {
	OUTPUT_JSON = 1,    /* JSON other than a result */
	OUTPUT_RESULT = 2,  /* .json, .dat, .csv and .tsv */
	OUTPUT_PICTURE = 4, /* .png, .svg, .pdf, .gp and .md */
	OUTPUT_TEXT = 8,    /* text, in a file of any name */
	OUTPUT_PAGE = 16,   /* .html */
	OUTPUTS_DRAWN = OUTPUT_PICTURE | OUTPUT_PAGE,
};

/* Text on -o for manuals (struct option_row). */
#define OUTPUTS_NAME                                                           \
	"In the name of an output `%h` stands for the name of this host, "     \
	"`%%` for a per cent sign."

/*
 * Append the file with the name cli_output_name(text), or set json for "-".
 * Return -EINVAL (ERROR_USAGE) if the extension is not of `kinds`, or the file
 * is already in the list.
 */
int outputs_add(struct outputs *outputs, const char *text, unsigned kinds,
	struct error *err);
void outputs_release(struct outputs *outputs);

/* Begin a part if c2c measure started this process; -EINVAL without a pipe. */
int outputs_begin_section(
	struct outputs *outputs, const char *command, struct error *err);

/* Pass a result to the parent process. Return an enum exit_status. */
int outputs_hand_over(const char *command, const struct result *result);

/*
 * outputs_are_checked(): return whether c2c only checks the options.
 * outputs_pass_check(): report valid options to c2c measure, with the user's
 * --budget (NaN: none) and the number of budgets for the command. Return an
 * enum exit_status.
 */
bool outputs_are_checked(const struct outputs *outputs);
int outputs_pass_check(const char *command, double budget_s, uint64_t repeats);

/* End the command. For a part without a result, pass the reason. */
void outputs_end_section(const struct outputs *outputs, int status);

/* The files that a command reads. The first member of a command's struct. */
struct inputs {
	const char **paths;	/* [n], borrowed: "-" is standard input */
	char **canonical_paths; /* [n], file_canonical() of each */
	size_t n;
	bool several;	       /* the command accepts several files */
	bool skip_duplicates;  /* skip a repeated file */
	const char *duplicate; /* first repeated file, or NULL */
};

/* For struct option_command: append a file to the struct inputs at into. */
int inputs_add(void *into, const char *path, struct error *err);
void inputs_release(struct inputs *inputs);

/*
 * Check that there is an input file, and that no input is an output. Otherwise
 * return -EINVAL (ERROR_USAGE).
 */
int inputs_check(const struct inputs *inputs, const struct outputs *outputs,
	struct error *err);

/*
 * Check that no output is the file at path, which the command reads. Return
 * -EINVAL (ERROR_USAGE), with option before the message.
 */
int outputs_check_not_input(const struct outputs *outputs, const char *option,
	const char *path, struct error *err);

/* Check that c2c can write all outputs. */
int outputs_check_writable(
	const struct outputs *outputs, const char *option, struct error *err);

/* Return whether any output is neither a picture nor a page. */
bool outputs_have_data(const struct outputs *outputs);

/* The contents of a command's outputs. */
struct output_contents {
	const char *command;
	const char *option; /* name of the option */
	int verbosity;
	/* The contents of data files: one of these three. */
	const struct result *result;
	const char *json; /* as text */
	const char *text; /* text for files of any name */
	bool measured;	  /* the data exists nowhere else */
	bool interrupted; /* a signal ended the measurement */
	/* Pictures get these. */
	const struct result *drawn;
	const char *const *names; /* [n_drawn], names of the files */
	size_t n_drawn;		  /* 0: one file */
	struct plot_options plot;
	/* The contents of pages; NULL: as for pictures. */
	const struct page_input *pages;
	size_t n_pages;
	const struct fleet *fleet; /* or a fleet, whose JSON is json */
};

/*
 * Write all outputs, data before pictures. Report each failure, and continue.
 * After a signal, finish the current file, write the measurement, and draw no
 * more pictures. If no data file of a measurement can be written, save the
 * record in the folder for temporary files. outputs_save() catches signals
 * (cli_catch_signals()). Return an enum exit_status.
 */
int outputs_save(
	const struct outputs *outputs, const struct output_contents *contents);

/*
 * Like outputs_save(), then print the JSON on standard output if print_json.
 * Return false if nothing else should be printed. *status gets the result of
 * outputs_save().
 */
bool outputs_finish(const struct outputs *outputs,
	const struct output_contents *contents, bool print_json, int *status);

/* Return whether a path is for a picture or a page, by its extension. */
bool output_is_picture(const char *path);

/* Return whether a path is for JSON or CSV, by its extension. */
bool output_is_json(const char *path);
bool output_is_csv(const char *path);

/* A .csv has one matrix: say what else the result has. */
void outputs_note_csv(const char *command, const struct result *result);

#endif
