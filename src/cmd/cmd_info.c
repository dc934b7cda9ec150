/*
 * c2c info: report the machine as the OS describes it, the CPUs that c2c may
 * use, and what would disturb a measurement.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/cli.h"
#include "cmd/option.h"
#include "cmd/outputs.h"
#include "cmd/prose.h"
#include "commands.h"
#include "machine/machine.h"
#include "machine/timebase.h"
#include "result/describe.h"
#include "util/array.h"
#include "util/text.h"

struct info_options {
	struct options_given given;
	int verbosity;
	bool json;
	struct outputs outputs;
};

#define AT(member) offsetof(struct info_options, member)

static const struct option_row rows[] = {
	{"output", OPTION_OUTPUT, "FILE", AT(outputs),
		.help = "Write the report as JSON to FILE.json; may be given "
			"more than once",
		.more = OUTPUTS_NAME, .letter = 'o', .choice = OUTPUT_JSON},
	{"json", OPTION_FLAG, NULL, AT(json),
		.help = "Print the report as JSON (as -o - does)"},
	{"verbose", OPTION_NOTE,
		.more = "With -v c2c info also prints the version, the "
			"compiler and the compiler flags of c2c."},
};

static const char *or_unknown(const char *text)
{
	return text ? text : "unknown";
}

/* Print a count; negative: unknown. */
static void print_count(
	struct prose *prose, const char *label, int count, const char *note)
{
	if (count < 0)
		prose_row(prose, label, "unknown%s", note);
	else
		prose_row(prose, label, "%d%s", count, note);
}

static const char *cpu_numbers(
	const struct prose *prose, const struct cpu_list *cpus)
{
	return arena_adopt(prose->arena, cpu_list_format(cpus));
}

/* Return "CPU 3", "CPUs 0-3", "no CPUs". */
static const char *cpus_text(
	const struct prose *prose, const struct cpu_list *cpus)
{
	if (cpus->n == 0)
		return "no CPUs";
	return arena_format(prose->arena, "CPU%s %s", cpus->n == 1 ? "" : "s",
		cpu_numbers(prose, cpus));
}

static const char *memory_text(const struct machine_facts *facts,
	const struct machine_node *node, char text[TEXT_SIZE_BYTES])
{
	if (node->memory_bytes)
		return text_size(node->memory_bytes, text);
	/* Count the nodes without memory; 0 if no node reports its memory. */
	return cpu_list_find(&facts->memory_nodes, (unsigned)node->node) < 0
		       ? "no memory"
		       : "memory unknown";
}

static void print_nodes(struct prose *prose, const struct machine_facts *facts)
{
	char text[TEXT_SIZE_BYTES];

	print_count(prose, "NUMA nodes", facts->numa_nodes, "");
	for (size_t i = 0; i < facts->n_nodes; i++) {
		const struct machine_node *node = &facts->nodes[i];

		prose_row(prose, "", "node %d: %s, %s", node->node,
			memory_text(facts, node, text),
			cpus_text(prose, &node->cpus));
	}
}

/* Consecutive equal caches share a row. */
static void print_caches(struct prose *prose, const struct machine_facts *facts)
{
	char text[TEXT_SIZE_BYTES];

	print_count(prose, "LLCs", facts->llcs,
		facts->n_caches ? " (last-level caches)" : "");
	for (size_t i = 0, n; i < facts->n_caches; i += n) {
		const struct machine_cache *first = &facts->caches[i];
		struct text_list lists = {.text = NULL};

		for (n = 0; i + n < facts->n_caches &&
			    first[n].level == first->level &&
			    first[n].bytes == first->bytes;
			n++)
			text_list_add(&lists, "; ", "%s",
				cpu_numbers(prose, &first[n].cpus));
		prose_row(prose, "", "%zu x L%u of %s: CPU%s %s", n,
			first->level,
			first->bytes ? text_size(first->bytes, text)
				     : "size unknown",
			n == 1 && first->cpus.n == 1 ? "" : "s",
			arena_adopt(prose->arena, text_list_end(&lists)));
	}
}

/* Equal caches of a level. */
struct cache_kind {
	struct machine_cpu_cache facts;
	size_t n, n_sharing;
	struct cpu_list cpus;
};

/* Largest number of kinds of caches at a level of any machine. */
#define CACHE_KINDS 8

/* Return the kind of a cache shared by this many CPUs; NULL: too many. */
static struct cache_kind *find_cache_kind(struct cache_kind *kinds, size_t *n,
	const struct machine_cpu_cache *cache, size_t n_sharing)
{
	struct cache_kind *kind = kinds;

	for (; kind < kinds + *n; kind++) {
		if (kind->facts.bytes == cache->bytes &&
			kind->facts.line_bytes == cache->line_bytes &&
			kind->facts.ways == cache->ways &&
			kind->n_sharing == n_sharing)
			return kind;
	}
	if (*n == CACHE_KINDS)
		return NULL;
	++*n;
	kind->facts = *cache;
	kind->n_sharing = n_sharing;
	return kind;
}

/* List all caches of a level by kind, each cache once. */
static size_t list_cache_kinds(
	const struct machine *machine, unsigned level, struct cache_kind *kinds)
{
	const struct cpu_list *cpus = &machine_facts(machine)->online;
	size_t n = 0;

	for (size_t i = 0; i < cpus->n; i++) {
		struct cpu_list sharing = {.n = 0};
		struct machine_cpu_cache cache;
		struct cache_kind *kind;

		if (!machine_cpu_cache(machine, cpus->cpus[i], level, &cache) ||
			machine_cache_cpus(machine, cpus->cpus[i], level,
				&sharing, NULL) < 0)
			continue;
		kind = find_cache_kind(kinds, &n, &cache, sharing.n);
		if (kind) {
			/* Count a cache once, at its first CPU. */
			kind->n += sharing.cpus[0] == cpus->cpus[i];
			cpu_list_add(&kind->cpus, cpus->cpus[i], NULL);
		}
		cpu_list_release(&sharing);
	}
	return n;
}

/* Print "8 x 48 KiB, 12 ways, lines of 64 bytes, each of 2 CPUs". */
static void print_cache_kind(struct prose *prose, unsigned level,
	const struct cache_kind *kind, bool only, bool first)
{
	struct text_list list = {.text = NULL};
	char size[TEXT_SIZE_BYTES];

	text_list_add(&list, "", "%zu x L%u%s of %s", kind->n, level,
		level == 1 ? "d" : "",
		kind->facts.bytes ? text_size(kind->facts.bytes, size)
				  : "unknown size");
	if (kind->facts.ways)
		text_list_add(&list, ", ", "%u ways", kind->facts.ways);
	if (kind->facts.line_bytes)
		text_list_add(&list, ", ", "lines of %u bytes",
			kind->facts.line_bytes);
	text_list_add(&list, ", ", "%zu CPU%s each", kind->n_sharing,
		kind->n_sharing == 1 ? "" : "s");
	if (!only)
		text_list_add(&list, ": ", "%s", cpus_text(prose, &kind->cpus));
	prose_row(prose, first ? "Caches" : "", "%s",
		arena_adopt(prose->arena, text_list_end(&list)));
}

/* Print what the system reports about all caches; c2c cache measures them. */
static void print_all_caches(struct prose *prose, const struct machine *machine)
{
	bool first = true;

	for (unsigned level = 1; level <= MACHINE_CACHE_LEVELS; level++) {
		struct cache_kind kinds[CACHE_KINDS] = {0};
		size_t n = list_cache_kinds(machine, level, kinds);

		for (size_t i = 0; i < n; i++) {
			print_cache_kind(
				prose, level, &kinds[i], n == 1, first);
			cpu_list_release(&kinds[i].cpus);
			first = false;
		}
	}
	if (first)
		prose_row(prose, "Caches", "unknown");
}

static void print_cpu_kinds(
	struct prose *prose, const struct machine_facts *facts)
{
	if (facts->n_kinds > 0)
		prose_row(prose, "CPU kinds",
			"%zu, the most efficient class first", facts->n_kinds);
	for (size_t i = 0; i < facts->n_kinds; i++)
		prose_row(prose, "", "%s: %s",
			cpus_text(prose, &facts->kinds[i].cpus),
			facts->kinds[i].description);
}

static void print_hardware(struct prose *prose, const struct machine *machine)
{
	const struct machine_facts *facts = machine_facts(machine);
	char size[TEXT_SIZE_BYTES];

	prose_row(prose, "Machine", "%s, %s, %s", or_unknown(facts->hostname),
		or_unknown(facts->arch), or_unknown(facts->kernel));
	prose_row(prose, "CPU model", "%s", or_unknown(facts->cpu_model));
	prose_row(prose, "Microcode", "%s", or_unknown(facts->microcode));
	prose_row(prose, "Hypervisor", "%s",
		facts->hypervisor	   ? facts->hypervisor
		: facts->hypervisor_sought ? "none seen"
					   : "unknown");
	prose_row(prose, "Memory", "%s",
		facts->memory_bytes ? text_size(facts->memory_bytes, size)
				    : "unknown");
	print_count(prose, "Packages", facts->packages, "");
	print_nodes(prose, facts);
	print_caches(prose, facts);
	print_all_caches(prose, machine);
	prose_row(prose, "Cache line", "%u bytes", facts->line_bytes);
	print_count(prose, "Cores", facts->cores,
		facts->smt < 0 ? ""
		: facts->smt   ? ", SMT on"
			       : ", no SMT");
	print_cpu_kinds(prose, facts);
}

/* Count the CPUs of `all` that are not in `but`. */
static size_t count_missing(
	const struct cpu_list *all, const struct cpu_list *but)
{
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++)
		n += cpu_list_find(but, all->cpus[i]) < 0;
	return n;
}

/* Explain why this process may not use all online CPUs. */
static const char *explain_fewer_cpus(const struct machine_facts *facts)
{
	bool cpuset = count_missing(&facts->online, &facts->cpuset) > 0;
	bool affinity = count_missing(&facts->cpuset, &facts->allowed) > 0;

	return cpuset && affinity ? " (the cgroup's cpuset and the affinity of "
				    "this process exclude the others)"
	       : cpuset		  ? " (the cgroup's cpuset excludes the others)"
	       : affinity
		       ? " (the affinity of this process excludes the others)"
		       : " (all that are online)";
}

static void print_cpu_row(struct prose *prose, const char *label,
	const struct cpu_list *cpus, const char *note)
{
	if (cpus->n == 0)
		prose_row(prose, label, "none");
	else
		prose_row(prose, label, "%zu: %s%s", cpus->n,
			cpu_numbers(prose, cpus), note);
}

static void print_state(struct prose *prose, const struct machine_facts *facts,
	const struct timebase *timebase)
{
	char text[TEXT_SIZE_BYTES];

	if (timebase)
		prose_row(prose, "Clock", "%s at %.3f MHz, %s, in steps of %s",
			timebase->source, timebase->hz / 1e6,
			timebase->invariant ? "invariant" : "not invariant",
			text_time(timebase->step_ns * 1e-9, text));
	else
		prose_row(prose, "Clock", "unknown");
	prose_row(prose, "Governor", "%s", or_unknown(facts->governor));
	prose_row(prose, "Boost", "%s",
		facts->boost < 0 ? "unknown"
		: facts->boost	 ? "on"
				 : "off");
	if (facts->hugetlb_bytes < 0 || facts->hugetlb_total < 0)
		prose_row(prose, "Huge pages",
			"transparent: %s; hugetlb: unknown",
			or_unknown(facts->thp));
	else
		prose_row(prose, "Huge pages",
			"transparent: %s; hugetlb: %" PRId64
			" of %s reserved, %" PRId64 " free",
			or_unknown(facts->thp), facts->hugetlb_total,
			text_size((uint64_t)facts->hugetlb_bytes, text),
			facts->hugetlb_free);
	if (facts->load_1min < 0)
		prose_row(prose, "Load", "unknown");
	else
		prose_row(prose, "Load", "%.2f in the last minute",
			facts->load_1min);
}

static void print_warnings(const struct machine_facts *facts)
{
	if (facts->n_warnings == 0)
		printf("\nc2c found nothing that would disturb a "
		       "measurement.\n");
	else
		printf("\nWhat would disturb a measurement:\n");
	for (size_t i = 0; i < facts->n_warnings; i++) {
		printf("%3zu. ", i + 1);
		cli_wrap(stdout, facts->warnings[i].what, 5, 5);
		printf("     Remedy: ");
		cli_wrap(stdout, facts->warnings[i].remedy, 13, 13);
	}
}

/* The subject of the report. */
struct info_report {
	const struct machine *machine;
	const struct timebase *timebase;
	int verbosity;
};

static int print_report(struct arena *arena, void *context, struct error *err)
{
	const struct info_report *report = context;
	const struct machine_facts *facts = machine_facts(report->machine);
	struct prose prose = {.out = stdout, .arena = arena, .columns = 13};
	struct facts tool;

	(void)err;
	if (report->verbosity > 0) {
		tool = describe_tool();
		prose_row(&prose, "Tool", "c2c %s, %s %s",
			facts_text(&tool, "version"),
			facts_text(&tool, "compiler"),
			facts_text(&tool, "cflags"));
		facts_release(&tool);
	}
	print_hardware(&prose, report->machine);
	print_cpu_row(&prose, "Online", &facts->online, "");
	print_cpu_row(&prose, "Offline", &facts->offline, "");
	print_cpu_row(&prose, "Isolated", &facts->isolated, " (isolcpus=)");
	print_cpu_row(
		&prose, "Allowed", &facts->allowed, explain_fewer_cpus(facts));
	print_state(&prose, facts, report->timebase);
	if (report->verbosity >= 0)
		print_warnings(facts);
	return 0;
}

/* Write and print the requested output. Return the exit status. */
static int info_write_report(const struct machine *machine,
	const struct timebase *timebase, const struct info_options *options)
{
	char *json = describe_text(machine, timebase);
	const struct output_contents contents = {
		.command = "info",
		.option = "-o",
		.verbosity = options->verbosity,
		.json = json,
	};
	struct info_report report = {machine, timebase, options->verbosity};
	struct arena arena = {0};
	struct error err;
	int status, rc = 0;

	if (!json) {
		error_no_memory(&err, "the report");
		return cli_fail("info", &err);
	}
	if (outputs_finish(&options->outputs, &contents,
		    options->json || options->outputs.json, &status))
		rc = arena_run(
			&arena, print_report, &report, "the report", &err);
	arena_release(&arena);
	free(json);
	return rc < 0 ? cli_fail("info", &err) : status;
}

static int info_describe_machine(const struct info_options *options)
{
	struct timebase timebase;
	struct machine *machine;
	struct error err;
	int status;

	if (outputs_check_writable(&options->outputs, "-o", &err) < 0 ||
		machine_new(&machine, &err) < 0)
		return cli_fail("info", &err);
	/* Do not measure the clock for the topology of another machine. */
	if (machine_is_pretended(machine))
		status = info_write_report(machine, NULL, options);
	else if (timebase_init(&timebase, &err) < 0)
		status = cli_fail("info", &err);
	else
		status = info_write_report(machine, &timebase, options);
	machine_free(machine);
	return status;
}

static int run_info(int argc, char **argv)
{
	struct info_options options = {0};
	const struct option_table table = {
		rows, N_OF(rows), &options, NULL, NULL};
	const struct option_command command = {
		.name = "info",
		.doc = "Show what the operating system reports about this "
		       "machine, the CPUs that this process may use, and what "
		       "would disturb a measurement.",
		.often = "output json color quiet verbose help",
		.examples = "c2c info\tthis machine, and what disturbs\n",
		.tables = &table,
		.n_tables = 1,
		.verbosity = &options.verbosity,
		.given = &options.given,
	};
	int status = options_parse(&command, argc, argv);

	if (status == STATUS_DONE)
		status = info_describe_machine(&options);
	outputs_release(&options.outputs);
	return status;
}

const struct command cmd_info = {
	.name = "info",
	.summary = "The machine, the CPUs that c2c may use, possible "
		   "disturbances",
	.run = run_info,
};
