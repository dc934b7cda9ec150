/* The exit status for --audit, --threshold, and c2c check. */
#ifndef C2C_CHECK_STATUS_H
#define C2C_CHECK_STATUS_H

#include <stdbool.h>

#include "result/machine_check.h"

/* Return an enum exit_status. strict: CHECK_UNKNOWN has its own. */
int check_status(enum check_answer answer, bool strict);

#endif
