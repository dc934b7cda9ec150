/*
 * machine.c: make and free a struct machine: load the topology from its source,
 * then the facts in stages (topology, kernel files, warnings).
 */
#include "machine/machine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/internal.h"
#include "machine/source.h"

const char *machine_hwloc_version(char text[MACHINE_VERSION_BYTES])
{
	unsigned version = hwloc_get_api_version();

	snprintf(text, MACHINE_VERSION_BYTES, "%u.%u.%u", version >> 16,
		version >> 8 & 0xFF, version & 0xFF);
	return text;
}

struct cpu_list list_of_set(struct arena *arena, hwloc_const_bitmap_t set)
{
	int n = hwloc_bitmap_weight(set);
	struct cpu_list list = {
		arena_alloc(arena, n > 0 ? (size_t)n : 0, sizeof(*list.cpus)),
		0};
	int cpu = -1;

	while (n-- > 0) {
		cpu = hwloc_bitmap_next(set, cpu);
		list.cpus[list.n++] = (unsigned)cpu;
	}
	return list;
}

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

/* Load a topology, suppressing the messages of hwloc that the trial reports. */
static int load_quietly(hwloc_topology_t topology)
{
	int rc, code, out = quiet_begin();

	rc = hwloc_topology_load(topology);
	code = errno;
	quiet_end(out);
	errno = code;
	return rc;
}

/* Make a machine that owns the topology; without memory, free the topology. */
static struct machine *machine_make(hwloc_topology_t topology)
{
	struct machine *made = calloc(1, sizeof(*made));
	bool well = made;

	for (int i = 0; well && i < SETS; i++) {
		made->sets[i] = hwloc_bitmap_alloc();
		well = made->sets[i];
	}
	if (made)
		made->topology = topology;
	else
		hwloc_topology_destroy(topology);
	if (well)
		return made;
	machine_free(made);
	return NULL;
}

/*
 * Load a topology and the facts. messages is hwloc's output in the trial. Only
 * the running machine has files.
 */
static int machine_load(struct machine **machine,
	const struct topology_source *source, const char *messages,
	struct error *err)
{
	hwloc_topology_t topology;
	struct machine *made;
	int rc = source_begin(source, &topology, err);

	if (rc < 0)
		return rc;
	if (load_quietly(topology) < 0) {
		rc = source_refuse(source, errno, err);
		hwloc_topology_destroy(topology);
		return rc;
	}
	made = machine_make(topology);
	if (!made)
		return error_no_memory(err, "the machine");
	made->here = source->running && hwloc_topology_is_thissystem(topology);
	made->files.root = made->here ? "" : source->root;
	rc = arena_run(
		&made->files.arena, find_facts, made, "the machine", err);
	if (rc == 0 && source->running) {
		made->hwloc_messages = messages;
		rc = arena_run(&made->files.arena, find_warnings, made,
			"the machine", err);
		made->hwloc_messages = NULL;
	}
	if (rc < 0)
		machine_free(made);
	else
		*machine = made;
	return rc;
}

/* Unless rc is negative, try and load a source. Always release the source. */
static int machine_from(struct machine **machine,
	struct topology_source *source, int rc, struct error *err)
{
	char *messages = NULL;

	if (rc < 0)
		return rc;
	rc = machine_try(source, &messages, err);
	if (rc == 0)
		rc = machine_load(machine, source, messages, err);
	if (rc < 0)
		source_prefix(source, err);
	free(messages);
	source_release(source);
	return rc;
}

int machine_new(struct machine **machine, struct error *err)
{
	struct topology_source source = {0};
	int rc = machine_check_affinity(err);

	if (rc == 0)
		rc = source_of_environment(&source, err);
	return machine_from(machine, &source, rc, err);
}

int machine_new_xml(struct machine **machine, const char *xml, size_t bytes,
	struct error *err)
{
	struct topology_source source = {0};

	return machine_from(
		machine, &source, source_of_xml(&source, xml, bytes, err), err);
}

int machine_new_file(
	struct machine **machine, const char *path, struct error *err)
{
	struct topology_source source = {0};

	return machine_from(
		machine, &source, source_of_file(&source, path, err), err);
}

int machine_new_synthetic(
	struct machine **machine, const char *description, struct error *err)
{
	struct topology_source source = {0};

	return machine_from(machine, &source,
		source_of_synthetic(&source, description, err), err);
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

bool machine_is_pretended(const struct machine *machine)
{
	return !machine->here;
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
