/*
 * The blocks "machine" and "tool" of a result, null for what cannot be known.
 */
#include "result/describe.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "result/file.h"
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

#define INFO_FORMAT  "c2c-info"
#define INFO_VERSION 1

/* A negative count is unknown. */
static void set_known_count(
	struct facts *facts, const char *key, long long count)
{
	if (count < 0)
		facts_set_unknown(facts, key);
	else
		facts_set_count(facts, key, count);
}

static void set_known_switch(struct facts *facts, const char *key, int state)
{
	if (state < 0)
		facts_set_unknown(facts, key);
	else
		facts_set_flag(facts, key, state);
}

struct facts describe_tool(void)
{
	struct facts tool = {.n = 0};

	facts_set_text(&tool, "version", PACKAGE_VERSION);
	facts_set_text(&tool, "compiler", COMPILER);
	facts_set_text(&tool, "cflags", C2C_CFLAGS);
	return tool;
}

const char *describe_jansson_version(void)
{
	return JANSSON_VERSION;
}

static json_t *warnings_json(const struct machine_facts *facts)
{
	json_t *array = json_array();

	for (size_t i = 0; i < facts->n_warnings; i++) {
		struct facts row = {.n = 0};

		facts_set_text(&row, "what", facts->warnings[i].what);
		facts_set_text(&row, "remedy", facts->warnings[i].remedy);
		json_array_append_new(array, facts_pack(&row));
		facts_release(&row);
	}
	return array;
}

static void describe_clock(struct facts *out, const struct timebase *timebase)
{
	facts_set_text(out, "clock.source", timebase ? timebase->source : NULL);
	facts_set_number(out, "clock.hz", timebase ? timebase->hz : NAN);
	set_known_switch(
		out, "clock.invariant", timebase ? timebase->invariant : -1);
	/* No clock has steps below a tenth of a nanosecond. */
	facts_set_number(out, "clock.step_ns",
		timebase ? round(timebase->step_ns * 10) / 10 : NAN);
}

static struct facts describe_machine(
	const struct machine *machine, const struct timebase *timebase)
{
	const struct machine_facts *facts = machine_facts(machine);
	struct facts out = {.n = 0};

	facts_set_text(&out, "hostname", facts->hostname);
	facts_set_text(&out, "cpu_model", facts->cpu_model);
	facts_set_text(&out, "arch", facts->arch);
	facts_set_text(&out, "kernel", facts->kernel);
	facts_set_text(&out, "hypervisor", facts->hypervisor);
	facts_set_text(&out, "microcode", facts->microcode);
	facts_set_text(&out, "governor", facts->governor);
	set_known_switch(&out, "smt", facts->smt);
	set_known_switch(&out, "boost", facts->boost);
	describe_clock(&out, timebase);
	set_known_count(&out, "packages", facts->packages);
	set_known_count(&out, "numa_nodes", facts->numa_nodes);
	set_known_count(&out, "llcs", facts->llcs);
	set_known_count(&out, "cores", facts->cores);
	set_known_count(&out, "cpus_online", facts->cpus_online);
	facts_set_text(&out, "huge_pages.thp", facts->thp);
	set_known_count(
		&out, "huge_pages.hugetlb_size_bytes", facts->hugetlb_bytes);
	set_known_count(&out, "huge_pages.hugetlb_total", facts->hugetlb_total);
	set_known_count(&out, "huge_pages.hugetlb_free", facts->hugetlb_free);
	facts_set_json(&out, "warnings", warnings_json(facts));
	return out;
}

static json_t *integer_or_null(int64_t value, bool is_known)
{
	return is_known ? json_integer(value) : json_null();
}

static json_t *caches_json(const struct machine_facts *facts)
{
	json_t *array = json_array();

	for (size_t i = 0; i < facts->n_caches; i++) {
		const struct machine_cache *cache = &facts->caches[i];

		json_array_append_new(
			array, json_pack("{s:i, s:o, s:o}", "level",
				       (int)cache->level, "bytes",
				       integer_or_null((int64_t)cache->bytes,
					       cache->bytes > 0),
				       "cpus", format_pack_cpus(&cache->cpus)));
	}
	return array;
}

static json_t *nodes_json(const struct machine_facts *facts)
{
	json_t *array = json_array();

	for (size_t i = 0; i < facts->n_nodes; i++) {
		const struct machine_node *node = &facts->nodes[i];

		json_array_append_new(array,
			json_pack("{s:i, s:o, s:I}", "node", node->node, "cpus",
				format_pack_cpus(&node->cpus), "memory_bytes",
				(json_int_t)node->memory_bytes));
	}
	return array;
}

static json_t *kinds_json(const struct machine_facts *facts)
{
	json_t *array = json_array();

	for (size_t i = 0; i < facts->n_kinds; i++) {
		const struct machine_cpu_kind *kind = &facts->kinds[i];

		json_array_append_new(
			array, json_pack("{s:o, s:s, s:o}", "efficiency",
				       integer_or_null(kind->efficiency,
					       kind->efficiency >= 0),
				       "description", kind->description, "cpus",
				       format_pack_cpus(&kind->cpus)));
	}
	return array;
}

int describe_result(struct result *result, const char *command,
	const struct cpu_list *cpus, const struct machine *machine,
	const struct timebase *timebase, struct error *err)
{
	time_t now = time(NULL);
	char started[32];
	struct tm utc;
	int rc = 0;

	strftime(started, sizeof(started), "%Y-%m-%dT%H:%M:%SZ",
		gmtime_r(&now, &utc));
	for (size_t i = 0; i < cpus->n && rc == 0; i++)
		rc = cpu_list_add(&result->cpus, cpus->cpus[i], err);
	result->command = strdup(command);
	result->started = strdup(started);
	result->complete = true;
	result->tool = describe_tool();
	result->machine = describe_machine(machine, timebase);
	/* A topology that lacks some would say wrong things of the others. */
	if (machine_has_cpus(machine, cpus))
		result->hwloc_xml = machine_export_xml(machine);
	if (rc == 0 && (!result->command || !result->started ||
			       result->tool.failed || result->machine.failed))
		rc = error_no_memory(err, "the result");
	return rc;
}

char *describe_text(
	const struct machine *machine, const struct timebase *timebase)
{
	const struct machine_facts *facts = machine_facts(machine);
	struct facts described = describe_machine(machine, timebase);
	json_t *cpus = json_pack("{s:o, s:o, s:o, s:o}", "online",
		format_pack_cpus(&facts->online), "offline",
		format_pack_cpus(&facts->offline), "allowed",
		format_pack_cpus(&facts->allowed), "isolated",
		format_pack_cpus(&facts->isolated));
	json_t *info = json_pack("{s:s, s:i, s:o, s:o, s:o, s:o, s:o, s:o}",
		"format", INFO_FORMAT, "version", INFO_VERSION, "machine",
		facts_pack(&described), "cpus", cpus, "caches",
		caches_json(facts), "numa_nodes", nodes_json(facts),
		"cpu_kinds", kinds_json(facts), "load_1min",
		format_real(facts->load_1min < 0 ? NAN : facts->load_1min));

	facts_release(&described);
	return pack_dump(info);
}
