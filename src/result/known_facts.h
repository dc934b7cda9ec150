/*
 * Tables for facts that have no member in a struct. A struct facts may have
 * other keys, too.
 */
#ifndef C2C_KNOWN_FACTS_H
#define C2C_KNOWN_FACTS_H

#include "record/field.h"

/* The objects "tool", "machine" (see describe.c) and "options". */
extern const struct record_type tool_type, machine_type, options_type;

/* Keys of the object "run" that have no member in struct run_facts. */
extern const struct record_type run_known_type;

/* A test of c2c cl, and an OpenCL device. */
extern const struct record_type cl_test_type, cl_device_type;

#endif
