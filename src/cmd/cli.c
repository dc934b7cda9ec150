#include "cmd/cli.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "commands.h"
#include "machine/timebase.h"
#include "render/plot.h"
#include "util/progress.h"
#include "util/text.h"

/*
 * Signals within this time count as one: timeout(1) sends a signal to its
 * child, and another signal to the child's group.
 */
#define SAME_REQUEST_NS 300000000

#define COLUMNS 80

/* Columns before each further line of a message. */
#define INDENT 4

/* Mutable data at file scope, because a signal handler has no other access. */
static atomic_bool stop_requested;
static _Atomic uint64_t stop_requested_ns;
static const struct cli_terminal *_Atomic saved_terminal;

/* The part of c2c measure that this process runs. Mutable, too. */
static struct {
	const char *command; /* NULL: none */
	size_t at, n;
	char said[1024];
} cli_section;

/*
 * Wrap text. The first line begins at column first, all others at column rest.
 * If cut, break words that are longer than a line.
 */
static void print_words(FILE *out, const char *text, size_t first, size_t rest,
	size_t columns, bool cut)
{
	for (size_t at = first;; at = rest) {
		size_t room = columns > at ? columns - at : cut;
		size_t length = cut ? text_fitting_bytes(text, room)
				    : text_line(text, room, ' ');

		fprintf(out, "%.*s\n", (int)length, text);
		text += length;
		text += strspn(text, " ");
		if (!*text)
			return;
		fprintf(out, "%*s", (int)rest, "");
	}
}

/* Print a message: wrapped on a terminal, as one line to a file. */
static void print_message(
	const char *command, const char *kind, const char *text)
{
	size_t at = strlen("c2c : ") + strlen(command) + strlen(kind);

	if (cli_section.command && !*kind)
		snprintf(
			cli_section.said, sizeof(cli_section.said), "%s", text);
	/* Use a single write, so that several programs can share a log. */
	if (!isatty(STDERR_FILENO)) {
		fprintf(stderr, "c2c %s: %s%s\n", command, kind, text);
		return;
	}
	fprintf(stderr, "c2c %s: %s", command, kind);
	print_words(stderr, text, at, INDENT, plot_terminal_of(stderr).columns,
		false);
}

int cli_fail(const char *command, const struct error *err)
{
	print_message(command, "", err->text);
	return (int)err->class;
}

int cli_fail_output(const char *command, struct error *err)
{
	clearerr(stdout);
	error_prefix(err, "standard output");
	return cli_fail(command, err);
}

static void __attribute__((format(printf, 3, 0))) print_formatted_message(
	const char *command, const char *kind, const char *format, va_list args)
{
	char *text = text_vformat(format, args);

	/* If both streams go to the same file, keep lines whole. */
	fflush(stdout);
	print_message(command, kind, text ? text : "no memory to say it");
	free(text);
}

void cli_notify(const char *command, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_formatted_message(command, "", format, args);
	va_end(args);
}

void cli_warn(const char *command, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_formatted_message(command, "warning: ", format, args);
	va_end(args);
}

char *cli_output_name(const char *text, struct error *err)
{
	/* HOST_NAME_MAX does not count the NUL. */
	char host[HOST_NAME_MAX + 1] = "";
	struct text_list name = {.text = NULL};
	char *whole;

	for (const char *c = text; *c; c++) {
		if (*c != '%' || *++c == '%') {
			text_list_add(&name, "", "%c", *c);
		} else if (*c != 'h') {
			free(text_list_end(&name));
			error_set(err, ERROR_USAGE, EINVAL,
				"'%s': expected %%h (the host's name) or %%%% "
				"(a per cent sign), found another %%",
				text);
			return NULL;
		} else if (gethostname(host, sizeof(host)) != 0 || !*host ||
			   strchr(host, '/')) {
			/*
			 * A slash in a host name would select another folder.
			 */
			free(text_list_end(&name));
			error_set(err, ERROR_FAILURE, ENOENT,
				"%%h: the name of this host cannot be part of "
				"a file name");
			return NULL;
		} else {
			text_list_add(&name, "", "%s", host);
		}
	}
	whole = text_list_end(&name);
	if (!whole)
		error_no_memory(err, "the name of a file");
	return whole;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Use only calls that are safe in a signal handler. */
static void restore_terminal(void)
{
	const struct cli_terminal *terminal =
		atomic_load_explicit(&saved_terminal, memory_order_acquire);

	/* If c2c is in the background, another program owns the terminal. */
	if (!terminal || tcgetpgrp(terminal->fd) != getpgrp())
		return;
	tcsetattr(terminal->fd, TCSANOW, &terminal->modes);
	if (write(terminal->fd, terminal->exit_sequence, terminal->bytes) < 0)
		return;
}

/* Ctrl-\ ends c2c immediately. */
static void quit_by_signal(int signal_number)
{
	restore_terminal();
	signal(signal_number, SIG_DFL);
	raise(signal_number);
}

void cli_set_saved_terminal(const struct cli_terminal *terminal)
{
	/* Release order: the handler reads the struct behind the pointer. */
	atomic_store_explicit(&saved_terminal, terminal, memory_order_release);
	if (signal(SIGQUIT, terminal ? quit_by_signal : SIG_DFL) == SIG_IGN)
		signal(SIGQUIT, SIG_IGN);
}

/* The first request ends the run in order; a second one kills it. */
static void request_stop(int signal_number)
{
	uint64_t at_ns = now_ns(), first_ns = 0;

	if (atomic_compare_exchange_strong_explicit(&stop_requested_ns,
		    &first_ns, at_ns, memory_order_relaxed,
		    memory_order_relaxed)) {
		atomic_store_explicit(
			&stop_requested, true, memory_order_relaxed);
		return;
	}
	if (at_ns < first_ns + SAME_REQUEST_NS)
		return;
	quit_by_signal(signal_number);
}

static void wrap_lines(char *text)
{
	size_t columns;

	if (!isatty(STDOUT_FILENO)) {
		fputs(text, stdout);
		return;
	}
	columns = plot_terminal_of(stdout).columns;
	for (char *end; (end = strchr(text, '\n')); text = end + 1) {
		*end = '\0';
		print_words(stdout, text, 0, INDENT, columns, false);
	}
}

int cli_print_lines(void (*print)(FILE *out, const void *context),
	const void *context, struct error *err)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);
	bool written = false;

	if (out) {
		print(out, context);
		written = fclose(out) == 0;
	}
	if (written)
		wrap_lines(text);
	free(text);
	return written ? 0 : error_no_memory(err, "the report");
}

void cli_begin_section(const char *command, size_t at, size_t n)
{
	cli_section.command = command;
	cli_section.at = at;
	cli_section.n = n;
}

const char *cli_last_words(void)
{
	return cli_section.said;
}

void cli_draw_progress(double fraction, const char *text)
{
	unsigned columns = plot_terminal_of(stderr).columns;
	char *whole;

	if (!cli_section.command) {
		progress_draw(stderr, columns, fraction, text);
		return;
	}
	whole = text_format("%zu of %zu: %s, %s", cli_section.at, cli_section.n,
		cli_section.command, text);
	if (whole)
		progress_draw(stderr, columns,
			((double)cli_section.at - 1 + fraction) /
				(double)cli_section.n,
			whole);
	free(whole);
}

int cli_columns(FILE *out)
{
	int fd = fileno(out);
	size_t columns =
		fd >= 0 && isatty(fd) ? plot_terminal_of(out).columns : COLUMNS;

	return columns < COLUMNS ? (int)columns : COLUMNS;
}

void cli_wrap(FILE *out, const char *text, int first, int rest)
{
	char *safe = text_safe_copy(text);

	print_words(out, safe ? safe : "", (size_t)first, (size_t)rest,
		(size_t)cli_columns(out), true);
	free(safe);
}

const atomic_bool *cli_catch_signals(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction action, old;

	memset(&action, 0, sizeof(action));
	action.sa_handler = request_stop;
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
		/* nohup and a shell's "&" ignore signals on purpose. */
		if (sigaction(signals[i], NULL, &old) == 0 &&
			old.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
	}
	/* Continue to write files even if the reader of a pipe has ended. */
	signal(SIGPIPE, SIG_IGN);
	return &stop_requested;
}

bool cli_stop_was_requested(void)
{
	return atomic_load_explicit(&stop_requested, memory_order_relaxed);
}

bool cli_is_stopped(const void *unused)
{
	(void)unused;
	return cli_stop_was_requested();
}

void cli_warn_of_machine(const char *command, const struct machine_facts *facts)
{
	struct text_list list = {.text = NULL};
	char *text;

	/* With several sections, the first one prints the warnings. */
	if (facts->n_warnings == 0 || cli_section.at > 1)
		return;
	for (size_t i = 0; i < facts->n_warnings; i++) {
		const char *what = facts->warnings[i].what;

		text_list_add(
			&list, "; ", "%.*s", (int)strcspn(what, ":"), what);
	}
	text = text_list_end(&list);
	if (text)
		cli_warn(command,
			"%s ('c2c info' explains this and lists remedies); "
			"measure again before you trust a figure",
			text);
	free(text);
}

uint64_t cli_draw_seed(void)
{
	uint64_t seed;

	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) < 0)
		seed = timebase_raw_ns();
	return seed & CLI_SEED_MAX;
}
