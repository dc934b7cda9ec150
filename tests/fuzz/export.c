/*
 * Any small result through c2c export: the topology can be loaded, has the
 * CPUs, and holds all that was measured when it is exported again; placements
 * name as many CPUs as there are threads, none twice, and shapes of guests add
 * up. An anonymous record has no host.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/analyze.h"
#include "cmd/export/thread_placement.h"
#include "command.h"
#include "result/anonymous.h"
#include "target.h"
#include "util/error.h"

/* What an export printed, and how it ended. */
struct printed {
	struct capture capture;
	int rc;
	struct error err;
};

static size_t count_of(const char *text, const char *word)
{
	size_t n = 0;

	for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
		n++;
	return n;
}

static const char *check_failure(const struct printed *printed)
{
	if (*printed->capture.out)
		return "there is output before a failure";
	return *printed->err.text && command_is_text(printed->err.text)
		       ? NULL
		       : "the message is no text";
}

static const char *check_machine(
	struct machine *machine, const struct cpu_list *cpus)
{
	const struct cpu_list *online = &machine_facts(machine)->online;

	for (size_t i = 0; i < cpus->n; i++) {
		if (cpu_list_find(online, cpus->cpus[i]) < 0)
			return "the topology that was written lacks a CPU";
	}
	return NULL;
}

static void print_hwloc(
	struct printed *printed, const struct export_source *source)
{
	char *xml = NULL;

	capture_begin(&printed->capture);
	printed->rc = export_hwloc(source, &xml, &printed->err);
	if (xml)
		fputs(xml, stdout);
	capture_end(&printed->capture);
	free(xml);
}

/* The same result on the topology that was written of it adds no group. */
static const char *check_again(const struct export_source *source,
	struct machine *machine, size_t groups)
{
	struct export_source again = *source;
	const char *problem = NULL;
	struct printed printed;

	again.machine = machine;
	print_hwloc(&printed, &again);
	if (printed.rc < 0)
		problem = "what was written cannot be exported again";
	else if (count_of(printed.capture.out, "type=\"Group\"") != groups)
		problem = "exported again it has other groups";
	capture_release(&printed.capture);
	return problem;
}

static const char *check_hwloc(const struct export_source *source)
{
	const char *problem = NULL, *text;
	struct machine *machine = NULL;
	struct printed printed;

	print_hwloc(&printed, source);
	text = printed.capture.out;
	if (printed.rc < 0)
		problem = check_failure(&printed);
	else if (!command_is_text(text))
		problem = "the topology that was written is no text";
	else if (machine_new_xml(&machine, text, strlen(text), NULL) < 0)
		problem = "the topology that was written cannot be loaded";
	if (machine) {
		problem = check_machine(machine, &source->analysis.cpus);
		if (!problem)
			problem = check_again(source, machine,
				count_of(text, "type=\"Group\""));
		machine_free(machine);
	}
	capture_release(&printed.capture);
	return problem;
}

/* As many CPUs as threads, each one of those measured and none twice. */
static const char *check_cpus(
	const struct export_source *source, const char *list, size_t threads)
{
	size_t bytes = strcspn(list, " \n"), n_listed = 0;
	char *text = strndup(list, bytes);
	const char *problem = NULL;
	struct cpu_list cpus = {0};

	if (!text)
		abort();
	if (cpu_list_parse(&cpus, text, NULL) < 0 || cpus.n != threads)
		problem = "a placement has not as many CPUs as threads";
	for (size_t i = 0; i < cpus.n; i++)
		n_listed += cpu_list_find(
				    &source->analysis.cpus, cpus.cpus[i]) >= 0;
	if (n_listed != cpus.n)
		problem = "a placement has a CPU that was not measured";
	cpu_list_release(&cpus);
	free(text);
	return problem;
}

/* What a guest's description adds up to. */
struct guest {
	size_t threads, topology, n_cells, n_pins;
	size_t next; /* virtual CPU of the next cell */
	size_t n_distances;
	const char *problem;
};

static void take_cell(struct guest *guest, size_t id, size_t first, size_t last)
{
	if (id != guest->n_cells++ || first != guest->next || last < first)
		guest->problem = "the cells of a guest do not follow";
	guest->next = last + 1;
}

static void take_distance(struct guest *guest, size_t distance, size_t least)
{
	guest->n_distances++;
	if (distance < least || distance > 254)
		guest->problem = "a distance is none of ACPI's";
}

/* One line, of libvirt or of QEMU. */
static void take_line(struct guest *guest, const char *line)
{
	size_t a, b, c, d;

	if (sscanf(line,
		    " <topology sockets='%zu' dies='%zu' cores='%zu' "
		    "threads='%zu'/>",
		    &a, &b, &c, &d) == 4 ||
		sscanf(line,
			"-smp %*u,sockets=%zu,dies=%zu,cores=%zu,threads=%zu",
			&a, &b, &c, &d) == 4) {
		guest->topology = a * b * c * d;
	} else if (sscanf(line, "-smp %*u,sockets=%zu,cores=%zu,threads=%zu",
			   &a, &b, &c) == 3) {
		guest->topology = a * b * c;
	} else if (sscanf(line, " <vcpupin vcpu='%zu' cpuset='%zu'/>", &a,
			   &b) == 2) {
		guest->n_pins++;
	} else if (sscanf(line, " <cell id='%zu' cpus='%zu-%zu'", &a, &b, &c) ==
			   3 ||
		   sscanf(line, "-numa node,nodeid=%zu,cpus=%zu-%zu", &a, &b,
			   &c) == 3) {
		take_cell(guest, a, b, c);
	} else if (sscanf(line, " <sibling id='%*u' value='%zu'/>", &c) == 1) {
		take_distance(guest, c, 10);
	} else if (sscanf(line, "-numa dist,src=%zu,dst=%zu,val=%zu", &a, &b,
			   &c) == 3) {
		take_distance(guest, c, 11);
	}
}

/* Between all cells, each way (libvirt) or one way (QEMU), or between none. */
static const char *check_distances(const struct guest *guest, bool both)
{
	size_t n = guest->n_cells;
	size_t all = both ? n * n : n * (n - 1) / 2;

	if (guest->n_distances != 0 && guest->n_distances != all)
		return "a guest has not all of its distances";
	return NULL;
}

static const char *check_guest(const char *text, size_t threads, bool pinned)
{
	struct guest guest = {.threads = threads};

	for (const char *line = text; *line;
		line += strcspn(line, "\n"), line += *line == '\n')
		take_line(&guest, line);
	if (guest.problem)
		return guest.problem;
	if (guest.next != threads || guest.n_cells == 0)
		return "the cells of a guest are not all of its CPUs";
	if (guest.topology != threads)
		return "the topology of a guest does not add up";
	if (pinned && guest.n_pins != threads)
		return "a virtual CPU is not bound";
	return check_distances(&guest, pinned);
}

static const char *check_text(const struct export_source *source, int format,
	const char *text, size_t threads)
{
	/* What stands before a list of all CPUs, each once. */
	static const struct {
		const char *format, *before;
	} lists[] = {
		{"taskset", "--cpu-list "},
		{"numactl", "--physcpubind="},
		{"slurm", "map_cpu:"},
		{"likwid", "-c "},
		{"systemd", "AllowedCPUs="},
		{"podman", "--cpuset-cpus="},
		{"seastar", "--cpuset="},
		{"proxmox", "--affinity "},
	};
	const char *word = export_formats[format].word, *list = NULL;

	if (!command_is_text(text))
		return "a placement is no text";
	if (export_formats[format].check == find_guest_layout)
		return check_guest(text, threads, strcmp(word, "libvirt") == 0);
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		if (strcmp(word, lists[i].format) != 0)
			continue;
		list = strstr(text, lists[i].before);
		return list ? check_cpus(source, list + strlen(lists[i].before),
				      threads)
			    : "a placement has no list of CPUs";
	}
	return *text ? NULL : "a placement is empty";
}

static const char *check_placement(const struct export_source *source,
	const struct export_placement *wanted)
{
	const char *problem;
	struct printed printed;
	size_t threads = wanted->threads ? (size_t)wanted->threads
					 : source->analysis.cpus.n;

	capture_begin(&printed.capture);
	printed.rc = export_placement_print(source, wanted, &printed.err);
	capture_end(&printed.capture);
	if (printed.rc < 0)
		problem = wanted->level || wanted->memory_bytes ||
					  export_formats[wanted->format].check
				  ? check_failure(&printed)
				  : "a placement of any level fails";
	else
		problem = check_text(
			source, wanted->format, printed.capture.out, threads);
	capture_release(&printed.capture);
	return problem;
}

#define NUMBER_FORMAT(word, ...) FORMAT_##word,
enum {
	EXPORT_FORMATS(NUMBER_FORMAT) N_FORMATS
};

static const char *check_placements(const struct export_source *source)
{
	static const char *const levels[] = {NULL, "1", "smt", "group"};
	size_t n = source->analysis.cpus.n;
	const char *problem = NULL;

	for (size_t i = 0; !problem && i < 40; i++) {
		struct export_placement wanted = {
			.format = (int)(i % N_FORMATS),
			.level = levels[i / 10],
			.spread = i / 5 % 2,
			/* All, one, and numbers between. */
			.threads = i % 7 * n / 6,
		};

		problem = check_placement(source, &wanted);
	}
	return problem;
}

/* As c2c export does, but for what it prints. */
static const char *check_small(const struct result *result, bool *used)
{
	struct arena arena = {0};
	struct export_source source = {.path = "input",
		.result = result,
		.arena = &arena,
		.verbosity = -1};
	const char *problem = NULL, *xml = result->hwloc_xml;
	struct error err = {.text = ""};
	bool only_caches = result->n_matrices == 0 && result->n_caches > 0 &&
			   result->cpus.n > 0;
	int rc = 0;

	if (only_caches)
		source.analysis.cpus = (struct cpu_list){
			arena_copy(&source.analysis.memory, result->cpus.cpus,
				result->cpus.n, sizeof(unsigned)),
			result->cpus.n};
	else
		rc = analysis_make(
			result, &source.path, 1, &source.analysis, &err);
	*used = rc == 0;
	if (rc < 0)
		return command_is_text(err.text) && *err.text
			       ? NULL
			       : "the message is no text";
	if (xml)
		rc = machine_new_xml(&source.machine, xml, strlen(xml), &err);
	if (rc == 0 && source.machine && !only_caches)
		rc = analysis_compare_topology(
			&source.analysis, result, source.machine, &err);
	if (rc == 0)
		problem = check_hwloc(&source);
	if (rc == 0 && !problem && !only_caches)
		problem = check_placements(&source);
	machine_free(source.machine);
	analysis_release(&source.analysis);
	arena_release(&arena);
	return problem;
}

/* An anonymous record has no host, and twice is the same as once. */
static const char *check_anonymous(struct result *result)
{
	char *once = NULL;
	const char *problem = NULL;
	struct error err;

	if (result_make_anonymous(result, &err) < 0)
		abort();
	if (facts_text(&result->machine, "hostname"))
		return "an anonymous record has the name of its host";
	if (!result->hwloc_xml)
		return NULL;
	once = strdup(result->hwloc_xml);
	if (!once || result_make_anonymous(result, &err) < 0)
		abort();
	if (strcmp(once, result->hwloc_xml) != 0)
		problem = "an anonymous topology changes the second time";
	free(once);
	return problem;
}

static const char *check_export(const void *data, size_t n, bool *used)
{
	const char *problem = NULL;
	struct result result;

	*used = false;
	if (command_load(&result, data, n, NULL) < 0)
		return NULL;
	if (command_is_small(&result))
		problem = check_small(&result, used);
	if (!problem)
		problem = check_anonymous(&result);
	result_release(&result);
	return problem;
}

static const struct fuzz_target target = {
	.inputs = 3000,
	.check = check_export,
};

FUZZ_TARGET(target);
