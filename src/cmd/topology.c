/* See topology.h. */
#include "cmd/topology.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cli.h"
#include "cmd/waiting.h"

/* A topology of the largest machines is a few megabytes. */
#define XML_BYTES_MAX (256UL << 20)

/* The whole of a text file, for free(); NULL with *err. */
static char *read_text(const char *path, struct error *err)
{
	FILE *in = fopen(path, "r");
	char *text = NULL;
	size_t used = 0, room = 0;

	if (!in) {
		error_set(err, ERROR_FAILURE, errno, "cannot open '%s': %s",
			path, strerror(errno));
		return NULL;
	}
	do {
		char *longer = NULL;

		room = room ? room * 2 : 1UL << 16;
		if (room <= XML_BYTES_MAX)
			longer = realloc(text, room + 1);
		if (!longer) {
			error_set(err, ERROR_FAILURE, EFBIG,
				"'%s' is too large to be a topology", path);
			goto fail;
		}
		text = longer;
		used += fread(text + used, 1, room - used, in);
	} while (used == room);
	if (ferror(in)) {
		error_set(err, ERROR_FAILURE, errno ? errno : EIO,
			"cannot read '%s': %s", path, strerror(errno));
		goto fail;
	}
	fclose(in);
	text[used] = '\0';
	return text;
fail:
	fclose(in);
	free(text);
	return NULL;
}

int topology_load(const char *path, struct machine **machine, struct error *err)
{
	struct waiting waiting;
	char *xml;
	int rc = -1;

	waiting_begin(&waiting, path, false);
	xml = read_text(path, err);
	waiting_end(&waiting);
	if (!xml)
		return -EIO;
	rc = machine_new_xml(machine, xml, strlen(xml), err);
	if (rc < 0)
		error_prefix(err, "'%s'", path);
	free(xml);
	return rc;
}

int topology_inside(const struct result *result, const char *path,
	struct machine **machine, struct error *err)
{
	const char *xml = result->hwloc_xml;
	int rc = machine_new_xml(machine, xml, strlen(xml), err);

	if (rc < 0)
		error_prefix(err, "'%s': the topology in it", path);
	return rc;
}

int topology_check(const struct machine *machine, const char *option,
	const char *from, const struct result *result, const char *path,
	struct error *err)
{
	size_t online = machine_facts(machine)->online.n;

	if (!result->counted || online == result->cpus.n)
		return 0;
	return error_set(err, ERROR_USAGE, EINVAL,
		"%s: '%s' has %zu CPUs; '%s' has %zu and does not say which: "
		"put a heading above its table, as in 'cpu,0,2'",
		option, from, online, path, result->cpus.n);
}

void topology_warn_of_host(const char *command, const struct result *result,
	const struct machine *machine)
{
	const char *here = machine_facts(machine)->hostname;
	const char *there = facts_text(&result->machine, "hostname");

	if (here && there && strcmp(here, there) != 0)
		cli_warn(command,
			"the measurement is of %s, the topology of %s", there,
			here);
}
