/*
 * Tables of the facts that commands write and that have no field in a struct,
 * for the schema and the manual. A struct facts takes any other key, too.
 */
#ifndef C2C_KNOWN_FACTS_H
#define C2C_KNOWN_FACTS_H

#include "record/field.h"

/* The blocks "tool", "machine" (see describe.c) and "options". */
extern const struct record_type tool_type, machine_type, options_type;

/* Keys of the block "run" that struct run_facts lacks. */
extern const struct record_type run_known_type;

/* For c2c cl: a test and a device in a record. */
extern const struct record_type cl_test_type, cl_device_type;

#endif
