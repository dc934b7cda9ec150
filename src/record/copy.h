/* Functions that empty, copy, release and compare structs that have a table. */
#ifndef C2C_COPY_H
#define C2C_COPY_H

#include "record/field.h"

/* Empty a struct: numbers NaN; FIELD_INT, INT64 and SWITCH -1; others 0. */
void struct_init(const struct record_type *type, void *into);

void struct_release(const struct record_type *type, void *from);

/*
 * Copy a struct and the data behind its pointers. Return false if out of
 * memory; then the caller releases nothing.
 */
bool struct_copy(const struct record_type *type, void *to, const void *from);

/* Return whether two structs have equal fields. NaN equals NaN. */
bool struct_same(const struct record_type *type, const void *a, const void *b);

#endif
