/*
 * Pieces of JSON of runs, analyses, comparisons and fleets. Private to
 * src/result.
 */
#ifndef C2C_COMPARE_PACK_H
#define C2C_COMPARE_PACK_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "result/comparison.h"
#include "result/format.h"
#include "util/text.h"

#define COMPARISON_FORMAT "c2c-comparison"

/* Of all these formats. */
#define FORMAT_VERSION 1

/* A number of six digits, as a measurement has; null if not finite. */
static inline json_t *pack_number(double value)
{
	return pack_rounded(value, 6);
}

/* object with the members of more, both taken over; NULL without memory. */
static inline json_t *pack_join(json_t *object, json_t *more)
{
	int rc = json_object_update(object, more);

	json_decref(more);
	if (rc == 0)
		return object;
	json_decref(object);
	return NULL;
}

/* Which file a side is. */
json_t *compare_pack_side(const struct compare_side *side);

#endif
