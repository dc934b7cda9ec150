/* The interface between the files of c2c queue. Private to queue*.c. */
#ifndef C2C_CMD_QUEUE_H
#define C2C_CMD_QUEUE_H

#include "cmd/distance.h"
#include "cmd/measure/measure.h"
#include "probe/probe_queue.h"

#define QUEUE_CHUNK_MAX	 ((uint32_t)65536)
#define QUEUE_CHUNKS_MAX ((uint32_t)1 << 24)

/* Largest number of queues in a sweep: 1 to 2^24 chunks, doubled. */
#define QUEUE_MOST_SHAPES 25

struct queue_options {
	struct measure_options measure;
	uint64_t chunk_bytes, chunks; /* in a sweep, recorded as 0 */
	int warm;		      /* 0: cold */
	bool cold;		      /* cold, as recorded */
	enum memory_pages pages;
	struct measure_home home;
	const char *readers; /* NULL: one reader */
	/* Ranges of the chunk size and of the chunks; min 0: no sweep. */
	struct option_range sweep, sweep_chunks;
	bool order_check;
	/* Values as recorded. */
	uint64_t warm_up, line_bytes, queue_bytes;
	const char *vector;
};

/* The command's own part of a plan. */
struct queue_plan {
	struct queue_options *options;
	struct queue_context context;
	struct queue_shape shapes[QUEUE_MOST_SHAPES];
	size_t n_shapes;
	/* For a sweep: names of the queue shapes in messages. */
	char shape_texts[QUEUE_MOST_SHAPES][24];
	const char *shape_names[QUEUE_MOST_SHAPES];
	/* For a sweep: the pairs, each measured with every shape. */
	struct {
		enum cpu_distance distance;
		struct schedule_pair pair;
	} distances[DISTANCES];
	size_t n_distances;
};

/* --readers: choose the readers, and make the curves. */
int queue_select_readers(struct measure_plan *plan,
	const struct measure_options *options,
	struct measure_selection *selection, struct error *err);
int queue_finish_readers(struct measure_plan *plan, struct campaign *campaign,
	struct result *result, struct error *err);

/* Return the range of the sweep, or NULL. */
const struct option_range *queue_sweep(const struct queue_options *options);

/* --sweep, --sweep-chunks: choose pairs, make curves, fit and print sizes. */
int queue_select_sweep(struct measure_plan *plan,
	const struct measure_options *options,
	struct measure_selection *selection, struct error *err);
int queue_finish_sweep(struct measure_plan *plan, struct campaign *campaign,
	struct result *result, struct error *err);
void queue_print_sweep(const struct result *result);

/*
 * Append a curve of rates with n points, measured on these CPUs. The caller
 * sets all facts except family and unit. The pointer is valid until the next
 * append. Return NULL with *err on failure.
 */
struct curve *queue_add_curve(struct result *result,
	const struct curve_facts *facts, size_t n, const unsigned *cpus,
	size_t n_cpus, struct error *err);

#endif
