/* Make JSON from structs by their tables, and pieces for made fields. */
#ifndef C2C_PACK_H
#define C2C_PACK_H

#include <jansson.h>
#include <stdio.h>

#include "record/facts.h"
#include "record/field.h"
#include "util/cpu_list.h"
#include "util/error.h"

/*
 * Flags for JSON. Numbers outside matrices, curves and passes have 15 decimal
 * digits, which a double preserves (DBL_DIG): 53.1 stays 53.1.
 */
#define FORMAT_JSON_FLAGS (JSON_REAL_PRECISION(15) | JSON_ENCODE_ANY)

/*
 * Make an object from a struct, with "format" and "version" first if its type
 * has them. Numbers keep this many digits; 0: all. Return a new reference, or
 * NULL without memory.
 */
json_t *record_to_json(
	const struct record_type *type, const void *from, int digits);

/* Make text from a struct, over several lines, for free(). */
char *record_to_text(
	const struct record_type *type, const void *from, int digits);

/* Make one line from a struct, with all digits and a line break, for free(). */
char *record_to_line(const struct record_type *type, const void *from);

/* Make the value of one field. */
json_t *field_pack(const struct record_field *field, const void *from,
	const struct pack_context *context);

/* Return whether the value of an optional field is empty. */
bool field_is_left_out(const struct record_field *field, const void *from,
	const json_t *value);

/* Add keys, those of an object to the object of the same name. 0, or -1. */
int pack_unknown_keys(json_t *object, json_t *unknown);

/* Make an object from a struct, within one that is being made. */
json_t *pack_struct(const struct record_type *type, const void *from,
	const struct pack_context *up);

/* Make a number, null if not finite; it keeps this many digits, 0: all. */
json_t *format_real(double value);
json_t *pack_rounded(double value, int digits);

/* Make text from any bytes, such as file names; null if not UTF-8. */
json_t *pack_any_text(const char *text);

/* Make text. A byte that is not UTF-8 becomes "\xff"; NULL becomes null. */
json_t *pack_shown_text(const char *text);

/* Make an array of CPU numbers. */
json_t *format_pack_cpus(const struct cpu_list *cpus);

/* Append item. If either lacks memory, *array becomes and stays NULL. */
void pack_add(json_t **array, json_t *item);

/* Print JSON over several lines; NULL is -ENOMEM. */
int format_print(const json_t *json, FILE *out, struct error *err);

/* Return json as text for free(), or NULL; takes json over. */
char *pack_dump(json_t *json);

/* Write json as one line, for another process of c2c; takes json. -EIO. */
int pack_write_line(json_t *json, FILE *out);

/* A buffer for a number as text. */
struct number_text {
	char text[32];
};

/*
 * Write value with up to six significant digits, from a million to 10^15 as a
 * whole number. Return number->text, or missing if value is not finite.
 */
const char *format_number(
	struct number_text *number, double value, const char *missing);

/*
 * facts_pack(): make an object from facts, null if there are none; return a
 * reference, or NULL without memory. The others take facts from an object, or
 * from text: -EINVAL. facts_value() lends, facts_set_json() takes over.
 */
json_t *facts_pack(const struct facts *facts);
void facts_unpack(struct facts *facts, json_t *object);
int facts_parse(struct facts *facts, const char *text, size_t bytes);
json_t *facts_value(const struct facts *facts, const char *key);
void facts_set_json(struct facts *facts, const char *key, json_t *value);

#endif
