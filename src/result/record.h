/*
 * A record of c2c cl about a test, the devices or a run: facts, and lists of
 * rows or sentences.
 *
 * A record owns all its contents; a zeroed record is empty. facts.failed: out
 * of memory, so that something is missing.
 */
#ifndef C2C_RECORD_H
#define C2C_RECORD_H

#include <stdio.h>

#include "result/run.h"

struct record {
	struct facts facts;
};

/* A list, borrowed from a record until the record changes. */
struct record_list {
	const struct json_t *items;
	size_t n;
};

void record_release(struct record *record);

/* Append a row, which is moved and left empty, or a copied sentence. */
void record_add_row(struct record *record, const char *key, struct facts *row);
void record_add_text(struct record *record, const char *key, const char *text);

/* Make an empty list under a key, unless the key has a list. */
void record_add_list(struct record *record, const char *key);

/* Copy facts under a key: "name" becomes "device.name" under "device". */
void record_add_object(
	struct record *record, const char *key, const struct facts *facts);

/* Return the facts that record_add_object() copied under a key; borrowed. */
struct facts record_object(const struct record *record, const char *key);

/* Return the list under a key, empty if there is none; rows are borrowed. */
struct record_list record_find_list(
	const struct record *record, const char *key);
struct facts record_list_row(const struct record_list *list, size_t i);
const char *record_list_text(const struct record_list *list, size_t i);

/* Whether the flag under a key exists and is set. */
static inline bool record_has_flag(const struct record *record, const char *key)
{
	return facts_flag(&record->facts, key);
}

/* Write a record as one line of JSON, and read it: -EINVAL if it is invalid. */
int record_write(const struct record *record, FILE *out);
int record_read(struct record *record, const char *text, size_t bytes);

/* Print one list as JSON for people. */
int record_print_list(
	const struct record_list *list, FILE *out, struct error *err);

/* Append a test's record, which is moved and left empty. */
bool run_facts_add_test(struct run_facts *run, struct record *test);

#endif
