/*
 * What else follows from a struct's table: an empty one, a copy, the release.
 */
#ifndef C2C_COPY_H
#define C2C_COPY_H

#include "record/field.h"

/*
 * Empty: numbers are NaN, FIELD_INT64 and FIELD_SWITCH are -1, all else is 0.
 */
void struct_init(const struct record_type *type, void *into);

/* Free what it owns, and make it empty. */
void struct_release(const struct record_type *type, void *from);

/*
 * A copy of all that the table has behind pointers, and of all else as it is.
 * False, with nothing to release, without memory.
 */
bool struct_copy(const struct record_type *type, void *to, const void *from);

/* Whether the fields of both say the same; NaN is NaN. */
bool struct_same(const struct record_type *type, const void *a, const void *b);

#endif
