/*
 * Facts of a record: the machine, the tool, the options and the run.
 *
 * A struct facts wraps a JSON object, so that a loaded and saved record keeps
 * unknown keys. "clock.hz" is the key "hz" of the inner object "clock". A
 * struct facts owns its memory. A struct facts of zeros is empty.
 */
#ifndef C2C_FACTS_H
#define C2C_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

struct json_t;

/* A value of JSON; only facts.c uses its definition. */
struct fact;

struct facts {
	struct json_t *object; /* NULL: empty */
	size_t n;    /* number of keys; an inner object counts as one key */
	bool failed; /* facts are missing because memory was too small */
};

void facts_release(struct facts *facts);

/* Copy all facts of `more`, which replace facts with the same keys. */
void facts_append(struct facts *facts, const struct facts *more);

/*
 * Set the fact under a key. The fact is unknown if the value is NULL, not
 * finite, or a text that JSON or a terminal cannot represent.
 */
void facts_set_text(struct facts *facts, const char *key, const char *text);
void facts_set_count(struct facts *facts, const char *key, int64_t count);
void facts_set_number(struct facts *facts, const char *key, double number);
void facts_set_flag(struct facts *facts, const char *key, bool flag);
void facts_set_unknown(struct facts *facts, const char *key);

struct record_type;

/* Replace all facts with the members of a struct, as its table lists them. */
void facts_set_struct(
	struct facts *facts, const struct record_type *type, const void *from);

/* A number that is not finite becomes null. */
void facts_set_numbers(
	struct facts *facts, const char *key, const double *values, size_t n);

void facts_drop(struct facts *facts, const char *key);

/* Return the borrowed fact under a key, or NULL. */
const struct fact *facts_find(const struct facts *facts, const char *key);

/* Return NULL, NaN, 0 or false if the fact is missing or of another type. */
const char *facts_text(const struct facts *facts, const char *key);
double facts_number(const struct facts *facts, const char *key);
int64_t facts_count(const struct facts *facts, const char *key);
bool facts_flag(const struct facts *facts, const char *key);

/*
 * Copy at most `most` numbers of a list to values. An item that is no number
 * becomes NaN. Return the number of items in the list, or 0 without a list.
 */
size_t facts_numbers(const struct facts *facts, const char *key, double *values,
	size_t most);

bool fact_is_known(const struct fact *fact);

/* Return whether two facts are equal. NULL equals an unknown fact. */
bool fact_same(const struct fact *a, const struct fact *b);

/* Return the value, "unknown" or "not recorded". The caller frees the text. */
char *fact_words(const struct fact *fact);

/*
 * Call report() for each key whose facts differ: first the keys of a, then the
 * keys that only b has. A missing fact is NULL. Stop if report() returns
 * another number than 0. Return this number, or 0, or -ENOMEM.
 */
typedef int fact_reporter(void *context, const char *key, const struct fact *a,
	const struct fact *b);
int facts_compare(const struct facts *a, const struct facts *b,
	fact_reporter *report, void *context);

#endif
