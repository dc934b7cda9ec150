/*
 * Read structs from JSON by their tables.
 *
 * Each value has a node with the path to it. The first failure ends the
 * reading. A value that was read leaves its object; the remaining keys are from
 * newer versions.
 */
#ifndef C2C_UNPACK_H
#define C2C_UNPACK_H

#include "record/pack.h"

/*
 * Fill an empty struct with the object of a stream; the caller releases it even
 * after a failure. A message names the path of the error, what was found and
 * what was expected; type->about names the expected object.
 */
int unpack_stream(const struct record_type *type, void *into,
	json_load_callback_t read, void *stream, struct error *err);

/*
 * Fill an empty struct from text[n], in a tenth of the time. Return false if
 * the text is no record, or an unusual one: then unpack_stream() reports the
 * error.
 */
bool unpack_text(
	const struct record_type *type, void *into, const char *text, size_t n);

/* Functions for the hooks of tables. */

/* Flags for the types of JSON. */
#define NODE_OBJECT  (1u << JSON_OBJECT)
#define NODE_ARRAY   (1u << JSON_ARRAY)
#define NODE_STRING  (1u << JSON_STRING)
#define NODE_INTEGER (1u << JSON_INTEGER)
#define NODE_NUMBER  (NODE_INTEGER | 1u << JSON_REAL)
#define NODE_BOOLEAN (1u << JSON_TRUE | 1u << JSON_FALSE)

struct record_input;

/* A value of the file: the root, a member or an item of another. */
struct record_node {
	struct record_input *in;
	const struct record_node *up;
	const char *key; /* NULL: it is an item */
	size_t index;
	json_t *value; /* borrowed; NULL: nothing */
	void *into;    /* the struct that an object is read into, or NULL */
};

struct record_node node_member(const struct record_node *up, const char *key);
struct record_node node_item(const struct record_node *up, size_t i);

/* Return the struct around the struct of a node. */
void *node_around(const struct record_node *node);

/* Fail, unless there was a failure before. */
void node_fail(const struct record_node *node, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void node_fail_memory(const struct record_node *node);
bool node_has_failed(const struct record_node *node);

/* Return whether a value is missing or null. */
bool node_is_null(const struct record_node *node);

bool node_is_of_types(const struct record_node *node, unsigned types);

/* Check a value, or an array; false after any failure. */
bool node_expect_type(
	const struct record_node *node, unsigned types, const char *expected);
bool node_has_at_most(
	const struct record_node *node, size_t most, const char *items);
bool node_has_items(const struct record_node *node, size_t n, const char *items,
	const char *per);

/* Check both sides of an array of arrays, which grids_take() may have taken. */
bool node_has_shape(const struct record_node *rows, size_t n, size_t columns,
	const char *per_row, const char *per_column);
size_t node_count_rows(const struct record_node *rows);
bool node_is_taken(const struct record_node *rows);

size_t node_array_size(const struct record_node *node);

/* Read at most this many numbers of CPUs or nodes, all different. */
void node_read_members(const struct record_node *node, struct cpu_list *members,
	const char *word, size_t most);

/* Return the place of a text among words. */
unsigned node_read_word(
	const struct record_node *node, const char *const *words);

#endif
