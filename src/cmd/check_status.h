/* The exit status of a check: of --audit, --threshold, and c2c check. */
#ifndef C2C_CHECK_STATUS_H
#define C2C_CHECK_STATUS_H

#include <stdbool.h>

#include "result/machine_check.h"

/* An enum exit_status. What nobody can tell has one only if strict. */
int check_status(enum check_answer answer, bool strict);

#endif
