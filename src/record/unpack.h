/*
 * Reads structs from JSON by their tables.
 *
 * A node is a value and its path. The reader stops at the first error. The
 * reader removes each value that it reads from the JSON object. The remaining
 * keys come from newer versions.
 */
#ifndef C2C_UNPACK_H
#define C2C_UNPACK_H

#include "record/pack.h"

/*
 * Fill an empty struct from the JSON object of a stream. The caller releases
 * the struct even after an error. The error has the path, the found and the
 * expected value.
 */
int unpack_stream(const struct record_type *type, void *into,
	json_load_callback_t read, void *stream, struct error *err);

/*
 * Fill an empty struct from text[n], ten times faster than unpack_stream().
 * Return false if the text has an error or unusual numbers; then the caller
 * uses unpack_stream().
 */
bool unpack_text(
	const struct record_type *type, void *into, const char *text, size_t n);

/* Functions for read(), begin() and end() of tables. */

/* JSON types as flags. */
#define NODE_OBJECT  (1u << JSON_OBJECT)
#define NODE_ARRAY   (1u << JSON_ARRAY)
#define NODE_STRING  (1u << JSON_STRING)
#define NODE_INTEGER (1u << JSON_INTEGER)
#define NODE_NUMBER  (NODE_INTEGER | 1u << JSON_REAL)
#define NODE_BOOLEAN (1u << JSON_TRUE | 1u << JSON_FALSE)

struct record_input;

/* A value of the file: the root, a member of an object, or an array item. */
struct record_node {
	struct record_input *in;
	const struct record_node *up;
	const char *key; /* key of a member; NULL for an item */
	size_t index;
	json_t *value; /* borrowed; NULL: nothing */
	void *into;    /* struct that receives the object, or NULL */
};

struct record_node node_member(const struct record_node *up, const char *key);
struct record_node node_item(const struct record_node *up, size_t i);

/* Return the outer struct of a node's struct. */
void *node_around(const struct record_node *node);

void node_fail(const struct record_node *node, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void node_fail_memory(const struct record_node *node);
bool node_has_failed(const struct record_node *node);

bool node_is_null(const struct record_node *node);

bool node_is_of_types(const struct record_node *node, unsigned types);

/* Check the type or the length of a value. Return false after an error. */
bool node_expect_type(
	const struct record_node *node, unsigned types, const char *expected);
bool node_has_at_most(
	const struct record_node *node, size_t most, const char *items);
bool node_has_items(const struct record_node *node, size_t n, const char *items,
	const char *per);

/* Check the numbers of rows and columns, also of a grid from grids_take(). */
bool node_has_shape(const struct record_node *rows, size_t n, size_t columns,
	const char *per_row, const char *per_column);
size_t node_count_rows(const struct record_node *rows);
bool node_is_taken(const struct record_node *rows);

size_t node_array_size(const struct record_node *node);

/* Read at most `most` different numbers of CPUs or nodes. */
void node_read_members(const struct record_node *node, struct cpu_list *members,
	const char *word, size_t most);

/* Return the index of the node's text in words. */
unsigned node_read_word(
	const struct record_node *node, const char *const *words);

#endif
