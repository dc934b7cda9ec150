/*
 * Pieces of JSON of runs, analyses, comparisons and fleets. Private to
 * src/result.
 */
#ifndef C2C_PACK_H
#define C2C_PACK_H

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
	char text[32];

	if (!isfinite(value))
		return json_null();
	snprintf(text, sizeof(text), "%.6g", value);
	return json_real(strtod(text, NULL));
}

/* Text that may be any bytes, as names of files may; JSON's is UTF-8. */
static inline json_t *pack_any_text(const char *text)
{
	json_t *string = json_string(text);

	return string ? string : json_null();
}

/* Append item; without memory for either *array is NULL, which stays so. */
static inline void pack_add(json_t **array, json_t *item)
{
	if (json_array_append_new(*array, item) == 0)
		return;
	json_decref(*array);
	*array = NULL;
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

/* As every JSON of c2c is; takes json. */
static inline char *pack_dump(json_t *json)
{
	char *text = json_dumps(json, JSON_INDENT(2) | FORMAT_JSON_FLAGS);
	char *lines = text ? text_format("%s\n", text) : NULL;

	free(text);
	json_decref(json);
	return lines;
}

/* Which file a side is. */
json_t *compare_pack_side(const struct compare_side *side);

#endif
