/* The option --epoch: use only one epoch of a run. */
#ifndef C2C_EPOCH_OPTION_H
#define C2C_EPOCH_OPTION_H

#include <stdint.h>

#include "cmd/unit_option.h"
#include "result/result.h"
#include "util/error.h"

/* Value of --epoch last; epochs are counted from 1, and 0 is the whole run. */
#define EPOCH_LAST UINT64_MAX

/* Return the row of --epoch; *epoch must be 0 before. */
struct option_table epoch_option_table(uint64_t *epoch);

/*
 * Load the result at path as unit_option_load_result() does, and extract the
 * epoch unless 0. Call result_release() only after success. Messages name the
 * file.
 */
int epoch_option_load_result(uint64_t epoch, const struct unit_choice *unit,
	const char *path, struct result *result, struct error *err);

/* Replace a result by one of its epochs (not 0). path is its name. */
int epoch_option_extract(uint64_t epoch, const char *path,
	struct result *result, struct error *err);

#endif
