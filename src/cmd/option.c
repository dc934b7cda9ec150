#include "cmd/option.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cli.h"
#include "cmd/option_help.h"
#include "cmd/outputs.h"
#include "commands.h"
#include "util/array.h"
#include "util/parse.h"
#include "util/text.h"

/* getopt_long() returns this plus the index of the name for a long option. */
#define FIRST_KEY 0x1000

/* Largest number of option names of a command. */
#define OPTIONS_MOST 80

/* Bytes for a value in the form that a user types. */
#define VALUE_BYTES 64

#define CAPITALS "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

static void *option_value_at(const struct option_row *row, void *into)
{
	return (char *)into + row->at;
}

/* Copy word i of a list with bars between words. */
static void copy_word(const char *words, int i, char word[VALUE_BYTES])
{
	while (i-- > 0)
		words += strcspn(words, "|") + 1;
	snprintf(word, VALUE_BYTES, "%.*s", (int)strcspn(words, "|"), words);
}

static const char *words_of_row(const struct option_row *row)
{
	return row->words ? row->words : row->value;
}

/* Return the index of text in a list with bars between words, or -1. */
static int find_word(const char *words, const char *text)
{
	for (int i = 0;; i++) {
		size_t n = strcspn(words, "|");

		if (n == strlen(text) && strncmp(words, text, n) == 0)
			return i;
		if (!words[n])
			return -1;
		words += n + 1;
	}
}

static int refuse_word(const char *words, const char *text, struct error *err)
{
	struct text_list known = {.text = NULL};
	char *all;

	for (const char *at = words; *at; at += *at == '|') {
		int n = (int)strcspn(at, "|");

		if (n == 1 && *at == 'N')
			text_list_add(&known, ", ", "a number");
		else
			text_list_add(&known, ", ", "%.*s", n, at);
		at += n;
	}
	all = text_list_end(&known);
	error_set(err, ERROR_USAGE, EINVAL, "'%s' is none of %s", text,
		all ? all : words);
	free(all);
	return -EINVAL;
}

static int parse_number(const struct option_row *row, const char *text,
	uint64_t *value, struct error *err)
{
	enum option_kind kind = row->kind == OPTION_LIST ? row->is : row->kind;
	uint64_t least = (uint64_t)row->within.least,
		 most = (uint64_t)row->within.most;
	bool bytes = kind == OPTION_BYTES || kind == OPTION_SIZES;
	uint64_t of = row->multiple;
	int rc = bytes ? parse_bytes(text, least, most, value, err)
		       : parse_u64(text, least, most, value, err);

	if (rc == 0 && of && *value % of)
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%" PRIu64 "' is not a multiple of %" PRIu64 " bytes",
			*value, of);
	return rc;
}

/* Parse a number, or one of the words. */
static int parse_one(const struct option_row *row, const char *text,
	uint64_t *value, struct error *err)
{
	const char *words = row->words;
	const char *number = words ? strpbrk(words, CAPITALS) : NULL;
	int word = words ? find_word(words, text) : -1;
	size_t prefix = 0;

	if (word >= 0 && !strpbrk(text, CAPITALS)) {
		*value = (uint64_t)row->choice + (uint64_t)word;
		return 0;
	}
	while (number && number > words && number[-1] != '|') {
		number--;
		prefix++;
	}
	if (words && (!number || strncmp(text, number, prefix) != 0 ||
			     (prefix == 0 && !(*text >= '0' && *text <= '9'))))
		return refuse_word(words, text, err);
	return parse_number(row, text + prefix, value, err);
}

int option_parse_range(const struct option_row *row, const char *text,
	struct option_range *range, struct error *err)
{
	const char *colon = strchr(text, ':');
	struct option_range read = *range;
	char *first;
	int rc;

	if (!colon && row->kind != OPTION_LIST && !strchr(row->value, '['))
		return error_set(err, ERROR_USAGE, EINVAL,
			"found '%s', expected MIN:MAX", text);
	if (colon && (colon == text || !colon[1]))
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' has nothing on one side of the colon", text);
	first = strndup(text, colon ? (size_t)(colon - text) : strlen(text));
	if (!first)
		return error_no_memory(err, "an option");
	rc = parse_one(row, first, &read.min, err);
	free(first);
	if (rc == 0 && colon)
		rc = parse_one(row, colon + 1, &read.max, err);
	if (rc < 0)
		return rc;
	if (read.max < read.min && colon)
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' has a MAX below its MIN", text);
	if (read.max < read.min)
		read.max = read.min;
	*range = read;
	return 0;
}

static int add_list_item(const struct option_row *row, const char *text,
	struct option_list *list, struct error *err)
{
	struct option_range range = {0, 0};
	int rc;

	if (!*text)
		return error_set(err, ERROR_USAGE, EINVAL,
			"an item of the list is empty");
	rc = row->is == OPTION_COUNTS
		     ? option_parse_range(row, text, &range, err)
		     : parse_one(row, text, &range.min, err);
	if (rc < 0)
		return rc;
	do {
		size_t k = 0;

		while (k < list->n && list->items[k] != range.min)
			k++;
		if (k == OPTION_LIST_MOST)
			return error_set(err, ERROR_USAGE, EINVAL,
				"more than %d items", OPTION_LIST_MOST);
		list->items[k] = range.min;
		list->n += k == list->n;
		range.min *= 2;
	} while (range.min && range.min <= range.max);
	return 0;
}

int option_parse_list(const struct option_row *row, const char *text,
	struct option_list *list, struct error *err)
{
	char *copy = strdup(text), *rest = copy, *item;
	int rc = copy ? 0 : error_no_memory(err, "an option");

	*list = (struct option_list){.text = text};
	while (rc == 0 && (item = strsep(&rest, ",")))
		rc = add_list_item(row, item, list, err);
	free(copy);
	return rc;
}

/* Parse "2", "500ms", "2s", "5m", "2h", "7d" as seconds. */
static int parse_time(const struct option_row *row, const char *text,
	double *seconds, struct error *err)
{
	static const struct {
		const char *unit;
		double s;
	} units[] = {{"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600},
		{"d", 86400}, {"", 1}};
	size_t i = 0, length = strspn(text, "0123456789.eE+-");
	char *number = strndup(text, length);
	double value = 0;
	int rc;

	if (!number)
		return error_no_memory(err, "a time");
	while (i < N_OF(units) && strcmp(text + length, units[i].unit) != 0)
		i++;
	rc = i == N_OF(units)
		     ? -EINVAL
		     : parse_double(number, -HUGE_VAL, HUGE_VAL, &value, err);
	free(number);
	if (rc < 0)
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' is not a time (write for instance 2, 500ms, 2s, "
			"5m, 7d)",
			text);
	value *= units[i].s;
	if (value < row->within.least || value > row->within.most)
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' is not between %.10g and %.10g seconds", text,
			row->within.least, row->within.most);
	*seconds = value;
	return 0;
}

static int option_store_value(const struct option_row *row, void *into,
	const char *text, struct error *err)
{
	void *at = option_value_at(row, into);
	int found;

	switch (row->kind) {
	case OPTION_FLAG:
		*(bool *)at = true;
		return 0;
	case OPTION_CHOICE:
		*(int *)at = row->choice;
		return 0;
	case OPTION_TEXT:
		if (row->once && *(const char **)at)
			return error_set(
				err, ERROR_USAGE, EINVAL, "given twice");
		*(const char **)at = text;
		return 0;
	case OPTION_COUNT:
	case OPTION_BYTES:
		return parse_one(row, text, at, err);
	case OPTION_NUMBER:
		return parse_double(
			text, row->within.least, row->within.most, at, err);
	case OPTION_TIME:
		return parse_time(row, text, at, err);
	case OPTION_WORD:
		found = find_word(words_of_row(row), text);
		if (found < 0)
			return refuse_word(words_of_row(row), text, err);
		*(int *)at = row->choice + found;
		return 0;
	case OPTION_COUNTS:
	case OPTION_SIZES:
		return option_parse_range(row, text, at, err);
	case OPTION_LIST:
		return option_parse_list(row, text, at, err);
	case OPTION_OUTPUT:
		return outputs_add(at, text, (unsigned)row->choice, err);
	case OPTION_OWN:
		return row->parse(at, text, err);
	default:
		return 0;
	}
}

int option_set(
	const struct option_table *table, const char *typed, struct error *err)
{
	const char *name = typed + strlen("--"), *value = strchr(name, '=');
	size_t length = strcspn(name, "=");

	for (size_t i = 0; i < table->n; i++) {
		const struct option_row *row = &table->rows[i];

		if (row->name && strlen(row->name) == length &&
			strncmp(row->name, name, length) == 0)
			return option_store_value(
				row, table->into, value ? value + 1 : "", err);
	}
	return error_set(
		err, ERROR_USAGE, EINVAL, "unknown option '%s'", typed);
}

void options_set_standards(const struct option_table *table)
{
	for (size_t i = 0; i < table->n; i++) {
		if (table->rows[i].standard)
			option_store_value(&table->rows[i], table->into,
				table->rows[i].standard, NULL);
	}
}

/*
 * Return whether the first option of names was given; write it as a user types
 * it, "-o" or "--pages all".
 */
static bool find_given(const struct options_given *given, const char *names,
	char typed[VALUE_BYTES])
{
	const char *value = names + strcspn(names, "=! ");
	size_t i = 0, n = strcspn(value, " ");
	const struct option_row *row;
	const char *text;

	while (i < given->n && !option_is_name(names, given->list[i].row->name))
		i++;
	if (i == given->n)
		return false;
	row = given->list[i].row;
	text = given->list[i].value ? given->list[i].value : "";
	while (*text == '0' && text[1] >= '0' && text[1] <= '9')
		text++;
	if (given->list[i].by_letter)
		snprintf(typed, VALUE_BYTES, "-%c", row->letter);
	else
		snprintf(typed, VALUE_BYTES, "--%s%s%s", row->name,
			*value == '=' ? " " : "", *value == '=' ? text : "");
	return n == 0 ||
	       (*value == '=') == (strlen(text) == n - 1 &&
					  strncmp(text, value + 1, n - 1) == 0);
}

static bool find_any_given(const struct options_given *given, const char *names,
	char typed[VALUE_BYTES])
{
	for (; *names; names += strspn(names, " ")) {
		if (find_given(given, names, typed))
			return true;
		names += strcspn(names, " ");
	}
	return false;
}

bool option_given(const struct options_given *given, const char *name)
{
	char typed[VALUE_BYTES];

	return find_given(given, name, typed);
}

int option_check_rules(const struct option_rule *rules,
	const struct options_given *given, struct error *err)
{
	char first[VALUE_BYTES], other[VALUE_BYTES] = "";

	for (; rules && rules->given; rules++) {
		const char *flaw = rules->flaw;

		if (!find_any_given(given, rules->given, first) ||
			(rules->without &&
				find_any_given(given, rules->without, other)) ||
			(rules->with &&
				!find_any_given(given, rules->with, other)))
			continue;
		if (!flaw)
			return error_set(err, ERROR_USAGE, EINVAL,
				"%s and %s exclude each other", first, other);
		return error_set(err, ERROR_USAGE, EINVAL, "%s%s",
			*flaw == '-' ? "" : first, flaw);
	}
	return 0;
}

/* The options of all commands. */
struct common_options {
	int verbosity;
	int colour;
};

static const struct option_row common_rows[] = {
	{"color", OPTION_WORD, "auto|always|never",
		offsetof(struct common_options, colour),
		.help = "Print colours on a terminal (auto, the default), "
			"always or never",
		.group = OPTION_COMMON_GROUP},
	{"quiet", OPTION_CHOICE, NULL,
		offsetof(struct common_options, verbosity),
		.help = "Print no progress and no warnings", .letter = 'q',
		.choice = -1},
	{"verbose", OPTION_CHOICE, NULL,
		offsetof(struct common_options, verbosity),
		.help = "Print each step and its settings", .letter = 'v',
		.choice = 1},
	{"help", OPTION_FLAG, NULL, 0,
		.help = "Print the usual options; --help=all prints all of "
			"them",
		.group = OPTION_COMMON_GROUP + 1, .letter = 'h'},
};

/* The names of all options of a command, also in the form for getopt_long(). */
struct option_names {
	const struct option_command *command;
	struct common_options common;
	size_t n;
	struct option_name {
		const char *name;
		const struct option_row *row;
		void *into;
	} list[OPTIONS_MOST]; /* [n] */
	/* For getopt_long(). val is FIRST_KEY plus the index in list. */
	struct option long_options[OPTIONS_MOST + 1];
	size_t n_letters;
	char letters[2 * OPTIONS_MOST + 2];
};

static void add_option_name(struct option_names *names, const char *name,
	const struct option_row *row, void *into)
{
	bool help = strcmp(name, "help") == 0;

	if (names->n == OPTIONS_MOST)
		abort();
	names->list[names->n] = (struct option_name){name, row, into};
	names->long_options[names->n] = (struct option){.name = name,
		.has_arg = help		? optional_argument
			   : row->value ? required_argument
					: no_argument,
		.val = FIRST_KEY + (int)names->n};
	names->n++;
}

static void add_option_row(
	struct option_names *names, const struct option_row *row, void *into)
{
	if (!row->name || row->kind == OPTION_HEADING ||
		row->kind == OPTION_NOTE)
		return;
	add_option_name(names, row->name, row, into);
	if (row->old)
		add_option_name(names, row->old, row, into);
	if (row->letter)
		names->letters[names->n_letters++] = (char)row->letter;
	if (row->letter && row->value)
		names->letters[names->n_letters++] = ':';
}

static void list_option_names(
	struct option_names *names, const struct option_command *command)
{
	names->command = command;
	for (size_t t = 0; t < command->n_tables; t++) {
		const struct option_table *table = &command->tables[t];

		for (size_t i = 0; i < table->n; i++)
			add_option_row(names, &table->rows[i], table->into);
	}
	for (size_t i = 0; i < N_OF(common_rows); i++)
		add_option_row(names, &common_rows[i], &names->common);
}

static const struct option_name *find_option_of_key(
	const struct option_names *names, int key)
{
	if (key >= FIRST_KEY)
		return &names->list[key - FIRST_KEY];
	for (size_t i = 0; i < names->n; i++) {
		if (names->list[i].row->letter == key)
			return &names->list[i];
	}
	return NULL;
}

static void note_given(struct options_given *given,
	const struct option_row *row, const char *value, bool by_letter)
{
	size_t i = 0;

	while (i < given->n && given->list[i].row != row)
		i++;
	if (i == OPTIONS_GIVEN_MOST)
		return;
	given->list[i].row = row;
	given->list[i].value = value;
	given->list[i].by_letter = by_letter;
	given->n += i == given->n;
}

_Noreturn static void end_with_hint(const struct option_command *command)
{
	fprintf(stderr, "Try 'c2c %s --help' for more information.\n",
		command->name);
	exit(STATUS_USAGE);
}

/*
 * Exit with a message, wrapped on a terminal. A usage error ends with a
 * reference to the help.
 */
_Noreturn static void refuse_usage(
	const struct option_command *command, const struct error *err)
{
	int status = cli_fail(command->name, err);

	if (err->class != ERROR_USAGE)
		exit(status);
	end_with_hint(command);
}

static void check_tables(const struct option_command *command)
{
	struct error err;

	for (size_t t = 0; t < command->n_tables; t++) {
		const struct option_table *table = &command->tables[t];

		if (option_check_rules(table->rules, command->given, &err) <
				0 ||
			(table->check && table->check(table->into, &err) < 0))
			refuse_usage(command, &err);
	}
}

static void take_argument(
	const struct option_command *command, const char *text)
{
	static const struct option_row argument = {.name = "TEST"};
	struct error err;
	int rc = command->take
			 ? command->take(command->tables->into, text, &err)
			 : error_set(&err, ERROR_USAGE, EINVAL,
				   "unexpected argument '%s'", text);

	if (rc < 0)
		refuse_usage(command, &err);
	note_given(command->given, &argument, text, false);
}

_Noreturn static void print_command_help(
	const struct option_command *command, const char *which)
{
	static const char *const whiches = "all|rows|more";
	struct error err;

	if (which && find_word(whiches, which) < 0) {
		error_set(&err, ERROR_USAGE, EINVAL,
			"--help: '%s' is not 'all'", which);
		refuse_usage(command, &err);
	}
	option_print_help(command, common_rows, N_OF(common_rows),
		which ? find_word(whiches, which) : OPTION_HELP_SHORT);
	exit(STATUS_DONE);
}

static void take_option(struct option_names *names, int key, const char *text)
{
	const struct option_command *command = names->command;
	const struct option_name *option = find_option_of_key(names, key);
	struct error err;

	if (strcmp(option->row->name, "help") == 0)
		print_command_help(command, text);
	/* -q and -v of c2c measure do not count as options of its parts. */
	if (option->into != &names->common ||
		option_given(command->given, "child-section"))
		note_given(command->given, option->row, text, key < FIRST_KEY);
	if (option_store_value(option->row, option->into, text, &err) == 0)
		return;
	if (key < FIRST_KEY)
		error_prefix(&err, "-%c", key);
	else
		error_prefix(&err, "--%s", option->row->name);
	refuse_usage(command, &err);
}

/*
 * Set the environment for --color, for this process and its children. Return 0
 * or an errno value.
 */
static int set_colour_environment(bool always)
{
	int rc = always ? unsetenv("NO_COLOR") : 0;

	if (rc == 0)
		rc = setenv(always ? "CLICOLOR_FORCE" : "NO_COLOR", "1", 1);
	return rc < 0 ? errno : 0;
}

/* Return the option that getopt_long() finds for word, or NULL. */
static const struct option_name *find_option_by_prefix(
	const struct option_names *names, const char *word)
{
	size_t length = strcspn(word, "=");

	for (size_t i = 0; i < names->n && length > 0; i++) {
		if (strncmp(names->list[i].name, word, length) == 0)
			return &names->list[i];
	}
	return NULL;
}

/* Return whether the next argument is the value of this option. */
static bool takes_next(const struct option_names *names, const char *argument)
{
	const struct option_name *option;
	size_t length = strlen(argument);

	if (*argument != '-' || length < 2)
		return false;
	if (argument[1] == '-')
		option = find_option_by_prefix(names, argument + 2);
	else
		option = find_option_of_key(names, argument[length - 1]);
	return option && option->row->value &&
	       (argument[1] != '-' || !strchr(argument, '='));
}

/* Return the index of the first argument that belongs to no option. */
static int find_argument(
	const struct option_names *names, int argc, char **argv)
{
	int i = 1;

	while (i < argc && *argv[i] == '-') {
		if (strcmp(argv[i], "--") == 0)
			return i + 1 < argc ? i + 1 : argc;
		i += takes_next(names, argv[i]) ? 2 : 1;
	}
	return i < argc ? i : argc;
}

/*
 * Names of options in other programs. If several rows have a word, c2c suggests
 * the first option that the command has.
 */
static const char *const synonyms[][2] = {
	{"timeout", "limit"},
	{"timeout", "budget"},
	{"time", "budget"},
	{"time", "for"},
	{"duration", "budget"},
	{"duration", "for"},
	{"seconds", "budget"},
	{"seconds", "for"},
	{"iterations", "passes"},
	{"iterations", "repeat"},
	{"repeat", "runs"},
	{"warmup", "discard"},
	{"warmup", "passes"},
	{"threads", "cpus"},
	{"cores", "cpus"},
	{"affinity", "cpus"},
	{"top", "nearest"},
	{"format", "output"},
	{"file", "output"},
	{"csv", "output"},
	{"png", "output"},
	{"svg", "output"},
	{"pdf", "output"},
	{"html", "output"},
	{"xml", "hwloc"},
	{"cmap", "palette"},
	{"dark", "theme"},
	{"silent", "quiet"},
	{"debug", "verbose"},
};

static bool is_format(const char *word)
{
	static const char *const formats[] = {
		"csv", "png", "svg", "pdf", "html"};

	for (size_t i = 0; i < N_OF(formats); i++) {
		if (strcmp(formats[i], word) == 0)
			return true;
	}
	return false;
}

/* Return the option with this name, or NULL. */
static const struct option_row *find_option_by_name(
	const struct option_names *names, const char *name)
{
	for (size_t i = 0; i < names->n; i++) {
		if (option_is_in_help(names->command, names->list[i].row) &&
			strcmp(names->list[i].row->name, name) == 0)
			return names->list[i].row;
	}
	return NULL;
}

/* Return the option that a user most likely meant by word, or NULL. */
static const struct option_row *find_nearest_option(
	const struct option_names *names, const char *word)
{
	const struct option_row *meant = NULL;
	size_t best = SIZE_MAX;

	for (size_t i = 0; i < N_OF(synonyms); i++) {
		if (strcmp(synonyms[i][0], word) == 0)
			meant = find_option_by_name(names, synonyms[i][1]);
		/* The help of -o lists the formats that the command writes. */
		if (meant && is_format(word) && !strstr(meant->help, word))
			meant = NULL;
		if (meant)
			return meant;
	}
	for (size_t i = 0; i < names->n; i++) {
		if (option_is_in_help(names->command, names->list[i].row) &&
			text_is_nearer(word, names->list[i].row->name, &best))
			meant = names->list[i].row;
	}
	return meant;
}

/*
 * Refuse a mistyped option with a suggestion. getopt_long() refuses options
 * without one.
 */
static void option_check_spelling(
	const struct option_names *names, int argc, char **argv)
{
	const char *command = names->command->name;

	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		const struct option_row *meant;
		char word[VALUE_BYTES];

		if (takes_next(names, argv[i])) {
			i++;
			continue;
		}
		if (strncmp(argv[i], "--", 2) != 0 ||
			find_option_by_prefix(names, argv[i] + 2))
			continue;
		snprintf(word, sizeof(word), "%.*s",
			(int)strcspn(argv[i] + 2, "="), argv[i] + 2);
		meant = find_nearest_option(names, word);
		if (!meant)
			return;
		cli_notify(command,
			"unrecognized option '--%s'; did you mean '--%s%s%s'%s"
			"? 'c2c %s --help=all' lists all options",
			word, meant->name, meant->value ? "=" : "",
			meant->value ? meant->value : "",
			strcmp(meant->name, "output") == 0
				? " (the extension selects the format)"
				: "",
			command);
		exit(STATUS_USAGE);
	}
}

int options_parse(const struct option_command *command, int argc, char **argv)
{
	struct option_names names = {.n = 0};
	struct error err;
	int key, code = 0;

	list_option_names(&names, command);
	names.letters[names.n_letters] = '?'; /* -? means --help */
	for (size_t t = 0; t < command->n_tables; t++)
		options_set_standards(&command->tables[t]);
	if (command->first)
		argc = *command->first = find_argument(&names, argc, argv);
	option_check_spelling(&names, argc, argv);
	optind = 0; /* parse from the beginning again */
	while ((key = getopt_long(argc, argv, names.letters, names.long_options,
			NULL)) != -1) {
		if (key == '?' && strcmp(argv[optind - 1], "-?") == 0)
			print_command_help(command, NULL);
		if (key == '?')
			end_with_hint(command);
		take_option(&names, key, optarg);
	}
	for (int i = optind; i < argc; i++)
		take_argument(command, argv[i]);
	if (names.common.verbosity)
		*command->verbosity = names.common.verbosity;
	check_tables(command);
	if (names.common.colour)
		code = set_colour_environment(names.common.colour == 1);
	if (code == 0)
		return STATUS_DONE;
	error_set(&err, ERROR_FAILURE, code, "--color: %s", strerror(code));
	return cli_fail(command->name, &err);
}

static void record_range(const struct option_row *row,
	const struct option_range *range, struct facts *facts)
{
	const struct {
		const char *end;
		uint64_t value;
	} ends[] = {{"_min", range->min}, {"_max", range->max}};
	char key[VALUE_BYTES];

	for (size_t i = 0; i < 2; i++) {
		snprintf(key, sizeof(key), "%s%s", row->record, ends[i].end);
		if (range->max)
			facts_set_count(facts, key, (int64_t)ends[i].value);
		else
			facts_set_unknown(facts, key);
	}
}

static void option_record_row(
	const struct option_row *row, void *into, struct facts *facts)
{
	void *at = option_value_at(row, into);
	char word[VALUE_BYTES];

	switch (row->kind == OPTION_OWN ? row->is : row->kind) {
	case OPTION_FLAG:
		facts_set_flag(facts, row->record, *(bool *)at);
		break;
	case OPTION_TEXT:
	case OPTION_LIST: /* text is the first member of option_list */
		facts_set_text(facts, row->record, *(const char **)at);
		break;
	case OPTION_COUNT:
	case OPTION_BYTES:
		if (*(uint64_t *)at == 0 && row->within.least > 0 &&
			!row->words)
			facts_set_unknown(facts, row->record);
		else
			facts_set_count(facts, row->record, *(int64_t *)at);
		break;
	case OPTION_NUMBER:
	case OPTION_TIME:
		facts_set_number(facts, row->record, *(double *)at);
		break;
	case OPTION_WORD:
		copy_word(words_of_row(row), *(int *)at - row->choice, word);
		facts_set_text(facts, row->record, word);
		break;
	default:
		record_range(row, at, facts);
	}
}

void options_record(const struct option_table *table, struct facts *facts)
{
	for (size_t i = 0; i < table->n; i++) {
		if (table->rows[i].record)
			option_record_row(&table->rows[i], table->into, facts);
	}
}

/* Format the recorded value of a row as a user types it: "64K", "spin". */
static const char *format_fact_as_typed(const struct option_row *row,
	const struct facts *facts, char text[VALUE_BYTES])
{
	static const char suffixes[] = "KMGT";
	const struct fact *fact = facts_find(facts, row->record);
	uint64_t bytes = (uint64_t)facts_count(facts, row->record);
	char *words, suffix[2] = "";

	if (!fact_is_known(fact))
		return "nothing";
	if (row->kind != OPTION_BYTES || bytes == 0) {
		words = fact_words(fact);
		snprintf(text, VALUE_BYTES, "%s", words ? words : "?");
		free(words);
		return text;
	}
	for (size_t i = 0; suffixes[i] && bytes % 1024 == 0; i++) {
		bytes /= 1024;
		suffix[0] = suffixes[i];
	}
	snprintf(text, VALUE_BYTES, "%" PRIu64 "%s", bytes, suffix);
	return text;
}

static int refuse_changed_option(const struct option_row *row,
	const struct facts *there, const struct facts *here, struct error *err)
{
	char then[VALUE_BYTES], now[VALUE_BYTES];

	if (!row->name && !facts_find(there, row->record))
		return error_set(err, ERROR_USAGE, EINVAL,
			"the record is from an older c2c without the %s '%s': "
			"measure all pairs again",
			row->record, format_fact_as_typed(row, here, now));
	if (!row->name)
		return error_set(err, ERROR_USAGE, EINVAL,
			"its %s is %s, and this run has %s", row->record,
			format_fact_as_typed(row, there, then),
			format_fact_as_typed(row, here, now));
	if (row->kind == OPTION_FLAG)
		return error_set(err, ERROR_USAGE, EINVAL,
			"the record was measured with%s --%s: do the same here",
			facts_flag(here, row->record) ? "out" : "", row->name);
	return error_set(err, ERROR_USAGE, EINVAL,
		"the record has --%s %s, and this run --%s %s: use the same "
		"value",
		row->name, format_fact_as_typed(row, there, then), row->name,
		format_fact_as_typed(row, here, now));
}

static bool option_is_unchanged(const struct option_row *row,
	const struct facts *there, const struct facts *here)
{
	const struct fact *old = facts_find(there, row->record);

	/* The record may be older than the flag or the size. */
	if (!old && row->kind == OPTION_BYTES)
		return true;
	if (!old && row->kind == OPTION_FLAG)
		return !facts_flag(here, row->record);
	return fact_same(old, facts_find(here, row->record));
}

int options_check_same(const struct option_table *table,
	const struct facts *there, struct error *err)
{
	struct facts here = {.n = 0};
	int rc = 0;

	options_record(table, &here);
	if (here.failed)
		rc = error_no_memory(err, "the options");
	for (size_t i = 0; rc == 0 && i < table->n; i++) {
		const struct option_row *row = &table->rows[i];

		if (row->same && !option_is_unchanged(row, there, &here))
			rc = refuse_changed_option(row, there, &here, err);
	}
	facts_release(&here);
	return rc;
}
