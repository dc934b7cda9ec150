/*
 * The blocks "machine" and "tool" of a result: facts as JSON, null for what
 * cannot be known.
 */
#include "result/describe.h"

#include <math.h>
#include <stdbool.h>

#include "result/format.h"

/* Set by configure through config.h: the flags that the user built with. */
#ifndef C2C_CFLAGS
#define C2C_CFLAGS ""
#endif

#ifdef __clang__
#define COMPILER __VERSION__
#else
#define COMPILER "gcc " __VERSION__
#endif

/*
 * Text that is not UTF-8 or holds control characters (firmware may hold any)
 * cannot be told either: files with these are refused.
 */
static json_t *text_or_null(const char *text)
{
	json_t *value = text ? json_string(text) : NULL;

	if (value && !format_flaw(value, false))
		return value;
	json_decref(value);
	return json_null();
}

static json_t *count_or_null(long long count)
{
	return count < 0 ? json_null() : json_integer(count);
}

static json_t *switch_or_null(int state)
{
	return state < 0 ? json_null() : json_boolean(state);
}

json_t *describe_tool(void)
{
	return json_pack("{s:s, s:s, s:s}", "version", PACKAGE_VERSION,
		"compiler", COMPILER, "cflags", C2C_CFLAGS);
}

static json_t *describe_clock(const struct timebase *timebase)
{
	/* No clock of ours has steps under a tenth of a nanosecond. */
	return json_pack("{s:s, s:f, s:b, s:f}", "source", timebase->source,
		"hz", timebase->hz, "invariant", timebase->invariant, "step_ns",
		round(timebase->step_ns * 10) / 10);
}

static json_t *describe_huge_pages(const struct machine_facts *facts)
{
	return json_pack("{s:o, s:o, s:o, s:o}", "thp",
		text_or_null(facts->thp), "hugetlb_size_bytes",
		count_or_null(facts->hugetlb_bytes), "hugetlb_total",
		count_or_null(facts->hugetlb_total), "hugetlb_free",
		count_or_null(facts->hugetlb_free));
}

static json_t *describe_warnings(const struct machine_facts *facts)
{
	json_t *warnings = json_array();

	for (size_t i = 0; warnings && i < facts->n_warnings; i++) {
		const struct machine_warning *warning = &facts->warnings[i];

		if (json_array_append_new(warnings,
			    json_pack("{s:o, s:o}", "what",
				    text_or_null(warning->what), "remedy",
				    text_or_null(warning->remedy))) < 0) {
			json_decref(warnings);
			return NULL;
		}
	}
	return warnings;
}

json_t *describe_machine(
	const struct machine *machine, const struct timebase *timebase)
{
	const struct machine_facts *facts = machine_facts(machine);
	json_t *object = json_object();
	int rc = 0;

	if (!object)
		return NULL;
	rc |= json_object_set_new(
		object, "hostname", text_or_null(facts->hostname));
	rc |= json_object_set_new(
		object, "cpu_model", text_or_null(facts->cpu_model));
	rc |= json_object_set_new(object, "arch", text_or_null(facts->arch));
	rc |= json_object_set_new(
		object, "kernel", text_or_null(facts->kernel));
	rc |= json_object_set_new(
		object, "hypervisor", text_or_null(facts->hypervisor));
	rc |= json_object_set_new(
		object, "microcode", text_or_null(facts->microcode));
	rc |= json_object_set_new(
		object, "governor", text_or_null(facts->governor));
	rc |= json_object_set_new(object, "smt", switch_or_null(facts->smt));
	rc |= json_object_set_new(
		object, "boost", switch_or_null(facts->boost));
	rc |= json_object_set_new(object, "clock", describe_clock(timebase));
	rc |= json_object_set_new(
		object, "packages", count_or_null(facts->packages));
	rc |= json_object_set_new(
		object, "numa_nodes", count_or_null(facts->numa_nodes));
	rc |= json_object_set_new(object, "llcs", count_or_null(facts->llcs));
	rc |= json_object_set_new(object, "cores", count_or_null(facts->cores));
	rc |= json_object_set_new(
		object, "cpus_online", count_or_null(facts->cpus_online));
	rc |= json_object_set_new(
		object, "huge_pages", describe_huge_pages(facts));
	rc |= json_object_set_new(object, "warnings", describe_warnings(facts));
	if (rc != 0) {
		json_decref(object);
		return NULL;
	}
	return object;
}
