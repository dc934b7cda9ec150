/*
 * The options --unit and --better: what a .csv holds if it does not say so, as
 * those of most other tools.
 */
#ifndef C2C_UNIT_OPTION_H
#define C2C_UNIT_OPTION_H

#include "cmd/option.h"
#include "result/result.h"
#include "util/error.h"

struct unit_choice {
	const char *unit; /* NULL: ns, lower is better */
	enum {
		UNIT_BETTER, /* as the unit has it */
		UNIT_HIGHER,
		UNIT_LOWER
	} better;
	const char
		*warn_command; /* the command that warns of a file, or NULL */
};

/* The rows of these options; *choice is all zero before. */
struct option_table unit_option_table(struct unit_choice *choice);

/*
 * Load the result at path, without its topology if that is of no use, with a
 * warning. The choice is for a .csv that does not say what it holds; -EINVAL
 * (ERROR_USAGE) if the file says something else. Release *result with
 * result_release() after success only. Messages name the file.
 */
int unit_option_load_result(const struct unit_choice *choice, const char *path,
	struct result *result, struct error *err);

/* The same of a result that was loaded, and is released after a failure. */
int unit_option_apply(const struct unit_choice *choice, const char *path,
	struct result *result, struct error *err);

#endif
