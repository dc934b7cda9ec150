/*
 * c2c check: check whether CPUs share a resource, and whether a machine is like
 * its reference, for scripts.
 */
#include "cmd/check/cmd_check.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "analyze/cpus_share.h"
#include "cmd/check_status.h"
#include "cmd/cli.h"
#include "cmd/latencies.h"
#include "cmd/topology_option.h"
#include "commands.h"
#include "util/array.h"
#include "util/text.h"

#define AT(member) offsetof(struct check_arguments, member)

static const struct option_row rows[] = {
	{.kind = OPTION_HEADING, .group = 1, .help = "What to check:"},
	{"cpus", OPTION_TEXT, "LIST", AT(cpus), .letter = 'c',
		.help = "CPUs to check, for example 2-5 or core:0",
		.more = "The list has the form of --cpus in c2c-latency(1). "
			"hwloc objects need a topology: the one in FILE, or "
			"that of this machine."},
	{"share", OPTION_WORD, "core|llc|node|package", AT(share),
		.help = "Check by latencies that the CPUs of --cpus share a "
			"core, a last-level cache, a NUMA node or a package",
		.more = "See [Sharing]."},
	{"isolated", OPTION_FLAG, NULL, AT(isolated),
		.help = "Check that the CPUs of --cpus are in the kernel's "
			"isolcpus= and nohz_full=, which keep other threads "
			"and the tick away",
		.more = "With --isolated c2c checks this machine, and takes no "
			"FILE."},
	{"quiet-cpus", OPTION_FLAG, NULL, AT(quiet_cpus),
		.help = "Check for one second that no CPU of --cpus has more "
			"than 100 interrupts or 1.5 % stolen time",
		.more = "c2c sleeps meanwhile. A CPU without a tick has a "
			"small number of interrupts a second; a tick makes 100 "
			"to 1,000. A hypervisor steals time when it runs "
			"something else instead of the vCPU. With --quiet-cpus "
			"c2c checks this machine, and takes no FILE."},
	{"like", OPTION_TEXT, "REFERENCE", AT(like),
		.help = "Check that the machine has the same hardware, speed, "
			"noise and CPU placement as this record",
		.more = "See [Reference]."},
	{"threshold", OPTION_NUMBER, "PCT", AT(threshold_pct),
		.help = "With --like: a level of the machine may be worse by "
			"PCT % (default: 10, or 30 if vCPUs may move between "
			"runs)",
		.within = {0, 1e6}},
	{.kind = OPTION_HEADING, .group = 2, .help = "Output:"},
	{"format", OPTION_WORD, "text|json|junit|tap|markdown|prometheus",
		AT(format),
		.help = "Print the answer in this format (default: text, one "
			"line)",
		.more = "See [Formats]."},
	{"output", OPTION_OUTPUT, "OUT", AT(outputs),
		.help = "Write the answer to OUT as .json; may be given more "
			"than once",
		.more = OUTPUTS_NAME " OUT cannot be an input file.",
		.letter = 'o', .choice = OUTPUT_JSON},
};

static const struct option_rule rules[] = {
	{"share", .without = "cpus",
		.flaw = ": name the CPUs with --cpus, as in --cpus 2-5"},
	{"isolated quiet-cpus", .without = "cpus",
		.flaw = ": name the CPUs with --cpus, as in --cpus 2-5"},
	{"cpus", .without = "share isolated quiet-cpus",
		.flaw = ": c2c has nothing to check on these CPUs; add "
			"--share, --isolated or --quiet-cpus"},
	{"threshold", .without = "like", .flaw = " is for --like"},
	{.given = NULL},
};

static const enum analysis_kind share_kinds[] = {
	ANALYSIS_SMT, ANALYSIS_LLC, ANALYSIS_NODE, ANALYSIS_PACKAGE};

static int check_check_arguments(void *into, struct error *err)
{
	struct check_arguments *arguments = into;
	const struct inputs *inputs = &arguments->inputs;

	if (arguments->outputs.json &&
		option_given(&arguments->given, "format") &&
		arguments->format != CHECK_AS_JSON)
		return error_set(err, ERROR_USAGE, EINVAL,
			"-o - prints JSON, and --format another format: leave "
			"one of them out");
	if (arguments->outputs.json)
		arguments->format = CHECK_AS_JSON;
	if (!arguments->cpus && !arguments->like)
		return error_set(err, ERROR_USAGE, EINVAL,
			"there is nothing to check: give --cpus and --share, "
			"or --like");
	if (inputs->n && (arguments->isolated || arguments->quiet_cpus))
		return error_set(err, ERROR_USAGE, EINVAL,
			"--%s checks this machine: leave out '%s'",
			arguments->isolated ? "isolated" : "quiet-cpus",
			inputs->paths[0]);
	if (arguments->like && outputs_check_not_input(&arguments->outputs,
				       "-o", arguments->like, err) < 0)
		return -EINVAL;
	return inputs->n ? inputs_check(inputs, &arguments->outputs, err) : 0;
}

/* Load the FILE to check, unless c2c measures. */
static int load_checked(struct check_task *task, struct error *err)
{
	int rc;

	task->name = task->arguments->inputs.paths[0];
	rc = latencies_load(task->name, &task->result, err);
	task->has_result = rc == 0;
	if (rc == 0 && task->result.hwloc_xml)
		rc = topology_load_embedded(
			&task->result, task->name, &task->machine, err);
	return rc;
}

/* Find the CPUs of --cpus. */
static int select_checked_cpus(struct check_task *task, struct error *err)
{
	const char *text = task->arguments->cpus;
	bool live = task->arguments->inputs.n == 0;
	int rc = live ? -EINVAL : cpu_list_parse(&task->cpus, text, err);

	/* Objects like core:0 need the topology of the record. */
	if (rc < 0 && task->machine) {
		cpu_list_release(&task->cpus);
		rc = machine_select(
			task->machine, text, MACHINE_PER_PU, &task->cpus, err);
	}
	if (rc == 0 && task->cpus.n < 2 &&
		option_given(&task->arguments->given, "share"))
		rc = error_set(err, ERROR_USAGE, EINVAL,
			"one CPU cannot share a resource; name two or more");
	if (rc < 0)
		error_prefix(err, "--cpus");
	return rc;
}

static int analyze_record(struct check_task *task, struct error *err)
{
	int rc = analysis_make(
		&task->result, &task->name, 1, &task->analysis, err);

	task->has_analysis = rc == 0;
	if (rc == 0 && task->machine)
		rc = analysis_compare_topology(
			&task->analysis, &task->result, task->machine, err);
	return rc;
}

static int check_sharing(
	struct check_task *task, struct arena *arena, struct error *err)
{
	const struct cpu_list *cpus = &task->cpus;
	size_t *places = arena_alloc(arena, cpus->n, sizeof(*places));
	const struct share_question question = {
		.result = &task->result,
		.analysis = &task->analysis,
		.machine = task->machine,
		.rows = places,
		.n = cpus->n,
		.kind = share_kinds[task->arguments->share],
	};

	for (size_t i = 0; i < cpus->n; i++) {
		long place = cpu_list_find(&task->result.cpus, cpus->cpus[i]);
		char *there;

		if (place >= 0) {
			places[i] = (size_t)place;
			continue;
		}
		there = cpu_list_format(&task->result.cpus);
		error_set(err, ERROR_USAGE, EINVAL,
			"--cpus: '%s' has no CPU %u, but %s", task->name,
			cpus->cpus[i], there ? there : "others");
		free(there);
		return -EINVAL;
	}
	cpus_share_judge(&question, &task->check, arena);
	return 0;
}

/* An incomplete measurement may lack the data for an answer. */
static void add_incomplete(struct check_task *task, struct arena *arena)
{
	if (task->has_result && !task->result.complete)
		check_add(&task->check, arena, CHECK_UNKNOWN, "incomplete",
			"the measurement was stopped before it was complete")
			->name = "complete";
	if (task->has_reference && !task->reference.complete)
		check_add(&task->check, arena, CHECK_UNKNOWN, "incomplete",
			"the measurement of the reference was stopped before "
			"it was complete")
			->name = "complete: reference";
}

static int run_checks(struct arena *arena, void *context, struct error *err)
{
	struct check_task *task = context;
	const struct check_arguments *arguments = task->arguments;
	bool live = arguments->inputs.n == 0;
	bool shares = option_given(&arguments->given, "share");
	int rc = outputs_check_writable(&arguments->outputs, "-o", err);

	if (rc == 0 && arguments->like)
		rc = latencies_load(arguments->like, &task->reference, err);
	task->has_reference = arguments->like && rc == 0;
	if (rc == 0)
		rc = live ? machine_new(&task->machine, err)
			  : load_checked(task, err);
	if (rc == 0 && arguments->cpus)
		rc = select_checked_cpus(task, err);
	if (rc == 0 && arguments->isolated)
		rc = check_isolated(task, arena, err);
	if (rc == 0 && arguments->quiet_cpus)
		rc = check_quiet(task, arena, err);
	if (rc == 0 && live && (shares || arguments->like))
		rc = check_measure(task, arena, err);
	if (rc == 0 && shares)
		rc = analyze_record(task, err);
	if (rc == 0 && shares)
		rc = check_sharing(task, arena, err);
	if (rc == 0 && arguments->like)
		rc = check_like(task, &task->reference, arena, err);
	if (rc < 0)
		return rc;
	add_incomplete(task, arena);
	task->check.source = live ? NULL : task->name;
	task->check.hostname =
		live ? machine_facts(task->machine)->hostname
		     : facts_text(&task->result.machine, "hostname");
	return 0;
}

/* Write and print the answer. Return an enum exit_status. */
static int show_check(const struct check_task *task)
{
	const struct check_arguments *arguments = task->arguments;
	char *json = check_text(&task->check);
	const struct output_contents contents = {
		.command = "check",
		.option = "-o",
		.verbosity = arguments->verbosity,
		.json = json,
	};
	struct error err;
	int status;

	if (!json) {
		error_no_memory(&err, "the answer");
		return cli_fail("check", &err);
	}
	if (outputs_finish(&arguments->outputs, &contents,
		    arguments->format == CHECK_AS_JSON, &status) &&
		(arguments->format != CHECK_AS_TEXT ||
			arguments->verbosity >= 0))
		check_print(stdout, &task->check, arguments->format);
	free(json);
	return status == STATUS_DONE
		       ? check_status(check_conclude(&task->check), true)
		       : status;
}

static int run_check(int argc, char **argv)
{
	struct check_arguments arguments = {.threshold_pct = NAN};
	const struct option_table table = {
		rows, N_OF(rows), &arguments, check_check_arguments, rules};
	const struct option_command command = {
		.name = "check",
		.doc = "Check whether CPUs share a resource, or whether a "
		       "machine is like its reference. The exit status is 0 if "
		       "all holds, 3 if a finding fails, 4 if there is no "
		       "verdict. FILE is a record of c2c latency, or a .csv; "
		       "without it c2c measures for about two seconds.",
		.often = "cpus share isolated quiet-cpus like threshold format "
			 "output help",
		.examples = "c2c check --cpus 2-5 --share llc\tdo these CPUs "
			    "share a cache?\nc2c check --like good.json "
			    "new.json\tis the machine still as fast?\n",
		.tables = &table,
		.n_tables = 1,
		.verbosity = &arguments.verbosity,
		.given = &arguments.given,
		.arguments = "[FILE]",
		.take = inputs_add,
	};
	struct check_task task = {.arguments = &arguments};
	struct arena arena = {0};
	struct error err;
	int status = options_parse(&command, argc, argv);

	if (status != STATUS_DONE)
		return status;
	if (arena_run(&arena, run_checks, &task, "the check", &err) == 0)
		status = show_check(&task);
	else
		status = err.code == EINTR ? STATUS_INTERRUPTED
					   : cli_fail("check", &err);
	if (task.has_analysis)
		analysis_release(&task.analysis);
	if (task.has_result)
		result_release(&task.result);
	if (task.has_reference)
		result_release(&task.reference);
	machine_free(task.machine);
	cpu_list_release(&task.cpus);
	arena_release(&arena);
	inputs_release(&arguments.inputs);
	outputs_release(&arguments.outputs);
	return status;
}

const struct command cmd_check = {
	.name = "check",
	.summary = "Check what CPUs share, or a machine against a reference",
	.run = run_check,
};
