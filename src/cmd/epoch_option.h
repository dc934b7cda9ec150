/*
 * The option --epoch: take the part of a run when no CPU moved, not all of it.
 */
#ifndef C2C_EPOCH_OPTION_H
#define C2C_EPOCH_OPTION_H

#include <stdint.h>

#include "cmd/unit_option.h"
#include "result/result.h"
#include "util/error.h"

/* The number of an epoch counts from 1; 0: the whole run is meant. */
#define EPOCH_LAST UINT64_MAX

/* The row of this option; *epoch is 0 before. */
struct option_table epoch_option_table(uint64_t *epoch);

/*
 * Load the result at path as unit_option_load_result() does, or the epoch of it
 * that was chosen. Release *result with result_release() after success only.
 * Messages name the file.
 */
int epoch_option_load_result(uint64_t epoch, const struct unit_choice *unit,
	const char *path, struct result *result, struct error *err);

/* Put the epoch, not 0, of a result in its place; path is its name. */
int epoch_option_extract(uint64_t epoch, const char *path,
	struct result *result, struct error *err);

#endif
