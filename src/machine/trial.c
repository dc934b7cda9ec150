/*
 * trial.c: try topologies before they are used. hwloc trusts its input: damaged
 * XML or unexpected kernel files can crash it, or produce objects that crash
 * later calls. So a child process loads the topology first and lets hwloc check
 * it. Only the child crashes.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine/internal.h"
#include "machine/source.h"
#include "util/child.h"
#include "util/text.h"

/* Time limit in seconds, longer than hwloc takes for any real topology. */
#define TRIAL_S 60.0

/* Longest time in seconds between the child's last output and its end. */
#define TRIAL_GRACE_S 1.0

/* Bytes kept of hwloc's messages. */
#define MESSAGE_BYTES 500

int quiet_begin(void)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	int out = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);

	if (null >= 0 && out >= 0)
		dup2(null, STDERR_FILENO);
	if (null >= 0)
		close(null);
	return out;
}

void quiet_end(int out)
{
	if (out < 0)
		return;
	dup2(out, STDERR_FILENO);
	close(out);
}

static void load_in_child(void *context)
{
	const struct rlimit none = {0, 0};
	hwloc_topology_t topology;

	setrlimit(RLIMIT_CORE, &none);
	/* The parent also detects a source that hwloc rejects. */
	if (source_begin(context, &topology, NULL) == 0 &&
		hwloc_topology_load(topology) == 0)
		hwloc_topology_check(topology);
}

/* Join hwloc's messages to one line without frames of asterisks. */
static void clean_hwloc_messages(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		if (*from != '*')
			*to++ = *from;
	}
	*to = '\0';
	text_make_utf8(text);
	text_one_line(text);
	text_make_safe(text);
}

static int refuse_crashing_source(const struct topology_source *source,
	int status, const char *messages, struct error *err)
{
	char *variables, *set_variables;

	if (source->xml)
		return error_set(err, ERROR_FAILURE, EINVAL,
			"the topology is damaged: hwloc cannot read it, or it "
			"has impossible objects");
	variables = source_variables();
	set_variables = variables && *variables ? variables : NULL;
	error_set(err, ERROR_FAILURE, EIO,
		"hwloc does not survive %s: %s%s%s (%s)",
		set_variables ? set_variables
			      : "the kernel's files of this machine",
		WIFSIGNALED(status) ? strsignal(WTERMSIG(status))
				    : "it ended early",
		*messages ? ": " : "", messages,
		set_variables ? "unset the variable"
			      : "set HWLOC_COMPONENTS=-linux to ignore the "
				"kernel's files");
	free(variables);
	return -EIO;
}

/* Return whether a signal ended the child that c2c also got, like Ctrl-C. */
static bool was_interrupted(int status)
{
	int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;

	return signal == SIGINT || signal == SIGTERM || signal == SIGHUP;
}

int machine_try(const struct topology_source *source, char **messages,
	struct error *err)
{
	static const struct child_file files[] = {{CHILD_PIPE, STDERR_FILENO}};
	struct child child = {
		.function = load_in_child,
		.files = files,
		.n_files = 1,
		.limit_s = TRIAL_S,
		.grace_s = TRIAL_GRACE_S,
		.text = calloc(1, MESSAGE_BYTES + 1),
		.text_bytes = MESSAGE_BYTES + 1,
		.context = (void *)source,
	};
	struct child_end end = {.status = 0};
	int rc = 0;

	/* Trust the source if no child process can be started. */
	if (child.text && child_run(&child, &end) == 0)
		clean_hwloc_messages(child.text);
	*messages = child.text;
	if (!was_interrupted(end.status) &&
		(!WIFEXITED(end.status) || WEXITSTATUS(end.status) != 0)) {
		rc = refuse_crashing_source(
			source, end.status, child.text, err);
		free(child.text);
		*messages = NULL;
	}
	return rc;
}
