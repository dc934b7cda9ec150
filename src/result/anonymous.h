/* Removes data that identifies the machine from a record. */
#ifndef C2C_ANONYMOUS_H
#define C2C_ANONYMOUS_H

#include "result/result.h"

/*
 * Remove host names, paths, addresses, environment variables, compiler flags,
 * the local part of the kernel release, sentences and unknown keys.
 * xml_make_anonymous() edits the topology. Idempotent. -ENOMEM.
 */
int result_make_anonymous(struct result *result, struct error *err);

#endif
