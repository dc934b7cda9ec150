/*
 * Compile the kernels of tests before measuring, in parallel processes. An
 * OpenCL implementation compiles one kernel at a time in a process, and stores
 * the results in a folder that all processes share. Private to src/cl; see also
 * tests_compile() in cl/cl.h.
 */
#ifndef C2C_AHEAD_H
#define C2C_AHEAD_H

#include "cl/session.h"

/*
 * Compile a slow-to-compile test in other processes, unless tests_compile()
 * did, and wait for these processes. This process must not have called OpenCL.
 * If the implementation stores nothing or a process fails, the test itself
 * compiles the missing kernels. Set session->ahead, the share of the progress.
 */
void ahead_compile(struct session *session, const struct test *test);

/*
 * Return whether this process compiles the next program of a test. Of the
 * processes that compile a test, the first to ask takes a program; all ask in
 * the same order. Without these processes, the result is always true.
 */
bool ahead_takes_program(struct session *session);

#endif
