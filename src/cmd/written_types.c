#include "cmd/written_types.h"

#include <stdio.h>
#include <stdlib.h>

#include "cmd/watch/watch_log.h"
#include "commands.h"
#include "record/schema.h"
#include "result/analysis.h"
#include "result/comparison.h"
#include "result/describe.h"
#include "result/fields.h"
#include "result/known_facts.h"
#include "result/machine_check.h"
#include "result/neighbours.h"
#include "result/program_trial.h"

int written_types_print(void)
{
	static const struct record_type *const types[] = {&result_type,
		&info_type, &analysis_type, &comparison_type, &check_type,
		&event_type, &neighbours_type, &trial_type, &cl_device_type,
		NULL};
	char *schema = record_schema(types);

	if (!schema) {
		fputs("c2c: not enough memory for the schema\n", stderr);
		return STATUS_FAILED;
	}
	fputs(schema, stdout);
	free(schema);
	return STATUS_DONE;
}
