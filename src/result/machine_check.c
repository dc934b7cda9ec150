/* Builds the findings of a check, and makes their JSON. */
#include "result/machine_check.h"

#include <math.h>
#include <stdarg.h>

#include "record/pack.h"
#include "result/analysis.h"

const char *const check_answers[] = {
	[CHECK_HOLDS] = "holds",
	[CHECK_UNKNOWN] = "cannot-tell",
	[CHECK_FAILS] = "does-not-hold",
	NULL,
};

struct check_finding *check_add(struct machine_check *check,
	struct arena *arena, enum check_answer answer, const char *code,
	const char *format, ...)
{
	struct check_finding *finding;
	va_list args;

	check->findings = arena_grow(
		arena, check->findings, check->n, sizeof(*check->findings));
	finding = &check->findings[check->n++];
	*finding = (struct check_finding){.code = code,
		.name = code,
		.answer = answer,
		.value = NAN,
		.limit = NAN};
	va_start(args, format);
	finding->text = arena_vformat(arena, format, args);
	va_end(args);
	return finding;
}

void check_name_cpus(struct check_finding *finding, const unsigned *cpus,
	size_t n, struct arena *arena)
{
	finding->cpus =
		(struct cpu_list){arena_copy(arena, cpus, n, sizeof(*cpus)), n};
}

enum check_answer check_conclude(const struct machine_check *check)
{
	enum check_answer worst = CHECK_HOLDS;

	for (size_t i = 0; i < check->n; i++) {
		if (check->findings[i].answer > worst)
			worst = check->findings[i].answer;
	}
	return worst;
}

static const struct record_field check_finding_rows[] = {
	ROW(check_finding, TEXT, code, "code",
		"Code that identifies the finding"),
	ROW(check_finding, WORD, answer, "answer",
		"Whether the checked property holds", .words = check_answers),
	ROW(check_finding, TEXT, text, "text",
		"Sentence that describes the finding", .bytes = true),
	ROW(check_finding, CPUS, cpus, "cpus",
		"CPUs that the finding concerns"),
	ROW_OR_NULL(check_finding, NUMBER, value, "value",
		"Value that c2c compared with the limit"),
	ROW_OR_NULL(
		check_finding, NUMBER, limit, "limit", "Limit of the value"),
	ROW_OR_NULL(check_finding, TEXT, unit, "unit",
		"Unit of the value and the limit"),
	{0},
};

static RECORD_TYPE(check_finding, check_finding, "A property that c2c checked");

static json_t *pack_conclusion(
	const void *from, const struct pack_context *context)
{
	(void)context;
	return json_string(check_answers[check_conclude(from)]);
}

static const struct record_field check_rows[] = {
	ROW_MADE(machine_check, pack_conclusion, WORD, n, "verdict",
		"Whether all checked properties hold", .words = check_answers),
	ROW_OR_NULL(machine_check, TEXT, source, "source",
		"Name of the checked file; null if c2c measured for the check",
		.bytes = true),
	ROW_OR_NULL(machine_check, TEXT, hostname, "hostname",
		"Name of the machine"),
	ROW(machine_check, LIST, findings, "findings", "The findings",
		.count = offsetof(struct machine_check, n),
		.type = &check_finding_type),
	{0},
};

RECORD_TYPE(check, machine_check, "Result of c2c check --format=json",
	.format = "c2c-check", .version = 1);

char *check_text(const struct machine_check *check)
{
	return record_to_text(&check_type, check, ANALYSIS_DIGITS);
}
