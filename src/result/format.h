/*
 * What the formats of this folder share: the envelope as a JSON object, and
 * numbers as text. Private to src/result.
 */
#ifndef C2C_RESULT_FORMAT_H
#define C2C_RESULT_FORMAT_H

#include <jansson.h>
#include <stdio.h>

#include "result/reader.h"
#include "result/result.h"

/*
 * Digits of a number outside matrices, curves and passes. Any decimal of 15
 * digits comes back from a double as it went in (DBL_DIG), so 53.1 stays 53.1.
 */
#define FORMAT_JSON_FLAGS (JSON_REAL_PRECISION(15) | JSON_ENCODE_ANY)

/*
 * Everything but what was measured, topology and unknown keys, in the order of
 * the file, null for what is unknown. A new reference, or NULL with *err.
 */
json_t *format_pack_envelope(const struct result *result, struct error *err);

/* The numbers as an array. A new reference, or NULL without memory. */
json_t *format_pack_cpus(const struct cpu_list *cpus);

/* A number, null if not finite. */
json_t *format_real(double value);

/*
 * Facts as an object, null when there are none: a reference, NULL without
 * memory; and back. A value is borrowed when read and taken over when set.
 */
json_t *facts_pack(const struct facts *facts);
void facts_unpack(struct facts *facts, json_t *object);
json_t *facts_value(const struct facts *facts, const char *key);
void facts_set_json(struct facts *facts, const char *key, json_t *value);

/* A record, and the block "run" and back: objects, NULL without memory. */
struct record;
json_t *record_pack(const struct record *record);
json_t *run_facts_pack(const struct run_facts *run);
int run_facts_unpack(struct run_facts *run, json_t *object);

/* Print JSON over several lines; NULL is -ENOMEM. */
int format_print(const json_t *json, FILE *out, struct error *err);

/* Room for a number as text. */
struct number {
	char text[32];
};

/*
 * value with up to six significant digits, which no measurement exceeds; from
 * a million to 10^15 as a whole number in full (sizes, counts); missing for
 * what is not finite. Returns missing or number->text.
 */
const char *format_number(
	struct number *number, double value, const char *missing);

/* What may help against the usual errors of writing, or "". */
const char *format_remedy(int code);

/*
 * Flush out and turn a write that failed into an error; format_flush() is the
 * end of every writer.
 */
int format_flush(FILE *out, struct error *err);

/*
 * The loaders: fill an initialised *result, which the caller releases after a
 * failure too.
 */
int format_read_json(
	struct result *result, struct reader *reader, struct error *err);
int format_read_csv(
	struct result *result, struct reader *reader, struct error *err);

#endif
