/* Cuts from a record what identifies its machine. */
#ifndef C2C_ANONYMOUS_H
#define C2C_ANONYMOUS_H

#include "result/result.h"

/*
 * Cut the name of the host, wherever a text has it, paths, variables of the
 * environment, flags of the compiler, the local part of the kernel's release,
 * sentences for people, keys that this version does not know, and in the
 * topology what xml_make_anonymous() cuts. Twice is the same as once. -ENOMEM.
 */
int result_make_anonymous(struct result *result, struct error *err);

#endif
