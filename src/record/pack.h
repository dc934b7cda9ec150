/*
 * Makes JSON from structs, as their tables of fields describe them. Also makes
 * the JSON values that a field's make() returns.
 */
#ifndef C2C_PACK_H
#define C2C_PACK_H

#include <jansson.h>
#include <stdio.h>

#include "record/facts.h"
#include "record/field.h"
#include "util/cpu_list.h"
#include "util/error.h"

/*
 * Flags for JSON. Numbers outside matrices, curves and passes have 15 digits
 * (DBL_DIG), so that 53.1 does not become 53.100000000000001.
 */
#define FORMAT_JSON_FLAGS (JSON_REAL_PRECISION(15) | JSON_ENCODE_ANY)

/*
 * Make an object from a struct, with "format" and "version" if its type has
 * them. digits limits the digits of numbers; 0: all digits. Return a new
 * reference, or NULL if out of memory.
 */
json_t *record_to_json(
	const struct record_type *type, const void *from, int digits);

/* Make JSON text of several lines from a struct. The caller frees the text. */
char *record_to_text(
	const struct record_type *type, const void *from, int digits);

/* Make a line of JSON from a struct. The caller frees the line. */
char *record_to_line(const struct record_type *type, const void *from);

json_t *field_pack(const struct record_field *field, const void *from,
	const struct pack_context *context);

/* Return whether c2c omits a field, because it is optional and empty. */
bool field_is_left_out(const struct record_field *field, const void *from,
	const json_t *value);

/* Add unknown keys to an object and its inner objects. Return 0 or -1. */
int pack_unknown_keys(json_t *object, json_t *unknown);

/* Make an object from a struct; up is the context of the outer object. */
json_t *pack_struct(const struct record_type *type, const void *from,
	const struct pack_context *up);

/* Make a number, or null if the value is not finite. digits 0: all digits. */
json_t *format_real(double value);
json_t *pack_rounded(double value, int digits);

/* Make a text from any bytes, such as a file name; null if it is not UTF-8. */
json_t *pack_any_text(const char *text);

/* Make a text, with "\xff" for a byte that is not UTF-8. NULL becomes null. */
json_t *pack_shown_text(const char *text);

json_t *format_pack_cpus(const struct cpu_list *cpus);

/* Append and own item. If *array or item is NULL, *array becomes NULL. */
void pack_add(json_t **array, json_t *item);

int format_print(const json_t *json, FILE *out, struct error *err);

/* Return json as a text, or NULL. The caller frees the text, but not json. */
char *pack_dump(json_t *json);

/* Write a line of JSON, and release json. Return 0 or -EIO. */
int pack_write_line(json_t *json, FILE *out);

struct number_text {
	char text[32];
};

/*
 * Format value with up to six significant digits, but 10^6 to 10^15 as a whole
 * number. Return number->text, or missing if value is not finite.
 */
const char *format_number(
	struct number_text *number, double value, const char *missing);

/*
 * Convert between facts and JSON. facts_pack() returns a new reference, or NULL
 * if out of memory; empty facts are null. facts_parse() returns -EINVAL for a
 * text that is not JSON. facts_value() returns a borrowed value.
 * facts_set_json() owns its value.
 */
json_t *facts_pack(const struct facts *facts);
void facts_unpack(struct facts *facts, json_t *object);
int facts_parse(struct facts *facts, const char *text, size_t bytes);
json_t *facts_value(const struct facts *facts, const char *key);
void facts_set_json(struct facts *facts, const char *key, json_t *value);

#endif
