/*
 * Structs to JSON by their tables, and pieces of JSON for fields that are made.
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
 * The digits of numbers outside matrices, curves and passes. Decimals of 15
 * digits survive in a double (DBL_DIG): 53.1 stays 53.1.
 */
#define FORMAT_JSON_FLAGS (JSON_REAL_PRECISION(15) | JSON_ENCODE_ANY)

/*
 * A struct as an object, with "format" and "version" first if its type has
 * them. digits: that numbers keep; 0: all. A new reference, or NULL without
 * memory.
 */
json_t *record_to_json(
	const struct record_type *type, const void *from, int digits);

/* The same as text over several lines, for free(). */
char *record_to_text(
	const struct record_type *type, const void *from, int digits);

/* The same with all digits in one line, with its line break. */
char *record_to_line(const struct record_type *type, const void *from);

/* The value of one field. */
json_t *field_pack(const struct record_field *field, const void *from,
	const struct pack_context *context);

/* Whether the value of an optional field says nothing. */
bool field_is_left_out(const struct record_field *field, const void *from,
	const json_t *value);

/* Add keys; those of an object go into that of the same name. 0, or -1. */
int pack_unknown_keys(json_t *object, json_t *unknown);

/* The struct as an object, within one that is being made. */
json_t *pack_struct(const struct record_type *type, const void *from,
	const struct pack_context *up);

/* A number, null if not finite; with so many digits, 0: all. */
json_t *format_real(double value);
json_t *pack_rounded(double value, int digits);

/* Text that may be any bytes, as names of files may; JSON's is UTF-8. */
json_t *pack_any_text(const char *text);

/* The same, but a byte that is not UTF-8 reads "\xff". NULL is null. */
json_t *pack_shown_text(const char *text);

/* The numbers as an array. */
json_t *format_pack_cpus(const struct cpu_list *cpus);

/* Append item; without memory for either *array is NULL, which stays so. */
void pack_add(json_t **array, json_t *item);

/* Print JSON over several lines; NULL is -ENOMEM. */
int format_print(const json_t *json, FILE *out, struct error *err);

/* As every JSON of c2c is; takes json. Text for free(), or NULL. */
char *pack_dump(json_t *json);

/* As one line, for another process of c2c; takes json. -EIO. */
int pack_write_line(json_t *json, FILE *out);

/* Room for a number as text. */
struct number_text {
	char text[32];
};

/*
 * value with up to six significant digits, from a million to 10^15 as a whole
 * number. Returns number->text, or missing if value is not finite.
 */
const char *format_number(
	struct number_text *number, double value, const char *missing);

/*
 * Facts as an object, null if there are none: a reference, or NULL without
 * memory; and back, also from text: -EINVAL. facts_value() lends,
 * facts_set_json() takes over.
 */
json_t *facts_pack(const struct facts *facts);
void facts_unpack(struct facts *facts, json_t *object);
int facts_parse(struct facts *facts, const char *text, size_t bytes);
json_t *facts_value(const struct facts *facts, const char *key);
void facts_set_json(struct facts *facts, const char *key, json_t *value);

#endif
