/* See topology_option.h. */
#include "cmd/topology_option.h"

#include <errno.h>
#include <string.h>

#include "cmd/cli.h"
#include "cmd/wait_notice.h"

int topology_load(const char *path, struct machine **machine, struct error *err)
{
	struct wait_notice waiting;
	int rc;

	wait_notice_begin(&waiting, path, false);
	rc = machine_new_file(machine, path, err);
	wait_notice_end(&waiting);
	return rc;
}

int topology_load_embedded(const struct result *result, const char *path,
	struct machine **machine, struct error *err)
{
	const char *xml = result->hwloc_xml;
	int rc = machine_new_xml(machine, xml, strlen(xml), err);

	if (rc < 0)
		error_prefix(err, "'%s': the topology in it", path);
	return rc;
}

int topology_check_cpu_count(const struct machine *machine, const char *option,
	const char *from, const struct result *result, const char *path,
	struct error *err)
{
	size_t online = machine_facts(machine)->online.n;

	if (!result->counted || online == result->cpus.n)
		return 0;
	return error_set(err, ERROR_USAGE, EINVAL,
		"%s: '%s' has %zu CPUs; '%s' has %zu CPUs without numbers: add "
		"a heading to its table, as in 'cpu,0,2'",
		option, from, online, path, result->cpus.n);
}

void topology_warn_of_host(const char *command, const struct result *result,
	const struct machine *machine)
{
	const char *here = machine_facts(machine)->hostname;
	const char *there = facts_text(&result->machine, "hostname");

	if (here && there && strcmp(here, there) != 0)
		cli_warn(command,
			"the measurement is from %s, the topology from %s",
			there, here);
}
