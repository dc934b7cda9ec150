/*
 * c2c info: what does the OS say this machine is, which CPUs may I use, what
 * would disturb a measurement?
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cli.h"
#include "cmd/option.h"
#include "cmd/outputs.h"
#include "commands.h"
#include "machine/machine.h"
#include "machine/timebase.h"
#include "result/describe.h"
#include "util/array.h"
#include "util/text.h"

/* The report has labels, then values. */
#define LABEL_COLUMNS 13

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
		.more = "Here these are the program's version, compiler and "
			"compiler flags."},
};

__attribute__((format(printf, 2, 3))) static void print_info_row(
	const char *label, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = text_vformat(format, args);
	va_end(args);
	printf("%-*s", LABEL_COLUMNS, label);
	cli_print_wrapped(text ? text : "?", LABEL_COLUMNS, LABEL_COLUMNS);
	free(text);
}

static const char *or_unknown(const char *text)
{
	return text ? text : "unknown";
}

/* "unknown" for a negative count; text is the caller's buffer. */
static const char *count_text(int count, char text[12])
{
	if (count < 0)
		return "unknown";
	snprintf(text, 12, "%d", count);
	return text;
}

/* "CPU 3", "CPUs 0-3", "no CPUs"; a string for free(), or NULL. */
static char *cpus_text(const struct cpu_list *cpus)
{
	char *list, *text;

	if (cpus->n == 0)
		return strdup("no CPUs");
	list = cpu_list_format(cpus);
	text = list ? text_format("CPU%s %s", cpus->n == 1 ? "" : "s", list)
		    : NULL;
	free(list);
	return text;
}

static const char *memory_text(const struct machine_facts *facts,
	const struct machine_node *node, char text[TEXT_SIZE_BYTES])
{
	if (node->memory_bytes)
		return text_size(node->memory_bytes, text);
	/* If no node tells its memory, none is without memory. */
	return cpu_list_find(&facts->memory_nodes, (unsigned)node->node) < 0
		       ? "no memory"
		       : "memory unknown";
}

static void print_nodes(const struct machine_facts *facts)
{
	char text[TEXT_SIZE_BYTES];

	print_info_row("NUMA nodes", "%s", count_text(facts->numa_nodes, text));
	for (size_t i = 0; i < facts->n_nodes; i++) {
		const struct machine_node *node = &facts->nodes[i];
		char *cpus = cpus_text(&node->cpus);

		print_info_row("", "node %d: %s, %s", node->node,
			memory_text(facts, node, text), or_unknown(cpus));
		free(cpus);
	}
}

/* The CPU lists of n equal caches: "0-3; 4-7", for free(), or NULL. */
static char *format_cache_cpu_lists(
	const struct machine_cache *caches, size_t n)
{
	struct text_list text = {.text = NULL};

	for (size_t i = 0; i < n; i++) {
		char *list = cpu_list_format(&caches[i].cpus);

		text_list_add(&text, "; ", "%s", or_unknown(list));
		free(list);
	}
	return text_list_end(&text);
}

/* Equal caches that follow each other share a row. */
static void print_caches(const struct machine_facts *facts)
{
	char text[TEXT_SIZE_BYTES];

	print_info_row("LLCs", "%s%s", count_text(facts->llcs, text),
		facts->n_caches ? " (last-level caches)" : "");
	for (size_t i = 0, n; i < facts->n_caches; i += n) {
		const struct machine_cache *first = &facts->caches[i];
		char *lists;

		for (n = 1; i + n < facts->n_caches; n++) {
			if (first[n].level != first->level ||
				first[n].bytes != first->bytes)
				break;
		}
		lists = format_cache_cpu_lists(first, n);
		print_info_row("", "%zu x L%u of %s: CPU%s %s", n, first->level,
			first->bytes ? text_size(first->bytes, text)
				     : "size unknown",
			n == 1 && first->cpus.n == 1 ? "" : "s",
			or_unknown(lists));
		free(lists);
	}
}

/* Caches of a level that are alike. */
struct cache_kind {
	struct machine_cpu_cache facts; /* the first of them */
	size_t n, n_sharing;
	struct cpu_list cpus;
};

/* No machine has more kinds at one level. */
#define CACHE_KINDS 8

/* The kind of a cache that so many CPUs share; NULL: there are too many. */
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

/* All caches of a level, each once, by kind. */
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
			/* Its first CPU stands for a cache. */
			kind->n += sharing.cpus[0] == cpus->cpus[i];
			cpu_list_add(&kind->cpus, cpus->cpus[i], NULL);
		}
		cpu_list_release(&sharing);
	}
	return n;
}

/* "8 x 48 KiB, 12 ways, lines of 64 bytes, each of 2 CPUs" */
static void print_cache_kind(
	unsigned level, const struct cache_kind *kind, bool only, bool first)
{
	struct text_list list = {.text = NULL};
	char size[TEXT_SIZE_BYTES], *text;

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
	if (!only) {
		char *cpus = cpus_text(&kind->cpus);

		text_list_add(&list, ": ", "%s", or_unknown(cpus));
		free(cpus);
	}
	text = text_list_end(&list);
	print_info_row(first ? "Caches" : "", "%s", or_unknown(text));
	free(text);
}

/* What the system says of all caches: c2c cache measures them. */
static void print_all_caches(const struct machine *machine)
{
	bool first = true;

	for (unsigned level = 1; level <= MACHINE_CACHE_LEVELS; level++) {
		struct cache_kind kinds[CACHE_KINDS] = {0};
		size_t n = list_cache_kinds(machine, level, kinds);

		for (size_t i = 0; i < n; i++) {
			print_cache_kind(level, &kinds[i], n == 1, first);
			cpu_list_release(&kinds[i].cpus);
			first = false;
		}
	}
	if (first)
		print_info_row("Caches", "unknown");
}

static void print_cpu_kinds(const struct machine_facts *facts)
{
	if (facts->n_kinds == 0)
		return;
	print_info_row(
		"CPU kinds", "%zu, the most efficient first", facts->n_kinds);
	for (size_t i = 0; i < facts->n_kinds; i++) {
		const struct machine_cpu_kind *kind = &facts->kinds[i];
		char *cpus = cpus_text(&kind->cpus);

		print_info_row(
			"", "%s: %s", or_unknown(cpus), kind->description);
		free(cpus);
	}
}

static void print_cores(const struct machine_facts *facts)
{
	char count[12];

	print_info_row("Cores", "%s%s", count_text(facts->cores, count),
		facts->smt < 0 ? ""
		: facts->smt   ? ", SMT on"
			       : ", no SMT");
}

static void print_hardware(const struct machine *machine)
{
	const struct machine_facts *facts = machine_facts(machine);
	char count[12], size[TEXT_SIZE_BYTES];

	print_info_row("Machine", "%s, %s, %s", or_unknown(facts->hostname),
		or_unknown(facts->arch), or_unknown(facts->kernel));
	print_info_row("CPU model", "%s", or_unknown(facts->cpu_model));
	print_info_row("Microcode", "%s", or_unknown(facts->microcode));
	print_info_row("Hypervisor", "%s",
		facts->hypervisor	   ? facts->hypervisor
		: facts->hypervisor_sought ? "none seen"
					   : "unknown");
	print_info_row("Memory", "%s",
		facts->memory_bytes ? text_size(facts->memory_bytes, size)
				    : "unknown");
	print_info_row("Packages", "%s", count_text(facts->packages, count));
	print_nodes(facts);
	print_caches(facts);
	print_all_caches(machine);
	print_info_row("Cache line", "%u bytes", facts->line_bytes);
	print_cores(facts);
	print_cpu_kinds(facts);
}

/* How many CPUs of all are not in but. */
static size_t count_missing(
	const struct cpu_list *all, const struct cpu_list *but)
{
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++)
		n += cpu_list_find(but, all->cpus[i]) < 0;
	return n;
}

/* Why this process may not use all CPUs that are online. */
static const char *explain_fewer_cpus(const struct machine_facts *facts)
{
	bool cpuset = count_missing(&facts->online, &facts->cpuset) > 0;
	bool affinity = count_missing(&facts->cpuset, &facts->allowed) > 0;

	if (cpuset && affinity)
		return " (the cgroup's cpuset and the affinity of this "
		       "process bar the others)";
	if (cpuset)
		return " (the cgroup's cpuset bars the others)";
	if (affinity)
		return " (the affinity of this process bars the others)";
	return " (all that are online)";
}

static void print_cpu_row(
	const char *label, const struct cpu_list *cpus, const char *note)
{
	char *list = cpu_list_format(cpus);

	if (cpus->n == 0)
		print_info_row(label, "none");
	else
		print_info_row(
			label, "%zu: %s%s", cpus->n, or_unknown(list), note);
	free(list);
}

static void print_cpus(const struct machine_facts *facts)
{
	print_cpu_row("Online", &facts->online, "");
	print_cpu_row("Offline", &facts->offline, "");
	print_cpu_row("Isolated", &facts->isolated, " (isolcpus=)");
	print_cpu_row("Allowed", &facts->allowed, explain_fewer_cpus(facts));
}

static void print_huge_pages(const struct machine_facts *facts)
{
	char size[TEXT_SIZE_BYTES];

	if (facts->hugetlb_bytes < 0 || facts->hugetlb_total < 0)
		print_info_row("Huge pages",
			"transparent: %s; hugetlb: unknown",
			or_unknown(facts->thp));
	else
		print_info_row("Huge pages",
			"transparent: %s; hugetlb: %lld of %s reserved, %lld "
			"free",
			or_unknown(facts->thp), facts->hugetlb_total,
			text_size((uint64_t)facts->hugetlb_bytes, size),
			facts->hugetlb_free);
}

static void print_state(
	const struct machine_facts *facts, const struct timebase *timebase)
{
	char step[TEXT_SIZE_BYTES];

	if (timebase)
		print_info_row("Clock", "%s at %.3f MHz, %s, in steps of %s",
			timebase->source, timebase->hz / 1e6,
			timebase->invariant ? "invariant" : "not invariant",
			text_time(timebase->step_ns * 1e-9, step));
	else
		print_info_row("Clock", "unknown");
	print_info_row("Governor", "%s", or_unknown(facts->governor));
	print_info_row("Boost", "%s",
		facts->boost < 0 ? "unknown"
		: facts->boost	 ? "on"
				 : "off");
	print_huge_pages(facts);
	if (facts->load_1min < 0)
		print_info_row("Load", "unknown");
	else
		print_info_row(
			"Load", "%.2f in the last minute", facts->load_1min);
}

static void print_warnings(const struct machine_facts *facts)
{
	if (facts->n_warnings == 0)
		printf("\nNothing was found that would disturb a "
		       "measurement.\n");
	else
		printf("\nWhat would disturb a measurement:\n");
	for (size_t i = 0; i < facts->n_warnings; i++) {
		printf("%3zu. ", i + 1);
		cli_print_wrapped(facts->warnings[i].what, 5, 5);
		printf("     Remedy: ");
		cli_print_wrapped(facts->warnings[i].remedy, 13, 13);
	}
}

static void print_tool(void)
{
	struct facts tool = describe_tool();

	print_info_row("Tool", "c2c %s, %s %s", facts_text(&tool, "version"),
		facts_text(&tool, "compiler"), facts_text(&tool, "cflags"));
	facts_release(&tool);
}

static void print_report(const struct machine *machine,
	const struct timebase *timebase, int verbosity)
{
	const struct machine_facts *facts = machine_facts(machine);

	if (verbosity > 0)
		print_tool();
	print_hardware(machine);
	print_cpus(facts);
	print_state(facts, timebase);
	if (verbosity >= 0)
		print_warnings(facts);
}

/* Write and print what was asked for. The exit status. */
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
	struct error err;
	int status;

	if (!json) {
		error_no_memory(&err, "the report");
		return cli_fail("info", &err);
	}
	if (outputs_finish(&options->outputs, &contents,
		    options->json || options->outputs.json, &status))
		print_report(machine, timebase, options->verbosity);
	free(json);
	return status;
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
	/* The clock at hand is not that of another machine. */
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
		.doc = "Show this machine as the operating system describes "
		       "it, the CPUs that this process may use, and what "
		       "would disturb a measurement.",
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
	.summary = "What this machine is, which CPUs may be used, what would "
		   "disturb",
	.run = run_info,
};
