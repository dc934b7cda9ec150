/*
 * Topologies, tried out before they are believed. hwloc trusts what it is
 * given: XML that was damaged on its way can crash it, or leave objects that
 * crash whoever looks at them later, and kernel files that it does not expect
 * end it by an assertion. So a child process loads the topology first and has
 * hwloc check what came of it; what ends the child would have ended c2c.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine/internal.h"
#include "machine/source.h"
#include "util/text.h"

/* No topology of a machine keeps hwloc busy for longer. */
#define TRIAL_SECONDS 60

/* What of hwloc's words is kept. */
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

/* Messages of hwloc and assert() into a file, no core, no handler of c2c. */
static void silence_trial_child(int messages)
{
	static const int fatal[] = {
		SIGABRT, SIGALRM, SIGBUS, SIGFPE, SIGILL, SIGSEGV};
	const struct rlimit none = {0, 0};

	setrlimit(RLIMIT_CORE, &none);
	for (size_t i = 0; i < sizeof(fatal) / sizeof(*fatal); i++)
		signal(fatal[i], SIG_DFL);
	if (messages < 0 || dup2(messages, STDERR_FILENO) < 0)
		close(STDERR_FILENO);
}

/* Does not return. */
static void try_in_child(const struct topology_source *source, int messages)
{
	hwloc_topology_t topology;

	silence_trial_child(messages);
	alarm(TRIAL_SECONDS);
	/* If hwloc refuses the source, the parent will see that too. */
	if (source_begin(source, &topology, NULL) == 0 &&
		hwloc_topology_load(topology) == 0)
		hwloc_topology_check(topology);
	_exit(0);
}

/* hwloc's words as one line, without its frames of asterisks; for free(). */
static char *read_hwloc_messages(int fd)
{
	char *text = fd < 0 ? NULL : calloc(1, MESSAGE_BYTES + 1);
	char *to = text;

	if (text && pread(fd, text, MESSAGE_BYTES, 0) < 0)
		*text = '\0';
	for (const char *from = text; from && *from; from++) {
		if (*from != '*')
			*to++ = *from;
	}
	if (text) {
		*to = '\0';
		text_make_utf8(text);
		text_one_line(text);
		text_make_safe(text);
	}
	return text;
}

static int refuse_crashing_source(const struct topology_source *source,
	int status, const char *messages, struct error *err)
{
	char *variables, *set_variables;

	if (source->xml)
		return error_set(err, ERROR_FAILURE, EINVAL,
			"the topology is damaged: hwloc cannot read it, or "
			"finds objects in it that no machine has");
	variables = source_variables();
	set_variables = variables && *variables ? variables : NULL;
	error_set(err, ERROR_FAILURE, EIO,
		"hwloc does not survive %s: %s%s%s (%s)",
		set_variables ? set_variables
			      : "what the kernel tells of this machine",
		WIFSIGNALED(status) ? strsignal(WTERMSIG(status))
				    : "it ended early",
		messages && *messages ? ": " : "", messages ? messages : "",
		set_variables
			? "unset the variable"
			: "HWLOC_COMPONENTS=-linux does without the kernel's "
			  "files");
	free(variables);
	return -EIO;
}

int machine_try(const struct topology_source *source, char **messages,
	struct error *err)
{
	int fd = memfd_create("hwloc", MFD_CLOEXEC), status = 0, rc = 0;
	pid_t child = fork();

	if (child == 0)
		try_in_child(source, fd);
	/* Without a child the source cannot be tried: believe it. */
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	*messages = read_hwloc_messages(fd);
	if (fd >= 0)
		close(fd);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
		rc = refuse_crashing_source(source, status, *messages, err);
		free(*messages);
		*messages = NULL;
	}
	return rc;
}
