/*
 * A record of c2c cl about a test, the devices or a run. The record has facts,
 * and lists of rows or sentences.
 *
 * A record owns its contents. A record of zeros is empty. facts.failed is true
 * if facts are missing because memory was too small.
 */
#ifndef C2C_RECORD_H
#define C2C_RECORD_H

#include <stdio.h>

#include "result/run.h"

struct record {
	struct facts facts;
};

/* A borrowed list, valid until the record changes. */
struct record_list {
	const struct json_t *items;
	size_t n;
};

void record_release(struct record *record);

/* Append a row, and leave *row empty; or append a copy of a sentence. */
void record_add_row(struct record *record, const char *key, struct facts *row);
void record_add_text(struct record *record, const char *key, const char *text);

/* Add an empty list, unless the record has a list under the key. */
void record_add_list(struct record *record, const char *key);

/* Copy facts to an inner object: "name" becomes "device.name". */
void record_add_object(
	struct record *record, const char *key, const struct facts *facts);

/* Return the borrowed facts of an inner object. */
struct facts record_object(const struct record *record, const char *key);

/* Return the list under a key, or an empty list. The rows are borrowed. */
struct record_list record_find_list(
	const struct record *record, const char *key);
struct facts record_list_row(const struct record_list *list, size_t i);
const char *record_list_text(const struct record_list *list, size_t i);

static inline bool record_has_flag(const struct record *record, const char *key)
{
	return facts_flag(&record->facts, key);
}

/* Write a record as a line of JSON, and read the line: -EINVAL if invalid. */
int record_write(const struct record *record, FILE *out);
int record_read(struct record *record, const char *text, size_t bytes);

int record_print_list(
	const struct record_list *list, FILE *out, struct error *err);

/* Append the record of a test, and leave *test empty. */
bool run_facts_add_test(struct run_facts *run, struct record *test);

#endif
