/*
 * Making and freeing a struct machine: loading the topology from where it was
 * asked for, then the facts in stages (topology, kernel files, warnings).
 */
#include "machine/machine.h"

#include <errno.h>
#include <limits.h>
#include <numa.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/internal.h"
#include "util/text.h"

/* hwloc reads this too: a folder that stands for / (hwloc, "envvar"). */
#define ROOT_VARIABLE "HWLOC_FSROOT"

const char *machine_hwloc_version(char text[MACHINE_VERSION_BYTES])
{
	unsigned version = hwloc_get_api_version();

	snprintf(text, MACHINE_VERSION_BYTES, "%u.%u.%u", version >> 16,
		version >> 8 & 0xFF, version & 0xFF);
	return text;
}

int machine_numa_api_version(void)
{
	return LIBNUMA_API_VERSION;
}

struct cpu_list list_of_set(struct arena *arena, hwloc_const_bitmap_t set)
{
	int n = hwloc_bitmap_weight(set);
	struct cpu_list list = {
		arena_take(arena, n > 0 ? (size_t)n : 0, sizeof(*list.cpus)),
		0};
	int cpu = -1;

	while (n-- > 0) {
		cpu = hwloc_bitmap_next(set, cpu);
		list.cpus[list.n++] = (unsigned)cpu;
	}
	return list;
}

/*
 * A topology that knows the CPUs this process may not use as well as those it
 * may. Instruction caches stay out: they would stand between a core and what
 * it shares with others.
 */
int machine_topology_init(hwloc_topology_t *topology, struct error *err)
{
	if (hwloc_topology_init(topology) < 0)
		return error_no_memory(err, "the topology");
	hwloc_topology_set_flags(
		*topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
	hwloc_topology_set_icache_types_filter(
		*topology, HWLOC_TYPE_FILTER_KEEP_NONE);
	return 0;
}

static int find_facts(struct arena *arena, void *context, struct error *err)
{
	(void)arena;
	(void)err;
	facts_from_topology(context);
	facts_from_system(context);
	return 0;
}

static int find_warnings(struct arena *arena, void *context, struct error *err)
{
	(void)arena;
	(void)err;
	facts_warn(context);
	return 0;
}

/* hwloc refuses what the caller set up, by errno; that is destroyed. */
static int refuse_topology(
	hwloc_topology_t topology, const char *from, struct error *err)
{
	int code = errno ? errno : EIO;

	hwloc_topology_destroy(topology);
	return error_set(err, ERROR_FAILURE, code,
		"hwloc cannot read the topology of %s: %s (lstopo, of the "
		"package hwloc, should show it)",
		from, strerror(code));
}

/*
 * Load what machine_topology_init() and the caller set up and give it to a new
 * machine, or destroy it. from names the source in messages. Only a machine
 * that is to be the running one has files.
 */
static int machine_load(struct machine **machine, hwloc_topology_t topology,
	const char *from, bool running, struct error *err)
{
	struct machine *made;
	bool well;

	if (hwloc_topology_load(topology) < 0)
		return refuse_topology(topology, from, err);
	made = calloc(1, sizeof(*made));
	well = made;
	for (int i = 0; well && i < SETS; i++) {
		made->sets[i] = hwloc_bitmap_alloc();
		well = made->sets[i];
	}
	if (made)
		made->topology = topology;
	else
		hwloc_topology_destroy(topology);
	if (well) {
		made->here = running && hwloc_topology_is_thissystem(topology);
		made->files.root = made->here ? ""
				   : running  ? getenv(ROOT_VARIABLE)
					      : NULL;
		well = arena_run(&made->files.arena, find_facts, made,
			       "the machine", err) == 0;
	}
	if (!well) {
		machine_free(made);
		return error_no_memory(err, "the machine");
	}
	*machine = made;
	return 0;
}

int machine_new(struct machine **machine, struct error *err)
{
	hwloc_topology_t topology;
	struct machine *made;
	int rc = machine_check_affinity(err);

	if (rc < 0)
		return rc;
	rc = machine_topology_init(&topology, err);
	if (rc < 0)
		return rc;
	/* The CPUID instruction tells about this machine, not about a root. */
	if (getenv(ROOT_VARIABLE))
		hwloc_topology_set_components(topology,
			HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
	rc = machine_load(&made, topology, "this machine", true, err);
	if (rc < 0)
		return rc;
	rc = arena_run(
		&made->files.arena, find_warnings, made, "the machine", err);
	if (rc < 0) {
		machine_free(made);
		return rc;
	}
	*machine = made;
	return 0;
}

int machine_new_xml(struct machine **machine, const char *xml, size_t bytes,
	struct error *err)
{
	hwloc_topology_t topology;
	static const char from[] = "an XML text";
	const char *flaw;
	char *copy;
	int rc, length;

	if (bytes >= INT_MAX)
		return error_set(err, ERROR_FAILURE, EFBIG,
			"a topology of %zu bytes is too large", bytes);
	copy = strndup(xml, bytes);
	if (!copy)
		return error_no_memory(err, "the topology");
	/* hwloc wants the closing null counted. */
	length = (int)strlen(copy) + 1;
	/* Its texts go into reports and other files. */
	flaw = text_flaw(copy, true);
	rc = flaw ? error_set(err, ERROR_FAILURE, EINVAL,
			    "found %s, expected hwloc XML without control "
			    "characters",
			    flaw)
		  : machine_try_xml(copy, length, err);
	if (rc == 0)
		rc = machine_topology_init(&topology, err);
	/* hwloc refuses a bad text here, or with libxml when it loads it. */
	if (rc == 0 && hwloc_topology_set_xmlbuffer(topology, copy, length) < 0)
		rc = refuse_topology(topology, from, err);
	if (rc == 0)
		rc = machine_load(machine, topology, from, false, err);
	free(copy);
	return rc;
}

int machine_new_synthetic(
	struct machine **machine, const char *description, struct error *err)
{
	hwloc_topology_t topology;
	int rc = machine_topology_init(&topology, err);

	if (rc < 0)
		return rc;
	if (hwloc_topology_set_synthetic(topology, description) < 0) {
		hwloc_topology_destroy(topology);
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' is not a synthetic topology of hwloc (write for "
			"instance 'package:2 core:4 pu:2')",
			description);
	}
	return machine_load(machine, topology, description, false, err);
}

void machine_free(struct machine *machine)
{
	if (!machine)
		return;
	for (int i = 0; i < SETS; i++)
		hwloc_bitmap_free(machine->sets[i]);
	arena_release(&machine->files.arena);
	hwloc_topology_destroy(machine->topology);
	free(machine);
}

const struct machine_facts *machine_facts(const struct machine *machine)
{
	return &machine->facts;
}

char *machine_topology_xml(hwloc_topology_t topology)
{
	char *buffer, *xml;
	int bytes;

	if (hwloc_topology_export_xmlbuffer(topology, &buffer, &bytes, 0) < 0)
		return NULL;
	xml = strdup(buffer);
	hwloc_free_xmlbuffer(topology, buffer);
	return xml;
}

char *machine_export_xml(const struct machine *machine)
{
	return machine_topology_xml(machine->topology);
}
