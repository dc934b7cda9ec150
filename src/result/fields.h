/*
 * Tables that map the members of a struct to keys in JSON, for writing and for
 * reading. Private to src/result.
 */
#ifndef C2C_FIELDS_H
#define C2C_FIELDS_H

#include "record/pack.h"

/* Without "format" and "version". */
extern const struct record_field fields_of_result[];
extern const struct record_field fields_of_topology[];

/* Without "values", "pairs" and "start_s" of matrices and passes. */
extern const struct record_field fields_of_matrix[];
extern const struct record_field fields_of_passes[];
extern const struct record_field fields_of_curve[];
extern const struct record_field fields_of_cache[];
extern const struct record_field fields_of_tlb[];

#endif
