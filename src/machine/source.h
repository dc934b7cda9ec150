/*
 * Where a topology comes from: the running machine, what hwloc's variables
 * pretend (hwloc, "envvar"), a text of XML, or a synthetic description. All
 * ways in are looked at here, before hwloc sees them.
 */
#ifndef C2C_SOURCE_H
#define C2C_SOURCE_H

#include <hwloc.h>
#include <stdbool.h>

#include "util/error.h"

struct topology_source {
	const char *variable;  /* that named it, or NULL */
	const char *path;      /* of the XML, or NULL */
	bool running;	       /* this machine, or what is pretended for it */
	const char *root;      /* folder that stands for /, or NULL */
	bool cpuid;	       /* a folder of CPUID dumps is pretended */
	const char *synthetic; /* description, or NULL */
	char *xml;	       /* owned; NULL: none */
	int xml_bytes;	       /* the closing null counted, as hwloc wants */
};

/*
 * The running machine, or another one if variables of hwloc say so. Negative
 * with *err, which names the variable, if that cannot be a topology.
 */
int source_of_environment(struct topology_source *source, struct error *err);

/* A file of XML, which messages name. */
int source_of_file(
	struct topology_source *source, const char *path, struct error *err);

/* A text of XML; a byte order mark and Windows's line ends are left out. */
int source_of_xml(struct topology_source *source, const char *xml, size_t bytes,
	struct error *err);

int source_of_synthetic(struct topology_source *source, const char *description,
	struct error *err);

/* Put the variable and the file, if there are, before a message. */
void source_prefix(const struct topology_source *source, struct error *err);

void source_release(struct topology_source *source);

/*
 * A topology of that source that is yet to be loaded. It knows the CPUs that
 * this process may not use as well as those it may.
 */
int source_begin(const struct topology_source *source,
	hwloc_topology_t *topology, struct error *err);

/* hwloc refuses it, by that errno. */
int source_refuse(
	const struct topology_source *source, int code, struct error *err);

/*
 * Names of the environment variables that are set and choose hwloc's topology,
 * "HWLOC_FSROOT HWLOC_COMPONENTS". The caller frees it; NULL without memory.
 */
char *source_variables(void);

#endif
