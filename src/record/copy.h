/* Empties, copies, releases and compares structs by their tables. */
#ifndef C2C_COPY_H
#define C2C_COPY_H

#include "record/field.h"

/* Make empty: numbers NaN; FIELD_INT, FIELD_INT64, FIELD_SWITCH -1; else 0. */
void struct_init(const struct record_type *type, void *into);

/* Free what a struct owns, and make it empty. */
void struct_release(const struct record_type *type, void *from);

/*
 * Copy all that the table has behind pointers, and all else as it is. False,
 * with nothing to release, without memory.
 */
bool struct_copy(const struct record_type *type, void *to, const void *from);

/* Whether the fields of both are equal; NaN equals NaN. */
bool struct_same(const struct record_type *type, const void *a, const void *b);

#endif
