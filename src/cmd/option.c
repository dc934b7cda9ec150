#include "cmd/option.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cli.h"
#include "cmd/outputs.h"
#include "commands.h"
#include "util/parse.h"
#include "util/text.h"

/* Options that every command has, without a letter. */
#define COLOUR_KEY 0x2000
#define USAGE_KEY  0x2001

/* A row without a letter has this key plus its place. */
#define FIRST_KEY 0x1000

/* A value as a user types it. */
#define VALUE_BYTES 64

#define CAPITALS "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

static void *option_value_at(const struct option_row *row, void *into)
{
	return (char *)into + row->at;
}

/* Word i of those between bars. */
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

/* Which of the words between bars text is; -1: none. */
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

static int parse_word(const struct option_row *row, const char *text, int *word,
	struct error *err)
{
	int found = find_word(words_of_row(row), text);

	if (found < 0)
		return refuse_word(words_of_row(row), text, err);
	*word = row->choice + found;
	return 0;
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

/* A number, or one of the words. */
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

/* MIN:MAX; in a list, or if the help has MIN[:MAX], also MIN alone. */
static int option_parse_range(const struct option_row *row, const char *text,
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

static int option_store_value(const struct option_row *row, void *into,
	const char *text, struct error *err)
{
	void *at = option_value_at(row, into);

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
	case OPTION_WORD:
		return parse_word(row, text, at, err);
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

void options_set_standards(const struct option_table *table)
{
	for (size_t i = 0; i < table->n; i++) {
		if (table->rows[i].standard)
			option_store_value(&table->rows[i], table->into,
				table->rows[i].standard, NULL);
	}
}

/* Whether the first of names, with its value or without, is this. */
static bool is_name(const char *names, const char *name)
{
	size_t n = strcspn(names, "=! ");

	return strlen(name) == n && strncmp(names, name, n) == 0;
}

static bool has_name(const char *names, const char *name)
{
	for (; *names; names += strspn(names, " ")) {
		if (is_name(names, name))
			return true;
		names += strcspn(names, " ");
	}
	return false;
}

/*
 * Whether the first option of names was given; and how a user types it, "-o" or
 * "--pages all".
 */
static bool find_given(const struct options_given *given, const char *names,
	char typed[VALUE_BYTES])
{
	const char *value = names + strcspn(names, "=! ");
	size_t i = 0, n = strcspn(value, " ");
	const struct option_row *row;
	const char *text;

	while (i < given->n && !is_name(names, given->list[i].row->name))
		i++;
	if (i == given->n)
		return false;
	row = given->list[i].row;
	text = given->list[i].value ? given->list[i].value : "";
	while (*text == '0' && text[1] >= '0' && text[1] <= '9')
		text++;
	if (row->letter)
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

static void note_given(struct options_given *given,
	const struct option_row *row, const char *value)
{
	size_t i = 0;

	while (i < given->n && given->list[i].row != row)
		i++;
	if (i == OPTIONS_GIVEN_MOST)
		return;
	given->list[i].row = row;
	given->list[i].value = value;
	given->n += i == given->n;
}

/* Row i of all tables, and the struct of its table; NULL after the last. */
static const struct option_row *find_row(
	const struct option_command *command, size_t i, void **into)
{
	for (size_t t = 0; t < command->n_tables; t++) {
		const struct option_table *table = &command->tables[t];

		*into = table->into;
		if (i < table->n)
			return &table->rows[i];
		i -= table->n;
	}
	return NULL;
}

/* The row of a key of argp. */
static const struct option_row *find_row_of_key(
	const struct option_command *command, int key, void **into)
{
	const struct option_row *row;

	if (key >= FIRST_KEY)
		return find_row(command, (size_t)(key - FIRST_KEY), into);
	for (size_t i = 0; (row = find_row(command, i, into)); i++) {
		if (key && row->letter == key)
			return row;
	}
	return NULL;
}

/* What parse_option() gets. */
struct option_parse_state {
	const struct option_command *command;
	int colour; /* of colour_row */
};

static const struct option_row loudness_rows[] = {
	{.name = "quiet", .letter = 'q'}, {.name = "verbose", .letter = 'v'}};

static const struct option_row colour_row = {
	.name = "color", .kind = OPTION_WORD, .value = "auto|always|never"};

/* End with a message, which a terminal wraps, and with where the help is. */
static void refuse_usage(struct argp_state *state, const struct error *err)
{
	const struct option_parse_state *parsing = state->input;

	cli_fail(parsing->command->name, err);
	argp_state_help(state, stderr, ARGP_HELP_STD_ERR);
}

static void check_tables(
	const struct option_command *command, struct argp_state *state)
{
	struct error err;

	for (size_t t = 0; t < command->n_tables; t++) {
		const struct option_table *table = &command->tables[t];

		if (option_check_rules(table->rules, command->given, &err) <
				0 ||
			(table->check && table->check(table->into, &err) < 0))
			refuse_usage(state, &err);
	}
}

static void take_argument(const struct option_command *command,
	const char *text, struct argp_state *state)
{
	static const struct option_row argument = {.name = "TEST"};
	struct error err;
	int rc = command->take
			 ? command->take(command->tables->into, text, &err)
			 : error_set(&err, ERROR_USAGE, EINVAL,
				   "unexpected argument '%s'", text);

	if (rc < 0)
		refuse_usage(state, &err);
	note_given(command->given, &argument, text);
}

/* What every command has; false: another key. */
static bool handle_common_option(
	int key, const char *text, struct argp_state *state)
{
	struct option_parse_state *parsing = state->input;
	struct error err;

	switch (key) {
	case 'h':
	case '?':
		argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
		return true;
	case USAGE_KEY:
		argp_state_help(
			state, stdout, ARGP_HELP_USAGE | ARGP_HELP_EXIT_OK);
		return true;
	case 'q':
	case 'v':
		*parsing->command->verbosity = key == 'v' ? 1 : -1;
		/* c2c measure has its own before that. */
		if (option_given(parsing->command->given, "child-section"))
			note_given(parsing->command->given,
				&loudness_rows[key == 'v'], NULL);
		return true;
	case COLOUR_KEY:
		if (parse_word(&colour_row, text, &parsing->colour, &err) < 0) {
			error_prefix(&err, "--%s", colour_row.name);
			refuse_usage(state, &err);
		}
		return true;
	case ARGP_KEY_ARG:
		take_argument(parsing->command, text, state);
		return true;
	case ARGP_KEY_END:
		check_tables(parsing->command, state);
		return true;
	default:
		return false;
	}
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	const struct option_parse_state *parsing = state->input;
	const struct option_row *row;
	struct error err;
	void *into;

	if (handle_common_option(key, text, state))
		return 0;
	row = find_row_of_key(parsing->command, key, &into);
	if (!row)
		return ARGP_ERR_UNKNOWN;
	note_given(parsing->command->given, row, text);
	if (option_store_value(row, into, text, &err) == 0)
		return 0;
	if (row->letter)
		error_prefix(&err, "-%c", row->letter);
	else
		error_prefix(&err, "--%s", row->name);
	refuse_usage(state, &err);
	return 0;
}

static bool is_hidden(
	const struct option_command *command, const struct option_row *row)
{
	return !row->help || (command->hidden && row->name &&
				     has_name(command->hidden, row->name));
}

/* The rows as argp has them, for free(); NULL without memory. */
static struct argp_option *list_options(const struct option_command *command)
{
	static const struct argp_option common[] = {
		{"quiet", 'q', NULL, 0, "No progress, no warnings", 100},
		{"verbose", 'v', NULL, 0,
			"Say what is done, and with which settings", 100},
		{"color", COLOUR_KEY, "auto|always|never", 0,
			"Print colours on a terminal (auto, the default), "
			"always or never",
			100},
		{"help", 'h', NULL, 0, "Print this help", 101},
		{NULL, '?', NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, 101},
		{"usage", USAGE_KEY, NULL, 0, "Print the options in short",
			101},
	};
	struct argp_option *list;
	const struct option_row *row;
	size_t rows = 0, n = 0;
	int group = 0;
	void *into;

	while (find_row(command, rows, &into))
		rows++;
	list = calloc(
		2 * rows + sizeof(common) / sizeof(*common) + 1, sizeof(*list));
	for (size_t i = 0; list && i < rows; i++) {
		row = find_row(command, i, &into);
		if (row->kind == OPTION_NOTE || (!row->help && !row->name))
			continue;
		group = row->group ? row->group : group;
		list[n++] = (struct argp_option){
			.name = row->name,
			.key = row->kind == OPTION_HEADING ? 0
			       : row->letter		   ? row->letter
							   : FIRST_KEY + (int)i,
			.arg = row->value,
			.doc = row->help,
			.flags = is_hidden(command, row) ? OPTION_HIDDEN : 0,
			.group = group,
		};
		if (row->old)
			list[n++] = (struct argp_option){
				.name = row->old,
				.arg = row->value,
				.flags = OPTION_ALIAS | OPTION_HIDDEN,
			};
	}
	if (list)
		memcpy(list + n, common, sizeof(common));
	return list;
}

/*
 * Set the environment as --color says, for this process and for its children.
 * 0, or an errno value.
 */
static int set_colour_environment(bool always)
{
	int rc = always ? unsetenv("NO_COLOR") : 0;

	if (rc == 0)
		rc = setenv(always ? "CLICOLOR_FORCE" : "NO_COLOR", "1", 1);
	return rc < 0 ? errno : 0;
}

/* The option that getopt takes word for, which follows the dashes; or NULL. */
static const struct argp_option *find_option_by_prefix(
	const struct argp_option *list, const char *word)
{
	size_t length = strcspn(word, "=");

	for (; list->name || list->key || list->doc; list++) {
		if (list->name && length > 0 &&
			strncmp(list->name, word, length) == 0)
			return list;
	}
	return NULL;
}

/* Whether the next argument is the value of this one. */
static bool takes_next(const struct argp_option *list, const char *argument)
{
	const struct argp_option *option;
	size_t length = strlen(argument);

	if (*argument != '-' || length < 2)
		return false;
	if (argument[1] == '-') {
		option = find_option_by_prefix(list, argument + 2);
		return option && option->arg && !strchr(argument, '=');
	}
	for (; list->name || list->key || list->doc; list++) {
		if (list->arg && list->key == argument[length - 1])
			return true;
	}
	return false;
}

/* The place of the first word that is no option, and of none. */
static int find_argument(const struct argp_option *list, int argc, char **argv)
{
	int i = 1;

	while (i < argc && *argv[i] == '-')
		i += takes_next(list, argv[i]) ? 2 : 1;
	return i < argc ? i : argc;
}

/*
 * What other programs call an option. If several rows have a word, the first
 * option that the command has is meant.
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
	{"threads", "cpus"},
	{"cores", "cpus"},
	{"affinity", "cpus"},
	{"format", "output"},
	{"file", "output"},
	{"csv", "output"},
	{"png", "output"},
	{"svg", "output"},
	{"pdf", "output"},
	{"html", "output"},
	{"xml", "hwloc"},
	{"silent", "quiet"},
	{"debug", "verbose"},
};

static bool is_format(const char *word)
{
	static const char *const formats[] = {
		"csv", "png", "svg", "pdf", "html"};

	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		if (strcmp(formats[i], word) == 0)
			return true;
	}
	return false;
}

/* The option that is called so, or NULL. */
static const struct argp_option *find_option_by_name(
	const struct argp_option *list, const char *name)
{
	for (; list->name || list->key || list->doc; list++) {
		if (list->name && !(list->flags & OPTION_HIDDEN) &&
			strcmp(list->name, name) == 0)
			return list;
	}
	return NULL;
}

/* The option that a user who typed word most likely meant, or NULL. */
static const struct argp_option *find_nearest_option(
	const struct argp_option *list, const char *word)
{
	const struct argp_option *meant = NULL;
	size_t best = SIZE_MAX;

	for (size_t i = 0; i < sizeof(synonyms) / sizeof(*synonyms); i++) {
		if (strcmp(synonyms[i][0], word) == 0)
			meant = find_option_by_name(list, synonyms[i][1]);
		/* Its text names the formats that a command writes. */
		if (meant && is_format(word) && !strstr(meant->doc, word))
			meant = NULL;
		if (meant)
			return meant;
	}
	for (; list->name || list->key || list->doc; list++) {
		if (list->name && !(list->flags & OPTION_HIDDEN) &&
			text_is_nearer(word, list->name, &best))
			meant = list;
	}
	return meant;
}

/*
 * Refuse a mistyped option whose right name is plain. argp refuses all others,
 * and does not say what was meant.
 */
static void option_check_spelling(const struct option_command *command,
	const struct argp_option *list, int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		const struct argp_option *meant;
		char word[VALUE_BYTES];

		if (takes_next(list, argv[i])) {
			i++;
			continue;
		}
		if (strncmp(argv[i], "--", 2) != 0 ||
			find_option_by_prefix(list, argv[i] + 2))
			continue;
		snprintf(word, sizeof(word), "%.*s",
			(int)strcspn(argv[i] + 2, "="), argv[i] + 2);
		meant = find_nearest_option(list, word);
		if (!meant)
			return;
		cli_notify(command->name,
			"unrecognized option '--%s'; did you mean '--%s%s%s'%s"
			"? 'c2c %s --help' lists them",
			word, meant->name, meant->arg ? "=" : "",
			meant->arg ? meant->arg : "",
			strcmp(meant->name, "output") == 0
				? " (its extension is the format)"
				: "",
			command->name);
		exit(STATUS_USAGE);
	}
}

/* What manuals have beyond the help, for man/options.sh. */
static void print_more(const struct option_command *command)
{
	const struct option_row *row;
	void *into;

	for (size_t i = 0; (row = find_row(command, i, &into)); i++) {
		if (row->more &&
			(row->kind == OPTION_NOTE || !is_hidden(command, row)))
			printf("\f%s\n%s\n", row->name, row->more);
	}
}

int options_parse(const struct option_command *command, int argc, char **argv)
{
	struct argp_option *list = list_options(command);
	const struct argp argp = {list, parse_option, command->arguments,
		command->doc, NULL, NULL, NULL};
	struct option_parse_state parsing = {.command = command};
	struct error err;
	int code = ENOMEM;

	if (argc == 2 && strcmp(argv[1], "--help-more") == 0) {
		print_more(command);
		exit(STATUS_DONE);
	}
	for (size_t t = 0; t < command->n_tables; t++)
		options_set_standards(&command->tables[t]);
	if (list && command->first)
		argc = *command->first = find_argument(list, argc, argv);
	if (list) {
		option_check_spelling(command, list, argc, argv);
		code = argp_parse(
			&argp, argc, argv, ARGP_NO_HELP, NULL, &parsing);
	}
	free(list);
	if (code == 0 && parsing.colour)
		code = set_colour_environment(parsing.colour == 1);
	if (code == 0)
		return STATUS_DONE;
	error_set(&err, ERROR_FAILURE, code, "the options cannot be taken: %s",
		strerror(code));
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
	case OPTION_LIST: /* its text comes first */
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

int option_parse_time(void *at, const char *text, struct error *err)
{
	static const struct {
		char letter;
		double s;
	} units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};
	size_t length = strlen(text);
	double value, s = 1, *into = at;
	char *number;
	int rc;

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (length > 1 && text[length - 1] == units[i].letter) {
			s = units[i].s;
			length--;
			break;
		}
	}
	number = strndup(text, length);
	if (!number)
		return error_no_memory(err, "a number");
	rc = parse_double(number, 0, OPTION_TIME_MAX_S, &value, NULL);
	free(number);
	if (rc < 0 || value * s > OPTION_TIME_MAX_S)
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' is no time up to 365d; expected for example "
			"40s, 5m, 2h or 7d",
			text);
	*into = value * s;
	return 0;
}

void options_record(const struct option_table *table, struct facts *facts)
{
	for (size_t i = 0; i < table->n; i++) {
		if (table->rows[i].record)
			option_record_row(&table->rows[i], table->into, facts);
	}
}

/* The fact of a row as a user types it: "64K", "spin". */
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
			"it is of an older c2c, which measured without the %s "
			"'%s': measure all pairs anew",
			row->record, format_fact_as_typed(row, here, now));
	if (!row->name)
		return error_set(err, ERROR_USAGE, EINVAL,
			"its %s is %s, and that of this run is %s", row->record,
			format_fact_as_typed(row, there, then),
			format_fact_as_typed(row, here, now));
	if (row->kind == OPTION_FLAG)
		return error_set(err, ERROR_USAGE, EINVAL,
			"it was measured with%s --%s: do the same here",
			facts_flag(here, row->record) ? "out" : "", row->name);
	return error_set(err, ERROR_USAGE, EINVAL,
		"it was measured with --%s %s, and this run has --%s %s: give "
		"it the same",
		row->name, format_fact_as_typed(row, there, then), row->name,
		format_fact_as_typed(row, here, now));
}

static bool option_is_unchanged(const struct option_row *row,
	const struct facts *there, const struct facts *here)
{
	const struct fact *old = facts_find(there, row->record);

	/* The record may be older than the flag, or than a size. */
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
