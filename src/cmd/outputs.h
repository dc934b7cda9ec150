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
	 * If this process is a part of c2c measure: its number from 1, and the
	 * number of parts. 0 of n: only check the options. 0 of 0: no part. The
	 * result of a part goes to the process that started it.
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
/* The rule for OUTPUTS_SECTION_ROW. */
#define OUTPUTS_SECTION_RULE(options)                                          \
	{                                                                      \
		options " quiet verbose", "child-section", "child",            \
			" belongs to c2c measure: write it before the first "  \
			"command"                                              \
	}

/* Kinds of files that a command can write; flags. */
enum output_kind {
	OUTPUT_JSON = 1,    /* JSON that is not a result */
	OUTPUT_RESULT = 2,  /* .json, .dat, .csv and .tsv */
	OUTPUT_PICTURE = 4, /* .png, .svg, .pdf, .gp and .md */
	OUTPUT_TEXT = 8,    /* text under any name */
	OUTPUT_PAGE = 16,   /* .html */
	OUTPUTS_DRAWN = OUTPUT_PICTURE | OUTPUT_PAGE,
};

/* For struct option_row: the manual's text on -o. */
#define OUTPUTS_NAME                                                           \
	"In the name of an output `%h` stands for the name of this host, "     \
	"`%%` for a per cent sign."

/*
 * Append the file that text names (cli_output_name()), or set json for "-".
 * Return -EINVAL (ERROR_USAGE) if the extension is not among kinds, or the file
 * is already listed.
 */
int outputs_add(struct outputs *outputs, const char *text, unsigned kinds,
	struct error *err);
void outputs_release(struct outputs *outputs);

/* Become a section if c2c measure asks for one. -EINVAL without a parent. */
int outputs_begin_section(
	struct outputs *outputs, const char *command, struct error *err);

/*
 * Leave a result to the process that started this one. Return an enum
 * exit_status.
 */
int outputs_hand_over(const char *command, const struct result *result);

/*
 * outputs_are_checked(): return whether only the options are checked.
 * outputs_pass_check(): the options are valid, so report to c2c measure the
 * user's --budget (NaN: none), and how many budgets the command needs. Return
 * an enum exit_status.
 */
bool outputs_are_checked(const struct outputs *outputs);
int outputs_pass_check(const char *command, double budget_s, uint64_t repeats);

/* End the command. If it is a section without a result, keep the reason. */
void outputs_end_section(const struct outputs *outputs, int status);

/* The files that a command reads. Must be the first member of its struct. */
struct inputs {
	const char **paths;	/* [n], borrowed: "-" is standard input */
	char **canonical_paths; /* [n], file_canonical() of each */
	size_t n;
	bool several;	       /* the command takes more than one */
	bool skip_duplicates;  /* skip a file that is named again */
	const char *duplicate; /* first file that was named twice, or NULL */
};

/* For struct option_command: append a file to the struct inputs at into. */
int inputs_add(void *into, const char *path, struct error *err);
void inputs_release(struct inputs *inputs);

/*
 * Check that there is an input file, and that no input is an output. -EINVAL:
 * ERROR_USAGE.
 */
int inputs_check(const struct inputs *inputs, const struct outputs *outputs,
	struct error *err);

/*
 * Check that no output is the file at path, which the command reads and would
 * overwrite. Return -EINVAL (ERROR_USAGE), with option before the message.
 */
int outputs_check_not_input(const struct outputs *outputs, const char *option,
	const char *path, struct error *err);

/* Check that all outputs can be written, before writing the first. */
int outputs_check_writable(
	const struct outputs *outputs, const char *option, struct error *err);

/* Return whether any output is neither a picture nor a page. */
bool outputs_have_data(const struct outputs *outputs);

/* The contents of a command's outputs. */
struct output_contents {
	const char *command;
	const char *option; /* name of the option */
	int verbosity;
	/* Data files get one of these three. */
	const struct result *result;
	const char *json; /* as text */
	const char *text; /* text for files of any name */
	bool measured;	  /* c2c has just measured it: no copy exists */
	bool interrupted; /* by a signal; pictures are drawn anyway */
	/* Pictures get these. */
	const struct result *drawn;
	const char *const *names; /* [n_drawn], names of several files */
	size_t n_drawn;		  /* 0: one file */
	struct plot_options plot;
	/* Pages get these; NULL: the same as pictures. */
	const struct page_input *pages;
	size_t n_pages;
	const struct fleet *fleet; /* or a fleet, whose JSON is json */
};

/*
 * Write all outputs, data before pictures. Report each failure, and continue.
 * After a signal c2c finishes the current file, writes its measurement, and
 * draws no more pictures. If no data file of a measurement can be written, the
 * record goes to the folder for temporary files. This catches signals
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

/* Return whether a path is for JSON, by its extension. */
bool output_is_json(const char *path);

#endif
