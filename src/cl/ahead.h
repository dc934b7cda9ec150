/*
 * Compiling the kernels of tests before they are measured, in processes side by
 * side: an implementation compiles one kernel at a time in a process, and keeps
 * what it compiled in a folder that all of them share. Private to src/cl; see
 * also tests_compile() in cl/cl.h.
 */
#ifndef C2C_AHEAD_H
#define C2C_AHEAD_H

#include "cl/session.h"

/*
 * Run processes that compile what test->compile() lists, unless tests_compile()
 * did, and wait for them. This process must not have called OpenCL. An
 * implementation that keeps nothing, or a process that fails, is no error: the
 * test compiles what is missing. Set session->ahead, a share of the progress.
 */
void ahead_compile(struct session *session, const struct test *test);

#endif
