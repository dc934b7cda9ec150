/* A chosen placement, as input for the functions that print it. */
#ifndef C2C_THREAD_PLACEMENT_H
#define C2C_THREAD_PLACEMENT_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/placement.h"
#include "cmd/export/cmd_export.h"
#include "cmd/export/export_formats.h"

/* A guest: its shape, and memory and host nodes for each cell. */
struct guest_layout {
	struct placement_shape shape;
	uint8_t *distances; /* [n_cells * n_cells]; NULL: unknown */
	uint64_t *mib;	    /* [n_cells] */
	uint64_t total_mib;
	struct cpu_list *nodes; /* [n_cells]; NULL: the host has one node */
};

struct thread_placement {
	const struct export_source *source;
	const struct export_placement *wanted;
	struct arena *arena;
	const struct analysis_level **from; /* [n_levels], levels that nest */
	struct placement_request request;
	size_t *rows; /* [request.threads] */
	struct guest_layout guest;
	int *slots; /* [request.threads], slots for Open MPI */
};

unsigned placement_cpu(const struct thread_placement *placement, size_t thread);

/* Return the CPUs of all threads as a list: "0-3,8". */
char *placement_cpus(const struct thread_placement *placement);

/*
 * Return the NUMA nodes of threads first to end - 1; an empty list if the
 * machine has only one node, or its nodes are unknown.
 */
struct cpu_list placement_nodes(
	const struct thread_placement *placement, size_t first, size_t end);

#define DECLARE_FORMAT(word, ...)                                              \
	void print_##word(const struct thread_placement *placement);
EXPORT_FORMATS(DECLARE_FORMAT)

/* Find what a row of EXPORT_FORMATS prints, or return -EINVAL (ERROR_USAGE). */
int find_guest_layout(struct thread_placement *placement, struct error *err);
int find_logical_slots(struct thread_placement *placement, struct error *err);
int check_thread_group(struct thread_placement *placement, struct error *err);

#endif
