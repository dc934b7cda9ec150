/*
 * What the formats share: the envelope as a JSON object, and numbers as text.
 * Private to src/result.
 */
#ifndef C2C_FORMAT_H
#define C2C_FORMAT_H

#include <jansson.h>
#include <stdio.h>

#include "result/reader.h"
#include "result/result.h"

/*
 * The digits of numbers outside matrices, curves and passes. Decimals of 15
 * digits survive in a double (DBL_DIG): 53.1 stays 53.1.
 */
#define FORMAT_JSON_FLAGS (JSON_REAL_PRECISION(15) | JSON_ENCODE_ANY)

/*
 * The result without measurements, topology and unknown keys. A new reference,
 * or NULL with *err.
 */
json_t *format_pack_envelope(const struct result *result, struct error *err);

/* The numbers as an array. A new reference, or NULL without memory. */
json_t *format_pack_cpus(const struct cpu_list *cpus);

/* A number, null if not finite. */
json_t *format_real(double value);

/*
 * Facts as an object, null if there are none: a reference, or NULL without
 * memory; and back. facts_value() lends, facts_set_json() takes over.
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
struct number_text {
	char text[32];
};

/*
 * value with up to six significant digits, from a million to 10^15 as a whole
 * number. Returns number->text, or missing if value is not finite.
 */
const char *format_number(
	struct number_text *number, double value, const char *missing);

/* What may help against an error of writing, or "". */
const char *format_remedy(int code);

/* The end of every writer: flush, and turn a failed write into an error. */
int format_flush(FILE *out, struct error *err);

/* Fill an initialised *result; the caller releases it after a failure too. */
int format_read_json(
	struct result *result, struct reader *reader, struct error *err);

/*
 * The same from text[n], in a tenth of the time. False for what is no record,
 * or an unusual one: then format_read_json() has the words for it.
 */
bool format_read_grids(struct result *result, const char *text, size_t n);

int format_read_csv(
	struct result *result, struct reader *reader, struct error *err);

#endif
