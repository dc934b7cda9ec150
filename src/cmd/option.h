/*
 * Options as rows. A row says how an option is typed, what it may be, where
 * its value goes and what a record calls it. The rows make the help, the
 * options of the manual, the parser and its messages, the block "options" of a
 * record, and what --resume compares.
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
	OPTION_CHOICE,	/* int: that of the row, once given */
	OPTION_TEXT,	/* const char * */
	OPTION_COUNT,	/* uint64_t */
	OPTION_BYTES,	/* uint64_t, as 512, 64K, 4G */
	OPTION_NUMBER,	/* double */
	OPTION_TIME,	/* double: seconds, as 2, 500ms, 2s, 5m, 2h, 7d */
	OPTION_WORD,	/* int: which of the words that value lists, from 0 */
	OPTION_COUNTS,	/* struct option_range: MIN:MAX, or MIN[:MAX] */
	OPTION_SIZES,	/* the same of bytes */
	OPTION_LIST,	/* struct option_list: items between commas */
	OPTION_OUTPUT,	/* struct outputs: a file of the kinds in choice */
	OPTION_OWN,	/* parse() decides */
	OPTION_NOTE,	/* none: more of the option with this name */
};

/* Nobody waits longer: 365 days. */
#define OPTION_TIME_MAX_S (365.0 * 24 * 3600)

struct option_range {
	uint64_t min, max; /* without MAX, max stays as it is */
};

/* The items of a list, in their order, each once. */
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
	size_t at;	   /* in the struct of the table */
	const char *help;  /* NULL: the help leaves it out */
	const char *more;  /* in manuals; see man/options.awk */
	int group;	   /* of this row and those below it */
	int letter;	   /* 'o', or 0 */
	/* Of OPTION_CHOICE; of the first word in words; enum output_kind. */
	int choice;
	/*
	 * What value does not list: those of OPTION_WORD, of a list, or in
	 * place of a number. A last one in capitals is the number: "llc|all|N",
	 * "page|stride:BYTES".
	 */
	const char *words;
	const char *standard; /* what is taken if it is not given; or NULL */
	struct {
		double least, most;
	} within;
	uint64_t multiple; /* of counts and bytes: of this; 0: any */
	/* For OPTION_OWN; text is NULL if the option takes none. */
	int (*parse)(void *at, const char *text, struct error *err);
	/*
	 * What parse() stores: text, count, word. Of a list the numbers:
	 * counts, bytes, or counts as MIN:MAX, which doubles.
	 */
	enum option_kind is;
	/*
	 * The key in the record; NULL: none. A range has two keys, which end in
	 * "_min" and "_max". An unset text and a count of 0 below least are
	 * null.
	 */
	const char *record;
	bool once;	 /* a text that may not be given twice */
	bool same;	 /* --resume needs the same value in the record */
	const char *old; /* its name before: taken, and not in the help */
};

/* The options that were given, each once, with its last value or NULL. */
#define OPTIONS_GIVEN_MOST 64
struct options_given {
	size_t n;
	struct {
		const struct option_row *row;
		const char *value;
		bool by_letter;	    /* as -o */
	} list[OPTIONS_GIVEN_MOST]; /* [n] */
};

/* Whether the option of that name was. */
bool option_given(const struct options_given *given, const char *name);

/*
 * A mistake if one of `given` was given, and one of `with`, and none of
 * `without`; those that are NULL do not count. Blanks stand between names;
 * "pages=all" is the option with that value, "jobs!1" with any other; "TEST"
 * is the argument.
 */
struct option_rule {
	const char *given, *with, *without;
	/*
	 * The message; unless it begins with a dash, the first of `given`
	 * stands before it. NULL: that and the first of `with` exclude each
	 * other.
	 */
	const char *flaw;
};

/* Check the rules up to one without `given`. -EINVAL (ERROR_USAGE). */
int option_check_rules(const struct option_rule *rules,
	const struct options_given *given, struct error *err);

struct option_table {
	const struct option_row *rows;
	size_t n;
	void *into;
	/* After the rules: checks what else depends on several rows; or NULL.
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
	/* Sentences, or lines; --help=all ends with those behind a \v. */
	const char *doc;
	/* For the short help: option names, with blanks between, ... */
	const char *often;
	/* ... and lines, each a command, a tab, and what it does. */
	const char *examples;
	const struct option_table *tables;
	size_t n_tables;
	/* What the help leaves out, as `given` of a rule; NULL: it has all. */
	const char *hidden;
	int *verbosity;		     /* -1, 0 or 1 */
	struct options_given *given; /* is filled before the checks */
	const char *arguments;	     /* "FILE..."; NULL: none */
	/*
	 * Gets the place of the first argument, where options end; NULL: they
	 * may stand behind it, too.
	 */
	int *first;
	/* Stores an argument in the struct of the first table. */
	int (*take)(void *into, const char *argument, struct error *err);
};

/*
 * Parse the command line. A mistake in it ends the program with a message.
 * Returns an enum exit_status: STATUS_DONE unless memory was out.
 */
int options_parse(const struct option_command *command, int argc, char **argv);

/* Set what has a standard, as if it had been typed. */
void options_set_standards(const struct option_table *table);

/* Parse a list as the row has it. *list has its text. */
int option_parse_list(const struct option_row *row, const char *text,
	struct option_list *list, struct error *err);

/* Add the current values of the rows to the facts of a record. */
void options_record(const struct option_table *table, struct facts *facts);

/*
 * Check that the rows marked "same" have the values of a record. -EINVAL
 * (ERROR_USAGE) names the option and both values as a user types them.
 */
int options_check_same(const struct option_table *table,
	const struct facts *there, struct error *err);

#endif
