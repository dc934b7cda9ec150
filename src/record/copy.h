/* Empty, copy, release and compare structs by their tables. */
#ifndef C2C_COPY_H
#define C2C_COPY_H

#include "record/field.h"

/* Make empty: numbers NaN; FIELD_INT, FIELD_INT64, FIELD_SWITCH -1; else 0. */
void struct_init(const struct record_type *type, void *into);

/* Free what a struct owns, and make it empty. */
void struct_release(const struct record_type *type, void *from);

/*
 * Copy a struct, with everything that the table has behind pointers. Without
 * memory return false, with nothing to release.
 */
bool struct_copy(const struct record_type *type, void *to, const void *from);

/* Return whether all fields of both are equal; NaN equals NaN. */
bool struct_same(const struct record_type *type, const void *a, const void *b);

#endif
