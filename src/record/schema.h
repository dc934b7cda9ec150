/* Make the JSON Schema of what c2c writes, from the tables of its structs. */
#ifndef C2C_SCHEMA_H
#define C2C_SCHEMA_H

#include "record/field.h"

/*
 * Return the schema as text for free(), NULL without memory. types, which NULL
 * ends, are at the top of a document; those without a format are in a list.
 */
char *record_schema(const struct record_type *const *types);

#endif
