/*
 * The tables of a record.
 */
#ifndef C2C_FIELDS_H
#define C2C_FIELDS_H

#include "record/unpack.h"

extern const struct record_type result_type;
extern const struct record_type matrix_type;
extern const struct record_type passes_type;
extern const struct record_type curve_type;
extern const struct record_type cache_type;
extern const struct record_type tlb_type;
extern const struct record_type line_profile_type;
extern const struct record_type run_type;
extern const struct record_type skipped_type;
extern const struct record_type test_type;

/* Allocate values, which are NaN. Return false if out of memory. */
struct matrix;
struct passes;
bool matrix_make_room(struct matrix *matrix, size_t n);
bool passes_make_room(struct passes *passes, size_t n_pairs, size_t n_passes);

/* Functions of the tables, in json.c. */
int result_version(const void *from);
void begin_result(const struct record_node *node, void *into);
void end_result(const struct record_node *node, void *into);
void begin_matrix(const struct record_node *node, void *into);
void end_matrix(const struct record_node *node, void *into);
json_t *pack_node_axis(const void *from, const struct pack_context *context);
struct grid_members matrix_members(const void *around);
void begin_passes(const struct record_node *node, void *into);
void print_pass_pairs(
	FILE *out, const void *from, const struct pack_context *context);
void read_pairs(const struct record_node *pairs, void *into);
void begin_curve(const struct record_node *node, void *into);
void end_curve(const struct record_node *node, void *into);
void end_cache(const struct record_node *node, void *into);
void end_tlb(const struct record_node *node, void *into);
void end_line_profile(const struct record_node *node, void *into);
void end_run(const struct record_node *node, void *into);

#endif
