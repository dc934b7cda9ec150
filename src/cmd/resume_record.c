#include "cmd/resume_record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/wait_notice.h"
#include "result/file.h"
#include "result/sections.h"

static int keep_other_sections(
	const struct outputs *outputs, const char *path, struct error *err)
{
	const char *section;
	char *file = section_file(path, &section);

	if (!file)
		return error_no_memory(err, "the name of a file");
	free(file);
	return section ? outputs_check_not_input(outputs, "-o", path, err) : 0;
}

int resume_load(struct result *resumed, const char *path, const char *command,
	const struct outputs *outputs, struct error *err)
{
	struct wait_notice waiting;
	int rc = keep_other_sections(outputs, path, err);

	if (rc < 0)
		return rc;
	wait_notice_begin(&waiting, path, false);
	rc = result_load(resumed, path, err);
	wait_notice_end(&waiting);
	if (rc < 0) {
		error_prefix(err, "--resume");
		return rc;
	}
	if (resumed->command && strcmp(resumed->command, command) == 0)
		return 0;
	error_set(err, ERROR_USAGE, EINVAL, "it is not a record of c2c %s",
		command);
	error_prefix(err, "--resume: '%s'", path);
	return -EINVAL;
}

int resume_check_machine(const struct result *resumed,
	const struct machine *machine, const struct timebase *timebase,
	struct error *err)
{
	const struct machine_facts *facts = machine_facts(machine);
	const struct facts *there = &resumed->machine;
	const char *clock = facts_text(there, "clock.source");
	const struct {
		const char *key, *name, *here;
	} rows[] = {
		{"hostname", "host name", facts->hostname},
		{"cpu_model", "CPU model", facts->cpu_model},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *text = facts_text(there, rows[i].key);

		if (text && rows[i].here && strcmp(text, rows[i].here) != 0)
			return error_set(err, ERROR_USAGE, EINVAL,
				"it is from another machine: its %s is '%s', "
				"and here it is '%s'",
				rows[i].name, text, rows[i].here);
	}
	if (clock && strcmp(clock, timebase->source) != 0)
		return error_set(err, ERROR_USAGE, EINVAL,
			"it used the clock '%s', and this run would use '%s' "
			"(C2C_CLOCK=clock selects clock_monotonic_raw)",
			clock, timebase->source);
	return 0;
}
