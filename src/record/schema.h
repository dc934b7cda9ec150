/* Makes the JSON Schema of all formats from the tables of structs. */
#ifndef C2C_SCHEMA_H
#define C2C_SCHEMA_H

#include "record/field.h"

/*
 * Return the schema as a text, or NULL if out of memory. The caller frees the
 * text. types are the outer objects of documents; NULL ends them. A document
 * may also be a list of objects without a format.
 */
char *record_schema(const struct record_type *const *types);

#endif
