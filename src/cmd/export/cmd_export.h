/*
 * The interface between the files of c2c export: a result with its analysis,
 * and two outputs.
 */
#ifndef C2C_CMD_EXPORT_H
#define C2C_CMD_EXPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/analyze.h"
#include "machine/machine.h"
#include "result/result.h"
#include "util/error.h"

struct export_source {
	const char *path;
	const struct result *result;
	struct machine *machine; /* the topology in the file, or NULL */
	struct analysis analysis;
	struct arena *arena; /* in its arena_run() */
	int verbosity;
	bool needs_placement; /* the output is a placement */
	bool needs_pairs;     /* the output lists near pairs */
};

/* Return the topology with the measured values, as XML for free(). */
int export_hwloc(
	const struct export_source *source, char **xml, struct error *err);

struct export_placement {
	int format;	       /* index in EXPORT_FORMATS */
	const char *level;     /* level: a kind, a number from 1, or NULL */
	bool spread, pack;     /* false and no level: by pairs */
	bool per_core;	       /* at most one CPU of each core */
	uint64_t nearest;      /* list this many near pairs; 0: none */
	uint64_t threads;      /* 0: a thread for each CPU */
	uint64_t memory_bytes; /* memory of a guest; 0: 1 GiB for each CPU */
};

/* List the nearest pairs of CPUs on standard output. */
int export_nearest_print(const struct export_source *source,
	const struct export_placement *wanted, struct error *err);

/* Print the placement on standard output. */
int export_placement_print(const struct export_source *source,
	const struct export_placement *wanted, struct error *err);

#endif
