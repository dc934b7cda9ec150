/* Cuts from a record what identifies its machine. */
#ifndef C2C_ANONYMOUS_H
#define C2C_ANONYMOUS_H

#include "result/result.h"

/*
 * Cut the names of its hosts, wherever a text has one beside other words,
 * paths, addresses of users, variables of the environment, flags of the
 * compiler, the local part of the kernel's release, sentences for people, keys
 * that this version does not know, and from the topology what
 * xml_make_anonymous() cuts. Twice is the same as once. -ENOMEM.
 */
int result_make_anonymous(struct result *result, struct error *err);

#endif
