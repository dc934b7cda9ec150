/* Removes from a record all that identifies its machine. */
#ifndef C2C_ANONYMOUS_H
#define C2C_ANONYMOUS_H

#include "result/result.h"

/*
 * Cut the names of its hosts (also inside other text), paths, user addresses,
 * environment variables, compiler flags, the local part of the kernel release,
 * sentences, and unknown keys; xml_make_anonymous() cuts the topology.
 * Idempotent. -ENOMEM.
 */
int result_make_anonymous(struct result *result, struct error *err);

#endif
