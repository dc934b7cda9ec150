#include "cmd/cli.h"

#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* The one piece of mutable file-scope data: a handler has no other way. */
static atomic_bool stop_requested;

int cli_fail(const char *command, const struct error *err)
{
	fprintf(stderr, "c2c %s: %s\n", command, err->text);
	return (int)err->class;
}

void cli_warn(const char *command, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "c2c %s: warning: ", command);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

static void request_stop(int signal_number)
{
	(void)signal_number;
	atomic_store_explicit(&stop_requested, true, memory_order_relaxed);
}

const atomic_bool *cli_catch_signals(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_handler = request_stop;
	action.sa_flags = (int)SA_RESETHAND;
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		sigaction(signals[i], &action, NULL);
	return &stop_requested;
}

static const struct argp_option verbosity_options[] = {
	{"quiet", 'q', NULL, 0, "No progress, no warnings", 100},
	{"verbose", 'v', NULL, 0, "Tell what is done and with what", 100},
	{0},
};

static error_t parse_verbosity(
	int key, char *argument, struct argp_state *state)
{
	int *verbosity = state->input;

	(void)argument;
	switch (key) {
	case 'q':
		*verbosity = -1;
		return 0;
	case 'v':
		*verbosity = 1;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp cli_verbosity_argp = {
	verbosity_options, parse_verbosity, NULL, NULL, NULL, NULL, NULL};
