/*
 * Run chases and streams as one probe, so that each pass of c2c cache has all
 * of them in random order. The first variants are points of the chase; the
 * others are points of the stream.
 */
#ifndef C2C_PROBE_CACHE_H
#define C2C_PROBE_CACHE_H

#include "probe/chase.h"
#include "probe/probe_stream.h"

/* params->context of probe_cache. */
struct cache_context {
	struct chase_points chase;
	struct stream_context stream;
};

/* Return whether a pass measures this variant, so that it has a value. */
bool cache_due(
	const struct cache_context *context, uint32_t variant, uint32_t pass);

/* Values are as from probe_chase or probe_stream. */
extern const struct probe probe_cache;

#endif
