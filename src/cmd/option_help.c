#include "cmd/option_help.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cmd/cli.h"
#include "util/array.h"

/* Column of help texts: on a terminal, and for programs. */
#define HELP_COLUMN 29
#define ROWS_COLUMN 120

/* Width of the command in an example. */
#define EXAMPLE_COLUMNS 44

bool option_is_name(const char *names, const char *name)
{
	size_t n = strcspn(names, "=! ");

	return strlen(name) == n && strncmp(names, name, n) == 0;
}

static bool has_name(const char *names, const char *name)
{
	for (; *names; names += strspn(names, " ")) {
		if (option_is_name(names, name))
			return true;
		names += strcspn(names, " ");
	}
	return false;
}

bool option_is_in_help(
	const struct option_command *command, const struct option_row *row)
{
	return row->help && !(command->hidden && row->name &&
				    has_name(command->hidden, row->name));
}

static void print_option(const struct option_row *row, bool wide)
{
	char letter[] = "    ";
	int at;

	if (row->letter)
		snprintf(letter, sizeof(letter), "-%c, ", row->letter);
	at = printf("  %s--%s%s%s", letter, row->name, row->value ? "=" : "",
		row->value ? row->value : "");
	if (wide) {
		printf("%*s%s\n", ROWS_COLUMN - at, "", row->help);
		return;
	}
	if (at >= HELP_COLUMN - 1)
		at = printf("\n") - 1;
	printf("%*s", HELP_COLUMN - at, "");
	cli_wrap(stdout, row->help, HELP_COLUMN, HELP_COLUMN);
}

/* All rows; the rows that all commands share are last. */
struct help_rows {
	const struct option_row *list[2 * OPTIONS_GIVEN_MOST];
	int groups[2 * OPTIONS_GIVEN_MOST];
	size_t n;
	int group; /* group of the last row */
};

static void add_rows(struct help_rows *all,
	const struct option_command *command, const struct option_row *rows,
	size_t n)
{
	for (size_t i = 0; i < n && all->n < N_OF(all->list); i++) {
		all->group = rows[i].group ? rows[i].group : all->group;
		if (rows[i].kind == OPTION_NOTE ||
			!option_is_in_help(command, &rows[i]))
			continue;
		all->groups[all->n] = all->group;
		all->list[all->n++] = &rows[i];
	}
}

/* Sort rows by group: the heading, then options by name. */
static bool precedes_in_help(const struct help_rows *all, size_t a, size_t b)
{
	bool heading = all->list[a]->kind == OPTION_HEADING;

	if (all->groups[a] != all->groups[b])
		return all->groups[a] < all->groups[b];
	if (heading || all->list[b]->kind == OPTION_HEADING)
		return heading && all->list[b]->kind != OPTION_HEADING;
	return strcasecmp(all->list[a]->name, all->list[b]->name) < 0;
}

static void print_all(const struct help_rows *all, bool wide)
{
	bool printed[2 * OPTIONS_GIVEN_MOST] = {false};
	int group = -1;

	for (size_t k = 0; k < all->n; k++) {
		size_t next = 0;

		while (printed[next])
			next++;
		for (size_t i = next; i < all->n; i++) {
			if (!printed[i] && precedes_in_help(all, i, next))
				next = i;
		}
		printed[next] = true;
		if (all->list[next]->kind != OPTION_HEADING) {
			if (all->groups[next] != group)
				putchar('\n');
			print_option(all->list[next], wide);
		} else if (all->groups[next] != group) {
			printf("\n %s\n", all->list[next]->help);
		}
		group = all->groups[next];
	}
}

static void print_short(
	const struct option_command *command, const struct help_rows *all)
{
	const char *line = command->examples;
	size_t n = 0, shown = 0;

	puts("\nExamples:");
	while (*line) {
		size_t typed = strcspn(line, "\t"), rest = strcspn(line, "\n");

		printf("  %-*.*s %.*s\n", EXAMPLE_COLUMNS, (int)typed, line,
			(int)(rest - typed - 1), line + typed + 1);
		line += rest + 1;
	}
	puts("\nOptions:");
	for (const char *name = command->often; *name;
		name += strspn(name, " ")) {
		size_t i = 0;

		while (i < all->n &&
			(all->list[i]->kind == OPTION_HEADING ||
				!option_is_name(name, all->list[i]->name)))
			i++;
		if (i == all->n)
			abort();
		print_option(all->list[i], false);
		shown++;
		name += strcspn(name, " ");
	}
	for (size_t i = 0; i < all->n; i++)
		n += all->list[i]->kind != OPTION_HEADING;
	putchar('\n');
	if (n > shown)
		printf("'c2c %s --help=all' prints all %zu options; ",
			command->name, n);
	printf("'man c2c-%s' explains them.\n", command->name);
}

static void print_more(const struct option_command *command)
{
	for (size_t t = 0; t < command->n_tables; t++) {
		const struct option_table *table = &command->tables[t];

		for (size_t i = 0; i < table->n; i++) {
			const struct option_row *row = &table->rows[i];

			if (row->more &&
				(row->kind == OPTION_NOTE ||
					option_is_in_help(command, row)))
				printf("\f%s\n%s\n", row->name, row->more);
		}
	}
}

/* Print the lines before a vertical tab. */
static void print_doc_lines(const char *line, bool wide)
{
	while (*line && *line != '\v') {
		size_t n = strcspn(line, "\n\v");
		char *text = strndup(line, n);

		if (wide)
			printf("%.*s\n", (int)n, line);
		else if (text)
			cli_wrap(stdout, text, 0, 0);
		free(text);
		line += n + (line[n] == '\n');
	}
}

void option_print_help(const struct option_command *command,
	const struct option_row *common, size_t n, enum option_help_form form)
{
	bool wide = form == OPTION_HELP_ROWS;
	const char *rest = strchr(command->doc, '\v');
	struct help_rows all = {.n = 0};

	if (form == OPTION_HELP_MORE) {
		print_more(command);
		return;
	}
	for (size_t t = 0; t < command->n_tables; t++)
		add_rows(&all, command, command->tables[t].rows,
			command->tables[t].n);
	add_rows(&all, command, common, n);
	printf("Usage: c2c %s [OPTION...]%s%s\n", command->name,
		command->arguments ? " " : "",
		command->arguments ? command->arguments : "");
	print_doc_lines(command->doc, wide);
	if (form == OPTION_HELP_SHORT) {
		print_short(command, &all);
		return;
	}
	print_all(&all, wide);
	if (rest) {
		putchar('\n');
		print_doc_lines(rest + 1, wide);
	}
}
