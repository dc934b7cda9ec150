/*
 * Topologies of files, tried out before they are believed. hwloc trusts the
 * XML it is given: text that was damaged on its way can crash it, or leave
 * objects that crash whoever looks at them later. So a child process loads the
 * text first and has hwloc check what came of it; what ends the child would
 * have ended c2c.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine/internal.h"

/* No topology of a machine keeps hwloc busy for longer. */
#define TRIAL_SECONDS 60

/* No message of hwloc's or of assert()'s, no core, no handler of the parent. */
static void be_quiet(void)
{
	static const int fatal[] = {
		SIGABRT, SIGALRM, SIGBUS, SIGFPE, SIGILL, SIGSEGV};
	const struct rlimit none = {0, 0};
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	setrlimit(RLIMIT_CORE, &none);
	for (size_t i = 0; i < sizeof(fatal) / sizeof(*fatal); i++)
		signal(fatal[i], SIG_DFL);
	if (null < 0 || dup2(null, STDERR_FILENO) < 0)
		close(STDERR_FILENO);
}

/* Does not return. */
static void try_in_child(const char *xml, int bytes)
{
	hwloc_topology_t topology;

	be_quiet();
	alarm(TRIAL_SECONDS);
	/* If hwloc refuses the text, the parent will see that too. */
	if (machine_topology_init(&topology, NULL) == 0 &&
		hwloc_topology_set_xmlbuffer(topology, xml, bytes) == 0 &&
		hwloc_topology_load(topology) == 0)
		hwloc_topology_check(topology);
	_exit(0);
}

int machine_try_xml(const char *xml, int bytes, struct error *err)
{
	pid_t child = fork();
	int status = 0;

	if (child == 0)
		try_in_child(xml, bytes);
	/* Without a child the text cannot be tried: believe it. */
	if (child < 0)
		return 0;
	while (waitpid(child, &status, 0) < 0) {
		if (errno != EINTR)
			return 0;
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	return error_set(err, ERROR_FAILURE, EINVAL,
		"the topology is damaged: hwloc cannot read it, or finds "
		"objects in it that no machine has");
}
