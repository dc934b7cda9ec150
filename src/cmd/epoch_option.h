/*
 * The option --epoch: take the part of a run when no CPU moved, not all of it.
 */
#ifndef C2C_EPOCH_OPTION_H
#define C2C_EPOCH_OPTION_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd/unit_option.h"
#include "result/result.h"
#include "util/error.h"

struct epoch_choice {
	bool is_given;	 /* or the whole run is meant */
	uint64_t number; /* from 1; 0: the last */
};

/* The row of this option; *choice is all zero before. */
struct option_table epoch_option_table(struct epoch_choice *choice);

/*
 * Load the result at path as unit_option_load_result() does, or the epoch of it
 * that was chosen. Release *result with result_release() after success only.
 * Messages name the file.
 */
int epoch_option_load_result(const struct epoch_choice *choice,
	const struct unit_choice *unit, const char *path, struct result *result,
	struct error *err);

#endif
