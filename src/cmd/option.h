/*
 * Options as rows. A row has the name of an option, its possible values, the
 * place of its value, and its key in a record. From the rows, c2c makes the
 * help, the options in the manual, the parser with its messages, the block
 * "options" of a record, and the check of --resume.
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
	OPTION_FLAG,	/* bool: set to true */
	OPTION_CHOICE,	/* int: set to the row's choice */
	OPTION_TEXT,	/* const char * */
	OPTION_COUNT,	/* uint64_t */
	OPTION_BYTES,	/* uint64_t, as 512, 64K, 4G */
	OPTION_NUMBER,	/* double */
	OPTION_TIME,	/* double: seconds, as 2, 500ms, 2s, 5m, 2h, 7d */
	OPTION_WORD,	/* int: index of the word in value, from 0 */
	OPTION_COUNTS,	/* struct option_range: MIN:MAX, or MIN[:MAX] */
	OPTION_SIZES,	/* struct option_range, in bytes */
	OPTION_LIST,	/* struct option_list: items between commas */
	OPTION_OUTPUT,	/* struct outputs: a file of the kinds in choice */
	OPTION_OWN,	/* parse() decides */
	OPTION_NOTE,	/* no value: more text on this option */
};

/* Longest time: 365 days. */
#define OPTION_TIME_MAX_S (365.0 * 24 * 3600)

struct option_range {
	uint64_t min, max; /* without MAX, max is unchanged */
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
	const char *value; /* "N", "park|spin|auto", or NULL */
	size_t at;	   /* offset in the struct of the table */
	const char *help;  /* NULL: not in the help */
	const char *more;  /* in manuals; see man/options.awk */
	int group;	   /* group of this row and the next rows */
	int letter;	   /* 'o', or 0 */
	/* CHOICE: value; WORD: first index; OUTPUT: enum output_kind. */
	int choice;
	/*
	 * Words for the value, if `value` does not list them. The last word may
	 * stand for a number, in capitals: "llc|all|N", "page|stride:BYTES".
	 */
	const char *words;
	const char *standard; /* value if the option is not given; or NULL */
	struct {
		double least, most;
	} within;
	uint64_t multiple; /* a value must be a multiple; 0: any */
	/* For OPTION_OWN. text is NULL if the option has no value. */
	int (*parse)(void *at, const char *text, struct error *err);
	/*
	 * The kind that parse() stores: text, count, word. For a list, the kind
	 * of its numbers: counts, bytes, or counts as MIN:MAX (doubling).
	 */
	enum option_kind is;
	/*
	 * The key in the record; NULL: none. A range has two keys, which end in
	 * "_min" and "_max". null stands for an unset text or for a count of 0
	 * below least.
	 */
	const char *record;
	bool once;	 /* a text that may not be given twice */
	bool same;	 /* --resume requires the same value */
	const char *old; /* old name, accepted but not in the help */
};

/* The options that the user gave, each once, with the last value or NULL. */
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
 * A mistake of usage: the user gave an option of the list `given` and one of
 * `with`, but none of `without`. Ignore a list that is NULL. Blanks separate
 * names: "pages" is --pages, "pages=all" only --pages=all, "jobs!1" is --jobs
 * with any value but 1, "TEST" is the argument.
 */
struct option_rule {
	const char *given, *with, *without;
	/*
	 * The message, after the first of `given` unless the message begins
	 * with a dash. NULL: the first options of `given` and `with` exclude
	 * each other.
	 */
	const char *flaw;
};

/* Check rules up to one without `given`; a mistake is -EINVAL (ERROR_USAGE). */
int option_check_rules(const struct option_rule *rules,
	const struct options_given *given, struct error *err);

struct option_table {
	const struct option_row *rows;
	size_t n;
	void *into;
	/* Check dependencies that `rules` cannot express; or NULL. */
	int (*check)(void *into, struct error *err);
	const struct option_rule *rules; /* or NULL */
};

/* The options of a command, besides --quiet, --verbose, --color and --help. */
struct option_command {
	const char *name;
	/* Sentences, or lines. Text after a \v is only in --help=all. */
	const char *doc;
	/* Names of options in the short help, with blanks between them. */
	const char *often;
	/* Examples in the short help: lines of command, tab, text. */
	const char *examples;
	const struct option_table *tables;
	size_t n_tables;
	/* Options that the help omits, like `given` of a rule; or NULL. */
	const char *hidden;
	int *verbosity;		     /* -1, 0 or 1 */
	struct options_given *given; /* filled before the checks */
	const char *arguments;	     /* "FILE..."; NULL: none */
	/*
	 * Gets the index of the first argument, where options end. NULL:
	 * options may follow arguments.
	 */
	int *first;
	/* Store an argument in the struct of the first table. */
	int (*take)(void *into, const char *argument, struct error *err);
};

/*
 * Parse the command line. Exit with a message on a mistake. Return an enum
 * exit_status: STATUS_DONE, or a failure if memory is out.
 */
int options_parse(const struct option_command *command, int argc, char **argv);

/* Store an option as typed, "--sizes=1K:1G", as if it were a default. */
int option_set(
	const struct option_table *table, const char *typed, struct error *err);

/* Set all options with a `standard` to this default. */
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
 * Check that the values of rows with `same` are those of a record. Otherwise
 * return -EINVAL (ERROR_USAGE); the error has the option and both values.
 */
int options_check_same(const struct option_table *table,
	const struct facts *there, struct error *err);

#endif
