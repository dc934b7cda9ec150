/*
 * The options that all measuring commands share.
 */
#include <errno.h>
#include <stdlib.h>

#include "cmd/cli.h"
#include "cmd/measure/measure_run.h"
#include "result/runs.h"
#include "util/array.h"

/* A 95 % interval of a median needs at least six passes. */
#define PASSES_MIN    6
#define PASSES_MAX    100000
#define PRECISION_PCT 2.0
#define BUDGET_S      8.0

#define AT(member) offsetof(struct measure_options, member)

int measure_parse_home(void *at, const char *text, struct error *err)
{
	struct measure_home *home = at;

	home->text = text;
	return lines_home_parse(text, &home->home, &home->node, err);
}

static const struct option_row rows[] = {
	/* Record keys without an option; options below set them. */
	{NULL, OPTION_WORD, "all|pair|from", AT(pairs), .record = "pairs"},
	{NULL, OPTION_TEXT, NULL, AT(pair_text), .record = "pair"},
	{NULL, OPTION_WORD, "cpu|core|llc|node|package", AT(per),
		.record = "per"},
	{.kind = OPTION_HEADING, .group = 1, .help = "What to measure:"},
	{"all-pairs", OPTION_FLAG, NULL, AT(all_pairs),
		.help = "All pairs of these CPUs (the default for pairs)"},
	{"pair", OPTION_TEXT, "A,B", AT(pair),
		.help = "Only the pair of CPUs A and B",
		.more = "An object with two CPUs is allowed too, for example "
			"`core:0` for SMT siblings. --pair excludes --cpus, "
			"--cores and --per.",
		.once = true},
	{"from", OPTION_TEXT, "A", AT(from),
		.help = "Pairs of CPU A with each other CPU", .once = true},
	{"cpus", OPTION_TEXT, "LIST", AT(cpus_text), .letter = 'c',
		.help = "Only these CPUs: numbers and ranges (0-3,8) or hwloc "
			"objects (core:0-3, numa:0, package:1, l3:0)",
		.more = "Rows and columns follow the order of the list. "
			"Objects are numbered from 0, as lstopo(1) shows them "
			"with -l. `llc` and `ccx` are the last-level caches. A "
			"CPU that does not exist, is offline or may not be "
			"used is an error.",
		.record = "cpus"},
	/* An alias of --per core: the later option counts. */
	{"cores", OPTION_CHOICE, NULL, AT(per), .help = "One CPU of every core",
		.more = "c2c takes the core's first CPU in the list.",
		.choice = MACHINE_PER_CORE},
	{"per", OPTION_WORD, "core|llc|node|package", AT(per),
		.help = "One CPU of every core, last-level cache, NUMA node or "
			"package",
		.more = "Of the CPUs of an object, c2c takes the first in the "
			"list.",
		.choice = MACHINE_PER_CORE},
	{"resume", OPTION_TEXT, "FILE", AT(resume),
		.help = "Continue an interrupted run: copy the pairs that FILE "
			"has, and measure the others",
		.more = "Host, CPUs, clock, unit and options must equal those "
			"of the record. All values of a pair come from only "
			"one of the two runs."},
	/* Groups 2 to 9 belong to the commands. */
	{.kind = OPTION_HEADING, .group = 10, .help = "Duration and method:"},
	{"passes", OPTION_COUNTS, "MIN[:MAX]", AT(passes),
		.help = "Passes over all pairs or points (default 6:100000); "
			"if given without --budget, c2c makes MIN passes, "
			"however long they take",
		.more = "`100:100` makes exactly 100 passes. Intervals need "
			"six passes. With --budget the run may make fewer than "
			"`MIN` passes.",
		.within = {1, PASSES_MAX}, .record = "passes"},
	{"precision", OPTION_NUMBER, "PCT", AT(precision_pct),
		.help = "Stop when every 95 % interval is within PCT % of its "
			"median (default 2), but not before one second, or "
			"0.25 s for one pair",
		.more = "With --passes the run may stop earlier.",
		.within = {0.01, 100}, .record = "precision_pct"},
	{"budget", OPTION_TIME, "TIME", AT(budget_s),
		.help = "Stop after this time, even if intervals are still "
			"wide; the first pass always completes (default 8s, "
			"for c2c latency 2s; up to 30s if six passes take "
			"longer)",
		.within = {0, OPTION_TIME_MAX_S}, .record = "budget_s"},
	{"jobs", OPTION_COUNT, "N|max|auto", AT(jobs),
		.help = "Pairs measured at the same time: N, as many as "
			"possible (max), or as many as keep the bias below 2 % "
			"(auto); default 1, for c2c latency auto",
		.words = "max|auto|N", .choice = -1,
		.within = {1, CPU_LIST_MAX_CPU}, .record = "jobs",
		.same = true},
	{"idle", OPTION_WORD, "park|spin|auto", AT(idle),
		.help = "Idle CPUs sleep (park) or spin with the spin-wait "
			"hint; auto spins under a hypervisor that runs all "
			"CPUs simultaneously, otherwise parks (default auto)",
		.record = "idle", .same = true},
	{"seed", OPTION_COUNT, "N", AT(seed),
		.help = "Seed of the random order (default: random; the record "
			"has it)",
		.more = "The order is the same if the seed, the CPUs and the "
			"number of simultaneous pairs are the same.",
		.within = {0, (double)CLI_SEED_MAX}, .record = "seed"},
	{"runs", OPTION_COUNT, "N", AT(runs), .letter = 'r',
		.help = "Measure N times, each time in a new process with its "
			"own budget, and report medians and intervals over the "
			"runs (default 1)",
		.more = "The record has each complete run under `runs`; see "
			"\"Several runs\" in c2c-latency(1).",
		.within = {1, RUNS_MAX}, .record = "runs"},
	{"child", OPTION_COUNT, "N", AT(child), .help = NULL, .within = {1, 2}},
	OUTPUTS_SECTION_ROW(AT(outputs.section)),
	{.kind = OPTION_HEADING, .group = 11, .help = "Output:"},
	{"output", OPTION_OUTPUT, "FILE", AT(outputs),
		.help = "Write FILE, by extension: .json .json.gz .json.zst "
			".dat .csv .tsv, a picture .png .svg .pdf, a script "
			"for gnuplot .gp, tables in Markdown .md, or a page "
			".html; may be given more than once",
		.more = OUTPUTS_NAME, .letter = 'o',
		.choice = OUTPUT_RESULT | OUTPUTS_DRAWN},
	{"json", OPTION_FLAG, NULL, AT(json),
		.help = "Print the complete record as JSON instead of the "
			"matrix (as -o - does)"},
	{"keep-passes", OPTION_FLAG, NULL, AT(keep_passes),
		.help = "Keep every pass in the record, not only the "
			"statistics",
		.more = "The passes show whether vCPUs moved. A pass takes "
			"about nine bytes for each pair. Only the record has "
			"the passes, so give -o FILE.json or --json too."},
};

/* Return whether any output contains the complete record. */
static bool has_record(const struct measure_options *options)
{
	for (size_t i = 0; i < options->outputs.n; i++) {
		if (output_is_json(options->outputs.paths[i]))
			return true;
	}
	return options->json || options->outputs.section.max;
}

static const struct option_rule rules[] = {
	{"pair", .with = "from"},
	{"pair", "cpus cores per",
		.flaw = " already names the CPUs: leave out --cpus, --cores "
			"and --per"},
	{"resume", .with = "runs!1"},
	OUTPUTS_SECTION_RULE("output json"),
	{"resume", "child-section", "child",
		": c2c measure cannot resume a run; run this command "
		"alone"},
	{.given = NULL},
};

static int measure_check_options(void *into, struct error *err)
{
	struct measure_options *options = into;

	options->json |= options->outputs.json;
	options->pairs = options->pair	 ? MEASURE_PAIR
			 : options->from ? MEASURE_FROM
					 : MEASURE_ALL;
	options->pair_text = options->pair ? options->pair : options->from;
	if (options->keep_passes && !has_record(options))
		return error_set(err, ERROR_USAGE, EINVAL,
			"--keep-passes: only the complete record has "
			"passes; add -o FILE.json or --json");
	return 0;
}

struct option_table measure_options_table(struct measure_options *options)
{
	return (struct option_table){
		rows, N_OF(rows), options, measure_check_options, rules};
}

int measure_parse(const struct measure_plan *plan,
	struct measure_options *options, int argc, char **argv)
{
	const struct option_table tables[] = {
		measure_options_table(options), plan->options};
	const struct option_command command = {.name = plan->command,
		.doc = plan->doc,
		.often = plan->often,
		.examples = plan->examples,
		.tables = tables,
		.n_tables = 2,
		.hidden = plan->refused,
		.verbosity = &options->verbosity,
		.given = &options->given};
	int status;

	*options = (struct measure_options){
		.passes = {PASSES_MIN, PASSES_MAX},
		.precision_pct = PRECISION_PCT,
		.budget_s = plan->budget_s > 0 ? plan->budget_s : BUDGET_S,
		.jobs = plan->auto_jobs ? 0 : 1,
		.idle = MEASURE_AUTO,
		.runs = 1,
		.argc = argc,
		.argv = argv,
	};
	status = options_parse(&command, argc, argv);
	if (plan->quick_budget_s > 0 &&
		option_given(&options->given, "quick") &&
		!option_given(&options->given, "budget"))
		options->budget_s = plan->quick_budget_s;
	return status;
}
