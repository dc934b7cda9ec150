/*
 * Tables of the facts that some command writes and no struct holds: for the
 * schema and the manual. A struct facts takes any other key, too.
 */
#ifndef C2C_KNOWN_FACTS_H
#define C2C_KNOWN_FACTS_H

#include "record/field.h"

/* The blocks "tool", "machine" (see describe.c) and "options". */
extern const struct record_type tool_type, machine_type, options_type;

/* Keys of the block "run" besides those of struct run_facts. */
extern const struct record_type run_known_type;

/* For c2c cl: a test in a record, and a device, also in its list. */
extern const struct record_type cl_test_type, cl_device_type;

#endif
