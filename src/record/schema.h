/*
 * The JSON Schema of what c2c writes, from the tables of its structs.
 */
#ifndef C2C_SCHEMA_H
#define C2C_SCHEMA_H

#include "record/field.h"

/*
 * Text for free(), NULL without memory. types: what stands at the top of a
 * document, NULL ends them; a type without a format stands in a list there.
 */
char *record_schema(const struct record_type *const *types);

#endif
