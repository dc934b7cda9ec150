/*
 * Where a topology comes from: the running machine, a machine that hwloc's
 * variables simulate (hwloc, "envvar"), an XML text, or a synthetic
 * description. All sources are checked here, before hwloc sees them.
 */
#ifndef C2C_SOURCE_H
#define C2C_SOURCE_H

#include <hwloc.h>
#include <stdbool.h>

#include "util/error.h"

struct topology_source {
	const char *variable;  /* environment variable of the source, or NULL */
	const char *path;      /* file of the XML, or NULL */
	bool running;	       /* this machine or a simulated one */
	const char *root;      /* folder that replaces /, or NULL */
	bool cpuid;	       /* a folder of CPUID dumps */
	const char *synthetic; /* description, or NULL */
	char *xml;	       /* owned; NULL: none */
	int xml_bytes;	       /* including the closing null */
};

/*
 * Use the running machine, or another one if hwloc's variables say so. If a
 * variable gives no valid topology, return a negative errno and name the
 * variable in *err.
 */
int source_of_environment(struct topology_source *source, struct error *err);

/* Read an XML file. Messages name the path. */
int source_of_file(
	struct topology_source *source, const char *path, struct error *err);

/* Use an XML text, without its byte order mark and Windows's line ends. */
int source_of_xml(struct topology_source *source, const char *xml, size_t bytes,
	struct error *err);

int source_of_synthetic(struct topology_source *source, const char *description,
	struct error *err);

/* Put the variable and the file, if any, before a message. */
void source_prefix(const struct topology_source *source, struct error *err);

void source_release(struct topology_source *source);

/*
 * Begin a topology of the source, for hwloc_topology_load(). The topology will
 * have all CPUs, including those that this process may not use.
 */
int source_begin(const struct topology_source *source,
	hwloc_topology_t *topology, struct error *err);

/* Report that hwloc rejects the source, with this errno. */
int source_refuse(
	const struct topology_source *source, int code, struct error *err);

/*
 * Return the names of the set environment variables that choose hwloc's
 * topology, "HWLOC_FSROOT HWLOC_COMPONENTS", for free(); NULL without memory.
 */
char *source_variables(void);

#endif
