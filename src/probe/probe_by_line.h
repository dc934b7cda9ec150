/*
 * Each visit times the lines of a page one after the other, by a method of c2c
 * latency.
 */
#ifndef C2C_PROBE_BY_LINE_H
#define C2C_PROBE_BY_LINE_H

#include "probe/probe.h"

/* Number of lines in a visit, and of slots in a block, a huge page. */
#define BY_LINE_LINES	    64
#define BY_LINE_BLOCK_BYTES ((size_t)2 << 20)
#define BY_LINE_SLOTS	    (BY_LINE_BLOCK_BYTES / PROBE_SLOT_BYTES)

/* Memory for the times of a pass of a pair. */
#define BY_LINE_PASS_BYTES (BY_LINE_LINES * sizeof(float))

/* A variant whose times are discarded. */
#define BY_LINE_SCAN UINT32_MAX

/* params->context; by_line_init() sets it. */
struct by_line_context {
	const struct probe *method;    /* of round trips */
	uint32_t slots[BY_LINE_LINES]; /* ascending */
	uint64_t seed;
	size_t pairs, passes;
	/*
	 * [pairs * passes * BY_LINE_LINES], in the unit of the method. Times of
	 * an abandoned visit are invalid.
	 */
	float *values;
};

/*
 * Draw the lines, and allocate the times of all pairs and passes. The variant
 * of a pair is its number. Return 0 or -ENOMEM.
 */
int by_line_init(struct by_line_context *context, const struct probe *method,
	uint64_t seed, size_t pairs, size_t passes, struct error *err);
void by_line_release(struct by_line_context *context);

/* Return a copy of the method's probe that times the lines one by one. */
struct probe by_line_probe(const struct probe *method);

/* Return the value of a line in one pass of a pair. */
double by_line_value(const struct by_line_context *context, size_t pair,
	size_t pass, size_t line);

#endif
