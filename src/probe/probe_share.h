/* The rings of probe_share, which detects whether two CPUs share a cache. */
#ifndef C2C_PROBE_SHARE_H
#define C2C_PROBE_SHARE_H

#include "probe/chase.h"
#include "util/cpu_list.h"

/* Size of the small ring, which takes hardly any room in a cache. */
#define SHARE_SMALL_BYTES ((size_t)2048)

/* Size of a large ring relative to the cache, which has room for only one. */
#define SHARE_OF_LEVEL 0.6

/*
 * Least slowdown of CPUs that share a cache. Pairs with a shared cache had 1.5
 * to 4. CPUs that share no cache had 1.00 to 1.05, and always less than 1.4 in
 * five passes on 32 vCPUs.
 */
#define SHARE_LEAST 1.4

/* params->context of probe_share. Each CPU has a large and a small ring. */
struct share_context {
	const struct cpu_list *cpus;  /* borrowed */
	struct chase_context *chases; /* [n], one for each of cpus */
	size_t n;
	/* share_init() sets these for large rings. */
	bool walkers;	     /* use all walkers */
	size_t warm_loads;   /* loads before a part */
	uint32_t part_loads; /* timed loads in a part */
};

enum {
	SHARE_LARGE,
	SHARE_SMALL
};

/* Which rings are large in a part, for one of the halves. */
enum share_part {
	SHARE_BOTH_LARGE,
	SHARE_OWN_LARGE,
	SHARE_OTHER_LARGE,
	SHARE_PARTS
};

/* Return the part of this number for the first or the second half. */
enum share_part share_part(uint32_t number, bool is_first);

/* Return the bytes of a CPU's rings. */
size_t share_bytes(size_t large_bytes);

/*
 * Map and draw the rings of each CPU on its node. Only the pages and the seed
 * of the plan count. For share_release().
 */
int share_init(struct share_context *context, const struct machine *machine,
	const struct chase_plan *plan, size_t large_bytes, struct error *err);
void share_release(struct share_context *context);

/*
 * A value is a slowdown: the time of a chase through a large ring while the
 * other CPU also chases through a large ring, divided by the time while the
 * other chases through a small one. The value is the mean of both CPUs.
 */
extern const struct probe probe_share;

#endif
