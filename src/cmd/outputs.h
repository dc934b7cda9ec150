/*
 * The files that a command reads, and those that -o names: checked when they
 * are named, when all names are known, and before the work begins.
 */
#ifndef C2C_OUTPUTS_H
#define C2C_OUTPUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/option.h"
#include "cmd/page/page.h"
#include "plot/plot.h"
#include "result/result.h"
#include "result/sections.h"
#include "util/error.h"

struct outputs {
	char **paths; /* [n], owned */
	size_t n;
	bool json; /* "-": JSON on standard output, as by --json */
	/*
	 * Which part of how many of c2c measure this process is, from 1; 0 of
	 * some: only its options are checked; 0 of 0: it is none. The result
	 * then goes to the process that began this one.
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
/* The rule for it. */
#define OUTPUTS_SECTION_RULE(options)                                          \
	{                                                                      \
		options " quiet verbose", "child-section", "child",            \
			" belongs to c2c measure: write it before the first "  \
			"command"                                              \
	}

/* What a command can write; flags. */
enum output_kind {
	OUTPUT_JSON = 1,    /* in a format of its own */
	OUTPUT_RESULT = 2,  /* .json, .dat, .csv and .tsv */
	OUTPUT_PICTURE = 4, /* .png, .svg, .pdf, .gp and .md */
	OUTPUT_TEXT = 8,    /* under any name */
	OUTPUT_PAGE = 16,   /* .html */
	OUTPUTS_DRAWN = OUTPUT_PICTURE | OUTPUT_PAGE,
};

/* For struct option_row: what manuals say of -o. */
#define OUTPUTS_NAME                                                           \
	"In the name of an output `%h` stands for the name of this host, "     \
	"`%%` for a per cent sign."

/*
 * Append the file that text names (cli_output_name()), or set json for "-".
 * -EINVAL (ERROR_USAGE) if the extension fits none of kinds, or the file is
 * there already.
 */
int outputs_add(struct outputs *outputs, const char *text, unsigned kinds,
	struct error *err);
void outputs_release(struct outputs *outputs);

/* This process is to be a section, if it is: -EINVAL if nobody began it. */
int outputs_begin_section(
	struct outputs *outputs, const char *command, struct error *err);

/*
 * Leave a result to the process that began this one. Returns an enum
 * exit_status.
 */
int outputs_hand_over(const char *command, const struct result *result);

/*
 * Whether only the options are checked. They can be used: tell c2c measure the
 * --budget that the user typed (NaN: none), and how often it is spent. Returns
 * an enum exit_status.
 */
bool outputs_are_checked(const struct outputs *outputs);
int outputs_pass_check(const char *command, double budget_s, uint64_t repeats);

/* The command ends: of a section without a result keep why it has none. */
void outputs_end_section(const struct outputs *outputs, int status);

/* The files that a command reads: the first member of its struct. */
struct inputs {
	const char **paths;	/* [n], borrowed: "-" is standard input */
	char **canonical_paths; /* [n] file_canonical() of each */
	size_t n;
	bool several;	       /* the command takes more than one */
	bool skip_duplicates;  /* a file that is named again is left out */
	const char *duplicate; /* the first that was, or NULL */
};

/* For struct option_command: append a file to the struct inputs at into. */
int inputs_add(void *into, const char *path, struct error *err);
void inputs_release(struct inputs *inputs);

/*
 * Check that there is one, and that none is an output: -EINVAL (ERROR_USAGE).
 */
int inputs_check(const struct inputs *inputs, const struct outputs *outputs,
	struct error *err);

/*
 * Check that no output is the file at path, which the command reads and would
 * destroy: -EINVAL (ERROR_USAGE), with option before the message.
 */
int outputs_check_not_input(const struct outputs *outputs, const char *option,
	const char *path, struct error *err);

/* Check that all outputs can be written, before the first one is. */
int outputs_check_writable(
	const struct outputs *outputs, const char *option, struct error *err);

/* Whether any is neither a picture nor a page. */
bool outputs_have_data(const struct outputs *outputs);

/* What goes into the outputs of a command. */
struct output_contents {
	const char *command;
	const char *option; /* the one that named them */
	int verbosity;
	/* One of these goes into data files. */
	const struct result *result;
	const char *json; /* as text */
	const char *text; /* whatever the names are */
	bool measured;	  /* c2c has just measured it: there is no copy */
	bool interrupted; /* by a signal; pictures are drawn all the same */
	/* This goes into pictures. */
	const struct result *drawn;
	const char *const *names; /* [n_drawn] of its files, if several */
	size_t n_drawn;		  /* 0: one */
	struct plot_options plot;
	/* These go into pages; NULL: drawn. */
	const struct page_input *pages;
	size_t n_pages;
	const char *fleet; /* or this, the JSON of a fleet */
};

/*
 * Write all outputs, data before pictures. Print what fails, and go on with the
 * others. A signal ends this early: c2c finishes the file it has begun, writes
 * what it measured, and draws no more pictures. If no data file of a
 * measurement can be written, the record goes to the folder for temporary
 * files. Catches signals (cli_catch_signals()). Returns an enum exit_status.
 */
int outputs_save(
	const struct outputs *outputs, const struct output_contents *contents);

/*
 * The same, then the JSON on standard output if print_json. False: nothing
 * else is to be printed. *status is what outputs_save() returned.
 */
bool outputs_finish(const struct outputs *outputs,
	const struct output_contents *contents, bool print_json, int *status);

/* Whether a path is for a picture or a page, by its extension. */
bool output_is_picture(const char *path);

/* Whether a path is for JSON, by its extension. */
bool output_is_json(const char *path);

#endif
