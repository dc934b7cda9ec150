/* Makes the objects "machine" and "tool" of a result. */
#include "result/describe.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "record/pack.h"
#include "result/known_facts.h"

/* Compiler flags from the user who ran configure. */
#ifndef C2C_CFLAGS
#define C2C_CFLAGS ""
#endif

#ifdef __clang__
#define COMPILER __VERSION__
#else
#define COMPILER "gcc " __VERSION__
#endif

/* Members for the object "machine" and for c2c info. */
struct described_machine {
	struct machine_facts facts; /* borrowed */
	const char *clock_source;
	double clock_hz, clock_step_ns;
	int clock_invariant; /* -1: unknown */
};

#define WARNING(...) ROW(machine_warning, TEXT, __VA_ARGS__, .bytes = true)

static const struct record_field warning_rows[] = {
	WARNING(what, "what", "Description of the disturbance"),
	WARNING(remedy, "remedy",
		"What the user can do against the disturbance"),
	{0},
};

static RECORD_TYPE(warning, machine_warning, "A disturbance of measurements");

#define MAYBE(kind, member, key, ...)                                          \
	ROW_OR_NULL(described_machine, kind, member, key, __VA_ARGS__)
#define TEXT(member, key, ...)                                                 \
	MAYBE(TEXT, facts.member, key, __VA_ARGS__, .bytes = true)
#define COUNT(member, key, ...) MAYBE(INT, facts.member, key, __VA_ARGS__)

static const struct record_field clock_rows[] = {
	MAYBE(TEXT, clock_source, "source",
		"Name of the clock: tsc, cntvct or clock_monotonic_raw"),
	MAYBE(NUMBER, clock_hz, "hz", "Frequency of the clock", .unit = "Hz"),
	MAYBE(SWITCH, clock_invariant, "invariant",
		"Whether the clock has the same frequency in every power "
		"state"),
	MAYBE(NUMBER, clock_step_ns, "step_ns",
		"Smallest step between two readings of the clock", .unit = "ns",
		.later = true),
	{0},
};

static RECORD_TYPE(
	clock, described_machine, "The clock that timed the samples");

static const struct record_field huge_pages_rows[] = {
	TEXT(thp, "thp",
		"Kernel setting for transparent huge pages: always, madvise or "
		"never"),
	MAYBE(INT64, facts.hugetlb_bytes, "hugetlb_size_bytes",
		"Size of a default huge page", .unit = "bytes"),
	MAYBE(INT64, facts.hugetlb_total, "hugetlb_total",
		"Number of reserved huge pages"),
	MAYBE(INT64, facts.hugetlb_free, "hugetlb_free",
		"Number of reserved huge pages that are free"),
	{0},
};

static RECORD_TYPE(huge_pages, described_machine, "Huge pages of the machine");

static const struct record_field machine_rows[] = {
	TEXT(hostname, "hostname", "Name of the host"),
	TEXT(cpu_model, "cpu_model", "Model of the CPUs"),
	TEXT(arch, "arch", "Architecture, as in uname -m"),
	TEXT(kernel, "kernel", "Name and release of the kernel"),
	TEXT(hypervisor, "hypervisor",
		"Name of the hypervisor; null if c2c found no hypervisor"),
	TEXT(microcode, "microcode", "Revision of the microcode"),
	TEXT(governor, "governor",
		"Frequency governor of the CPUs; mixed if CPUs have different "
		"governors"),
	MAYBE(SWITCH, facts.smt, "smt", "Whether cores have SMT siblings"),
	MAYBE(SWITCH, facts.boost, "boost",
		"Whether the firmware and the kernel allow turbo frequencies"),
	ROW_INNER(clock_type, "clock", "The clock that timed the samples"),
	COUNT(packages, "packages", "Number of packages"),
	COUNT(numa_nodes, "numa_nodes", "Number of NUMA nodes"),
	COUNT(llcs, "llcs", "Number of last-level caches"),
	COUNT(cores, "cores", "Number of physical cores"),
	COUNT(cpus_online, "cpus_online", "Number of online CPUs"),
	ROW_INNER(huge_pages_type, "huge_pages", "Huge pages of the machine"),
	ROW(described_machine, LIST, facts.warnings, "warnings",
		"Disturbances of measurements, with remedies",
		.count = offsetof(struct described_machine, facts.n_warnings),
		.type = &warning_type),
	{0},
};

RECORD_TYPE(machine, described_machine,
	"The machine, as its operating system describes it");

static const struct record_field cpu_lists_rows[] = {
	ROW(described_machine, CPUS, facts.online, "online", "Online CPUs"),
	ROW(described_machine, CPUS, facts.offline, "offline", "Offline CPUs"),
	ROW(described_machine, CPUS, facts.allowed, "allowed",
		"CPUs that this process may use"),
	ROW(described_machine, CPUS, facts.isolated, "isolated",
		"CPUs that the kernel option isolcpus= isolates"),
	{0},
};

static RECORD_TYPE(cpu_lists, described_machine, "CPUs by their state");

static json_t *make_bytes(const void *from, const struct pack_context *context)
{
	const struct machine_cache *cache = from;

	(void)context;
	return cache->bytes ? json_integer((json_int_t)cache->bytes)
			    : json_null();
}

static const struct record_field llc_rows[] = {
	ROW(machine_cache, COUNT, level, "level",
		"Level of the cache: 3 for an L3"),
	ROW_MADE(machine_cache, make_bytes, INT64, bytes, "bytes",
		"Size of the cache", .unit = "bytes", .nullable = true),
	ROW(machine_cache, CPUS, cpus, "cpus", "CPUs that share the cache"),
	{0},
};

static RECORD_TYPE(llc, machine_cache, "A last-level cache");

static const struct record_field node_rows[] = {
	ROW(machine_node, INT, node, "node",
		"Number of the NUMA node in Linux"),
	ROW(machine_node, CPUS, cpus, "cpus", "CPUs of the NUMA node"),
	ROW(machine_node, INT64, memory_bytes, "memory_bytes",
		"Size of the node's memory; 0 if the node has no memory, or "
		"the size is unknown for every node",
		.unit = "bytes"),
	{0},
};

static RECORD_TYPE(node, machine_node, "A NUMA node");

static const struct record_field cpu_kind_rows[] = {
	ROW_OR_NULL(machine_cpu_kind, INT, efficiency, "efficiency",
		"Rank by power efficiency, from 0 for the most efficient kind"),
	ROW(machine_cpu_kind, TEXT, description, "description",
		"hwloc's description of the kind"),
	ROW(machine_cpu_kind, CPUS, cpus, "cpus", "CPUs of the kind"),
	{0},
};

static RECORD_TYPE(cpu_kind, machine_cpu_kind, "A kind of CPU");

/* A row for a list in struct machine_facts. */
#define OF_FACTS(member, key, about_, type_)                                   \
	ROW(described_machine, LIST, facts.member, key, about_,                \
		.count = offsetof(struct described_machine, facts.n_##member), \
		.type = &(type_))

static const struct record_field info_rows[] = {
	ROW_INNER(machine_type, "machine", "The machine, as in a record"),
	ROW_INNER(cpu_lists_type, "cpus", "CPUs by their state"),
	OF_FACTS(caches, "caches", "The last-level caches", llc_type),
	OF_FACTS(nodes, "numa_nodes", "The NUMA nodes", node_type),
	OF_FACTS(kinds, "cpu_kinds",
		"Kinds of CPUs; empty if all CPUs are alike", cpu_kind_type),
	MAYBE(NUMBER, facts.load_1min, "load_1min",
		"Load average of the machine over the last minute"),
	{0},
};

const struct record_type info_type = {
	.name = "info",
	.about = "The output of c2c info --json",
	.format = "c2c-info",
	.version = 1,
	.fields = info_rows,
	.bytes = sizeof(struct described_machine),
};

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

static struct described_machine describe_machine(
	const struct machine *machine, const struct timebase *timebase)
{
	struct described_machine described = {
		.facts = *machine_facts(machine),
		.clock_hz = NAN,
		.clock_step_ns = NAN,
		.clock_invariant = -1,
	};

	if (described.facts.load_1min < 0)
		described.facts.load_1min = NAN;
	if (timebase) {
		described.clock_source = timebase->source;
		described.clock_hz = timebase->hz;
		described.clock_invariant = timebase->invariant;
		/* No clock has a step below 0.1 ns. */
		described.clock_step_ns = round(timebase->step_ns * 10) / 10;
	}
	return described;
}

int describe_result(struct result *result, const char *command,
	const struct cpu_list *cpus, const struct machine *machine,
	const struct timebase *timebase, struct error *err)
{
	struct described_machine described =
		describe_machine(machine, timebase);
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
	facts_set_struct(&result->machine, &machine_type, &described);
	/* A topology without some of the CPUs would be wrong. */
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
	struct described_machine described =
		describe_machine(machine, timebase);

	return record_to_text(&info_type, &described, 0);
}
