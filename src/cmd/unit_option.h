/*
 * The options --unit and --better, for a .csv that does not state its unit and
 * direction. Most .csv files of other tools do not state them.
 */
#ifndef C2C_UNIT_OPTION_H
#define C2C_UNIT_OPTION_H

#include "cmd/option.h"
#include "result/result.h"
#include "util/error.h"

struct unit_choice {
	const char *unit; /* NULL: ns, lower is better */
	enum {
		UNIT_BETTER, /* the default for the unit */
		UNIT_HIGHER,
		UNIT_LOWER
	} better;
	const char
		*warn_command; /* name of the command for warnings, or NULL */
};

/* Return the rows of --unit and --better; *choice must be zeroed before. */
struct option_table unit_option_table(struct unit_choice *choice);

/*
 * Load the result at path. If its topology is unusable, warn and drop it. The
 * choice is for a .csv that does not state its contents. Return -EINVAL
 * (ERROR_USAGE) if the file contradicts the choice. Call result_release() only
 * after success. Messages name the file.
 */
int unit_option_load_result(const struct unit_choice *choice, const char *path,
	struct result *result, struct error *err);

/* Apply the choice to a loaded result; release it on failure. */
int unit_option_apply(const struct unit_choice *choice, const char *path,
	struct result *result, struct error *err);

#endif
