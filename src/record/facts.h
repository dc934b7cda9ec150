/*
 * The parts of a record besides measured values: facts about the machine, the
 * tool, the options, the run.
 *
 * A struct facts is an object of JSON behind typed functions, so that unknown
 * keys are facts like any other, and loading and saving loses nothing.
 * "clock.hz" is the key "hz" of the inner object "clock". A struct owns what it
 * points to; zeroed it is empty.
 */
#ifndef C2C_FACTS_H
#define C2C_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

struct json_t;

/* A value. Only facts.c knows its type. */
struct fact;

struct facts {
	struct json_t *object; /* NULL: empty */
	size_t n;	       /* keys; an inner object is one */
	bool failed;	       /* out of memory: facts are missing */
};

void facts_release(struct facts *facts);

/* Copy the facts of more, and replace those that both have. */
void facts_append(struct facts *facts, const struct facts *more);

/*
 * Add a fact, or replace the one with this key. NULL, texts that JSON or a
 * terminal cannot represent, and numbers that are not finite become unknown.
 */
void facts_set_text(struct facts *facts, const char *key, const char *text);
void facts_set_count(struct facts *facts, const char *key, int64_t count);
void facts_set_number(struct facts *facts, const char *key, double number);
void facts_set_flag(struct facts *facts, const char *key, bool flag);
void facts_set_unknown(struct facts *facts, const char *key);

struct record_type;

/* Replace all facts by those made from a struct and its table. */
void facts_set_struct(
	struct facts *facts, const struct record_type *type, const void *from);

/* Set a list of numbers: integers if whole, null if not finite. */
void facts_set_numbers(
	struct facts *facts, const char *key, const double *values, size_t n);

/* Drop the fact under a key. */
void facts_drop(struct facts *facts, const char *key);

/* Return the fact under a key, borrowed, or NULL. */
const struct fact *facts_find(const struct facts *facts, const char *key);

/* Return the value; NULL, NaN, 0 or false if missing or of another kind. */
const char *facts_text(const struct facts *facts, const char *key);
double facts_number(const struct facts *facts, const char *key);
int64_t facts_count(const struct facts *facts, const char *key);
bool facts_flag(const struct facts *facts, const char *key);

/*
 * Write the first `most` items of a list to values, NaN for an item that is no
 * number. Return how many items the list has; 0: there is no list.
 */
size_t facts_numbers(const struct facts *facts, const char *key, double *values,
	size_t most);

bool fact_is_known(const struct fact *fact);

/* Return whether two facts are equal; NULL equals unknown. */
bool fact_same(const struct fact *a, const struct fact *b);

/* Return "not recorded", "unknown" or the value, for free(), or NULL. */
char *fact_words(const struct fact *fact);

/*
 * Call report() for each key whose facts differ; keys that only b has come
 * last. NULL is a missing fact. Stop at the first result that is not 0, and
 * return it, or -ENOMEM.
 */
typedef int fact_reporter(void *context, const char *key, const struct fact *a,
	const struct fact *b);
int facts_compare(const struct facts *a, const struct facts *b,
	fact_reporter *report, void *context);

#endif
