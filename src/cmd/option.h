/*
 * Options as rows. A row has the name of an option, its possible values, where
 * its value goes, and its key in a record. From the rows come the help, the
 * options in the manual, the parser with its messages, the block "options" of a
 * record, and the comparison of --resume.
 */
#ifndef C2C_OPTION_H
#define C2C_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/facts.h"
#include "util/error.h"

enum option_kind {
	OPTION_HEADING, /* the title of a group in the help */
	OPTION_FLAG,	/* bool: true once given */
	OPTION_CHOICE,	/* int: choice of the row, once given */
	OPTION_TEXT,	/* const char * */
	OPTION_COUNT,	/* uint64_t */
	OPTION_BYTES,	/* uint64_t, as 512, 64K, 4G */
	OPTION_NUMBER,	/* double */
	OPTION_TIME,	/* double: seconds, as 2, 500ms, 2s, 5m, 2h, 7d */
	OPTION_WORD,	/* int: which of the words that value lists, from 0 */
	OPTION_COUNTS,	/* struct option_range: MIN:MAX, or MIN[:MAX] */
	OPTION_SIZES,	/* struct option_range, in bytes */
	OPTION_LIST,	/* struct option_list: items between commas */
	OPTION_OUTPUT,	/* struct outputs: a file of the kinds in choice */
	OPTION_OWN,	/* parse() decides */
	OPTION_NOTE,	/* none: further text on the option with this name */
};

/* Longest time: 365 days. */
#define OPTION_TIME_MAX_S (365.0 * 24 * 3600)

struct option_range {
	uint64_t min, max; /* without MAX, max keeps its value */
};

/* The items of a list in their order, without duplicates. */
#define OPTION_LIST_MOST 64
struct option_list {
	const char *text; /* as typed */
	size_t n;
	uint64_t items[OPTION_LIST_MOST]; /* [n] */
};

struct option_row {
	const char *name; /* "samples"; NULL: only in records */
	enum option_kind kind;
	const char *value; /* in the help, "N" or "park|spin|auto"; or NULL */
	size_t at;	   /* offset in the struct of the table */
	const char *help;  /* NULL: the help leaves it out */
	const char *more;  /* in manuals; see man/options.awk */
	int group;	   /* group of this row and those below it */
	int letter;	   /* 'o', or 0 */
	/*
	 * OPTION_CHOICE: its value; words: the first one; or enum output_kind.
	 */
	int choice;
	/*
	 * Words that the user may give, if `value` does not list them. The last
	 * word may stand for a number, in capitals: "llc|all|N",
	 * "page|stride:BYTES".
	 */
	const char *words;
	const char *standard; /* value if the option is not given; or NULL */
	struct {
		double least, most;
	} within;
	uint64_t multiple; /* counts and bytes: a multiple of this; 0: any */
	/* For OPTION_OWN. text is NULL if the option takes no value. */
	int (*parse)(void *at, const char *text, struct error *err);
	/*
	 * The kind that parse() stores: text, count, word. For a list, the kind
	 * of its numbers: counts, bytes, or counts as MIN:MAX, which doubles.
	 */
	enum option_kind is;
	/*
	 * The key in the record; NULL: none. A range has two keys, which end in
	 * "_min" and "_max". An unset text is null, and so is a count of 0
	 * below least.
	 */
	const char *record;
	bool once;	 /* a text that may not be given twice */
	bool same;	 /* --resume needs the same value in the record */
	const char *old; /* its old name: accepted, but not in the help */
};

/* The options that were given, each once, with its last value or NULL. */
#define OPTIONS_GIVEN_MOST 64
struct options_given {
	size_t n;
	struct {
		const struct option_row *row;
		const char *value;
		bool by_letter;	    /* given by its letter */
	} list[OPTIONS_GIVEN_MOST]; /* [n] */
};

/* Return whether the option with that name was given. */
bool option_given(const struct options_given *given, const char *name);

/*
 * A mistake: the user gave an option of the list `given` and one of `with`, but
 * none of `without`. A list that is NULL does not count. Blanks separate names:
 * "pages" is --pages, "pages=all" only --pages=all, "jobs!1" is --jobs with any
 * value but 1, "TEST" is the argument.
 */
struct option_rule {
	const char *given, *with, *without;
	/*
	 * The message. Unless it begins with a dash, the first of `given` is
	 * put before it. NULL: the first of `given` and the first of `with`
	 * exclude each other.
	 */
	const char *flaw;
};

/* Check rules, up to one without `given`. -EINVAL (ERROR_USAGE): a mistake. */
int option_check_rules(const struct option_rule *rules,
	const struct options_given *given, struct error *err);

struct option_table {
	const struct option_row *rows;
	size_t n;
	void *into;
	/*
	 * Called after the rules, to check what else depends on several rows;
	 * or NULL.
	 */
	int (*check)(void *into, struct error *err);
	const struct option_rule *rules; /* or NULL */
};

/*
 * A command's options; every command also has --quiet, --verbose, --color and
 * --help.
 */
struct option_command {
	const char *name;
	/* Sentences, or lines; those behind a \v are only in --help=all. */
	const char *doc;
	/* For the short help: option names with blanks between them, ... */
	const char *often;
	/* ... and lines, each a command, a tab, and what it does. */
	const char *examples;
	const struct option_table *tables;
	size_t n_tables;
	/*
	 * Options that the help leaves out, like `given` of a rule; NULL: none.
	 */
	const char *hidden;
	int *verbosity;		     /* -1, 0 or 1 */
	struct options_given *given; /* filled before the checks */
	const char *arguments;	     /* "FILE..."; NULL: none */
	/*
	 * Gets the index of the first argument, after which no options follow;
	 * NULL: options may follow arguments.
	 */
	int *first;
	/* Store an argument in the struct of the first table. */
	int (*take)(void *into, const char *argument, struct error *err);
};

/*
 * Parse the command line. On a mistake, exit with a message. Return an enum
 * exit_status: STATUS_DONE unless memory was out.
 */
int options_parse(const struct option_command *command, int argc, char **argv);

/* Set the options that have a standard, as if the user had typed it. */
void options_set_standards(const struct option_table *table);

/*
 * Parse MIN:MAX according to the row; in a list, or if its value has MIN[:MAX],
 * also MIN alone.
 */
int option_parse_range(const struct option_row *row, const char *text,
	struct option_range *range, struct error *err);

/* Parse a list according to the row. *list has its text. */
int option_parse_list(const struct option_row *row, const char *text,
	struct option_list *list, struct error *err);

/* Add the current values of the rows to the facts of a record. */
void options_record(const struct option_table *table, struct facts *facts);

/*
 * Check that the rows marked "same" have the values of a record. -EINVAL
 * (ERROR_USAGE) names the option and both values in the form that a user types.
 */
int options_check_same(const struct option_table *table,
	const struct facts *there, struct error *err);

#endif
