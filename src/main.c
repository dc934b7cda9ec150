/*
 * c2c: this file has only the global options, the choice of the command, and
 * the exit status.
 */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cli.h"
#include "cmd/version.h"
#include "cmd/written_types.h"
#include "commands.h"
#include "util/array.h"
#include "util/text.h"

static void print_help(FILE *out)
{
	fputs("Usage: c2c COMMAND [OPTION...]\n"
	      "Measure how the CPUs of this machine really reach each other.\n"
	      "\nCommands:\n",
		out);
	for (size_t i = 0; commands[i]; i++)
		fprintf(out, "  %-10s %s\n", commands[i]->name,
			commands[i]->summary);
	fputs("\nStart with:\n"
	      "  c2c report                     this machine, and where to run "
	      "threads\n"
	      "  c2c latency -o lat.json        measure, and keep the record\n"
	      "  c2c analyze lat.json           which CPUs belong together\n"
	      "  c2c plot lat.json -o lat.png   the heatmap\n"
	      "\n  -h, --help     Print this help\n  -V, --version  Print the "
	      "version\n      --schema   Print the JSON Schema of the JSON "
	      "that c2c writes\n\n'c2c COMMAND --help' has examples and the "
	      "usual options of a command,\n'man c2c-COMMAND' all of them.\n",
		out);
}

static bool asks_for_help(const char *word)
{
	return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 ||
	       strcmp(word, "--help=all") == 0 ||
	       strcmp(word, "--help=rows") == 0 || strcmp(word, "help") == 0;
}

/*
 * Open the closed standard streams in the wrong direction, so that using them
 * fails. Otherwise a file of results could get the descriptor of standard
 * error, and contain messages.
 */
static void occupy_standard_streams(void)
{
	static const int modes[] = {O_WRONLY, O_RDONLY, O_RDONLY};

	for (int fd = 0; fd < 3; fd++) {
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			open("/dev/null", modes[fd]);
	}
}

/*
 * Fail if results did not reach standard output. This runs at exit, because
 * --help ends the program.
 */
static void check_stdout(void)
{
	/* The errno of an earlier write is lost: write again. */
	bool now = fflush(stdout) != 0;
	int code = errno;

	if (!now && !ferror(stdout))
		return;
	if (!now) {
		clearerr(stdout);
		now = putchar('\n') == EOF || fflush(stdout) != 0;
		code = errno;
	}
	/* Ignore a terminal that the user closed. */
	if (cli_stop_was_requested())
		_exit(STATUS_INTERRUPTED);
	fprintf(stderr, "c2c: cannot write to standard output%s%s\n",
		now ? ": " : "", now ? strerror(code) : "");
	_exit(STATUS_FAILED);
}

/*
 * Return whether an argument has no control characters. Messages, reports,
 * titles and records quote arguments.
 */
static bool can_be_echoed(const char *argument)
{
	char *safe = strdup(argument);
	bool can;

	if (!safe)
		return true;
	text_make_safe(safe);
	can = strcmp(safe, argument) == 0;
	if (!can)
		fprintf(stderr,
			"c2c: '%s': found control characters, expected an "
			"argument without them (to read a file of that name, "
			"redirect it and give - as FILE)\n",
			safe);
	free(safe);
	return can;
}

/* Words that new users may try, and commands that they may mean. */
static const char *const first_guesses[][2] = {
	{"audit", "c2c analyze FILE --audit"},
	{"bandwidth", "c2c numa --bandwidth"},
	{"all", "c2c report"},
	{"bench", "c2c measure"},
	{"bw", "c2c numa --bandwidth"},
	{"diff", "c2c compare REFERENCE FILE"},
	{"list", "c2c info"},
	{"memory", "c2c numa"},
	{"nearest", "c2c export FILE --nearest 10"},
	{"pin", "c2c export FILE --placement taskset"},
	{"run", "c2c measure"},
	{"show", "c2c plot FILE"},
	{"topology", "c2c info"},
	{"version", "c2c --version"},
};

static int refuse_command(const char *word)
{
	const char *meant = NULL;
	size_t best = SIZE_MAX;

	for (size_t i = 0; i < N_OF(first_guesses); i++) {
		if (strcmp(word, first_guesses[i][0]) != 0)
			continue;
		fprintf(stderr, "c2c: '%s' is not a command; try '%s'\n", word,
			first_guesses[i][1]);
		return STATUS_USAGE;
	}

	for (size_t i = 0; commands[i]; i++) {
		if (text_is_nearer(word, commands[i]->name, &best))
			meant = commands[i]->name;
	}
	fprintf(stderr, "c2c: '%s' is not %s; ", word,
		word[0] == '-' ? "an option of c2c" : "a command");
	if (meant)
		fprintf(stderr, "did you mean '%s'? ", meant);
	fprintf(stderr, "'c2c --help' lists them\n");
	return STATUS_USAGE;
}

int main(int argc, char **argv)
{
	const struct command *command;
	static char help[] = "--help";
	char name[64];
	const char *word = argc > 1 ? argv[1] : NULL;

	occupy_standard_streams();
	/* Make writes beyond the limit on file sizes fail, like a full disk. */
	signal(SIGXFSZ, SIG_IGN);
	/* If SIGCHLD is ignored, the status of a child is lost. */
	signal(SIGCHLD, SIG_DFL);
	atexit(check_stdout);
	setlocale(LC_CTYPE, "");
	for (int i = 1; i < argc; i++) {
		if (!can_be_echoed(argv[i]))
			return STATUS_USAGE;
	}
	if (!word) {
		print_help(stderr);
		return STATUS_USAGE;
	}
	/* "c2c help NAME" and "c2c -h NAME" mean "c2c NAME --help". */
	if (asks_for_help(word) && argc > 2 && argv[2][0] != '-') {
		word = argv[2];
		argv[2] = help;
		argc = 3;
	}
	if (asks_for_help(word)) {
		print_help(stdout);
		return STATUS_DONE;
	}
	if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
		version_print();
		return STATUS_DONE;
	}
	if (strcmp(word, "--schema") == 0)
		return written_types_print();
	command = command_find(word);
	if (!command)
		return refuse_command(word);
	/* getopt_long() begins its messages with argv[0]. */
	snprintf(name, sizeof(name), "c2c %s", command->name);
	argv[1] = name;
	return command->run(argc - 1, argv + 1);
}
