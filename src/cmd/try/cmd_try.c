/*
 * c2c try: run a program alternately under several placements, and report the
 * differences beyond chance.
 */
#include "cmd/try/cmd_try.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/trial_verdict.h"
#include "cmd/cli.h"
#include "commands.h"
#include "machine/disturbance.h"
#include "machine/timebase.h"
#include "util/array.h"
#include "util/parse.h"

#define AT(member) offsetof(struct try_arguments, member)

/* Default time limits: of all runs together, and of one run. */
#define BUDGET_S 120.0
#define LIMIT_S	 60.0

/* Default of --threads with --list, which does not run the program. */
#define THREADS_LISTED 2

/* Names of placements that c2c chooses. */
static const char *const own_names[] = {
	"unbound", "unbound again", "one CPU", "random", "near", "far"};

static int parse_named(void *at, const char *text, struct error *err)
{
	struct try_arguments *arguments = at;
	const char *equal = strchr(text, '=');

	if (!equal || equal == text || !equal[1])
		return error_set(err, ERROR_USAGE, EINVAL,
			"found '%s', expected NAME=LIST as in mine=0-3", text);
	for (size_t i = 0; i < N_OF(own_names); i++) {
		if (strlen(own_names[i]) == (size_t)(equal - text) &&
			strncmp(own_names[i], text, (size_t)(equal - text)) ==
				0)
			return error_set(err, ERROR_USAGE, EINVAL,
				"'%s' is a placement of c2c: choose another "
				"NAME",
				own_names[i]);
	}
	if (arguments->n_named == TRY_NAMED_MOST)
		return error_set(err, ERROR_USAGE, E2BIG,
			"found more than %d placements", TRY_NAMED_MOST);
	arguments->named[arguments->n_named++] = text;
	return 0;
}

static const struct option_row rows[] = {
	{.kind = OPTION_HEADING, .group = 1, .help = "Placements:"},
	{"cpus", OPTION_OWN, "NAME=LIST", 0, .letter = 'c',
		.help = "Also try these CPUs, as in mine=0-3; may be given "
			"more than once",
		.more = "The list has the form of --cpus in "
			"c2c-latency(1).",
		.parse = parse_named, .is = OPTION_TEXT},
	{"each", OPTION_FLAG, NULL, AT(each),
		.help = "Bind each thread to one CPU of the placement: the "
			"first thread to the first CPU, and so on (default: "
			"all threads to all of its CPUs)",
		.more = "Processes that the program starts count as threads. "
			"c2c looks for new threads every millisecond, or less "
			"often if this would take more than 5 % of a CPU. If "
			"there are more threads than CPUs, c2c begins again "
			"with the first CPU."},
	{"threads", OPTION_COUNT, "N", AT(threads),
		.help = "Choose N CPUs (default: as many as the program has "
			"busy threads)",
		.more = "A thread is busy if it runs for a tenth of the time "
			"after c2c first sees it. To count busy threads, c2c "
			"makes a first run that does not count.",
		.within = {1, 1e6}},
	{"from", OPTION_TEXT, "FILE", AT(from),
		.help = "Choose near and far CPUs from this record, without "
			"the first measurement of two seconds"},
	{"list", OPTION_FLAG, NULL, AT(list),
		.help = "Print the placements, and run nothing",
		.more = "Without --threads, the placements are those of two "
			"threads."},
	{.kind = OPTION_HEADING, .group = 2, .help = "Rounds:"},
	{"rounds", OPTION_COUNT, "N", AT(rounds),
		.help = "Number of rounds in each of the two blocks (default: "
			"what fits into --budget, 8 to 40)",
		.within = {TRY_ROUNDS_LEAST, TRY_ROUNDS_MOST}},
	{"budget", OPTION_TIME, "TIME", AT(budget_s), .letter = 't',
		.help = "Time for the whole trial (default 2m, or unlimited "
			"with --rounds)",
		.within = {0, OPTION_TIME_MAX_S}},
	{"limit", OPTION_TIME, "TIME", AT(limit_s),
		.help = "Time limit of a run (default 60s)",
		.more = "A run that reaches this limit, or takes 20 times as "
			"long as unbound and more than a second, gets SIGTERM, "
			"and SIGKILL two seconds later. If a warm-up run gets "
			"these signals, c2c leaves out the placement.",
		.within = {0.001, OPTION_TIME_MAX_S}},
	{"seed", OPTION_COUNT, "N", AT(seed),
		.help = "Seed of the random order and of random CPUs "
			"(default: random; the record has it)",
		.within = {0, (double)CLI_SEED_MAX}},
	{.kind = OPTION_HEADING, .group = 3, .help = "What is compared:"},
	{"metric", OPTION_TEXT, "wall|cpu|max-rss|REGEX", AT(metric),
		.help = "Compare the time of a run (wall, the default), its "
			"CPU time, its peak memory, or a number that it prints",
		.more = "REGEX is an extended regular expression. c2c takes "
			"the first match in the last line that matches, and "
			"from it the first group, as in `([0-9.]+) ops/s`, or "
			"without a group the first number. A carriage return "
			"also begins a line. max-rss is at least the memory of "
			"c2c itself, some tens of MB."},
	{"better", OPTION_WORD, "lower|higher", AT(better),
		.help = "Whether lower or higher values of REGEX are better"},
	{.kind = OPTION_HEADING, .group = 4, .help = "A server:"},
	{"setup", OPTION_TEXT, "COMMAND", AT(setup),
		.help = "Before each run, start this server under the "
			"placement; PROGRAM is its client",
		.more = "A shell runs COMMAND, which must stay in the "
			"foreground. When PROGRAM exits, the process group of "
			"the server gets SIGTERM. The group gets SIGKILL once "
			"COMMAND exits, or two seconds later. The time of a "
			"run excludes the start and the stop of the server."},
	{"ready", OPTION_TEXT, "PORT|FILE|REGEX", AT(ready),
		.help = "The server is ready when it answers on this TCP port, "
			"writes FILE or prints REGEX",
		.more = "A number is a TCP port of 127.0.0.1. A name that "
			"begins with / or ./ is a file or a socket; a ready "
			"server writes the file or answers on the socket. Any "
			"other text is an extended regular expression. A "
			"server that is not ready within --limit has failed."},
	{"client-cpus", OPTION_TEXT, "LIST", AT(client_cpus),
		.help = "Run PROGRAM on these CPUs (default: all); the server "
			"runs on the CPUs of the placement"},
	{.kind = OPTION_HEADING, .group = 5, .help = "Output:"},
	{"output", OPTION_OUTPUT, "OUT", AT(outputs),
		.help = "Write the trial to OUT: a record .json, a picture of "
			"all rounds .png .svg .pdf .gp, tables .md, or a page "
			"for a browser .html; may be given more than once",
		.more = OUTPUTS_NAME, .letter = 'o',
		.choice = OUTPUT_JSON | OUTPUTS_DRAWN},
};

static const struct option_rule rules[] = {
	{"list", .with = "output rounds budget limit metric"},
	{"better", .without = "metric", .flaw = " needs --metric REGEX"},
	{"setup", .without = "ready", .flaw = " needs --ready"},
	{"ready", .without = "setup", .flaw = " needs --setup"},
	{"client-cpus", .without = "setup", .flaw = " needs --setup"},
	{.given = NULL},
};

static const char *const metric_words[] = {"wall", "cpu", "max-rss"};
static const char *const metric_units[] = {"s", "s", "B", NULL};

static enum try_metric find_metric_word(const char *text)
{
	size_t i = 0;

	while (text && i < N_OF(metric_words) &&
		strcmp(text, metric_words[i]) != 0)
		i++;
	return text ? (enum try_metric)i : TRY_WALL;
}

static int check_try_arguments(void *into, struct error *err)
{
	const struct try_arguments *arguments = into;
	bool regex = find_metric_word(arguments->metric) == TRY_OUTPUT;
	bool better = option_given(&arguments->given, "better");

	if (regex && !better)
		return error_set(err, ERROR_USAGE, EINVAL,
			"--metric: add --better lower or --better higher for "
			"the values of '%s'",
			arguments->metric);
	if (!regex && better)
		return error_set(err, ERROR_USAGE, EINVAL,
			"--better: lower values of %s are always better",
			arguments->metric ? arguments->metric : "wall");
	return 0;
}

static int compile_regex(const char *option, const char *text, regex_t *regex,
	bool *compiled, struct error *err)
{
	int code = regcomp(regex, text, REG_EXTENDED | REG_NEWLINE);
	char reason[256];

	*compiled = code == 0;
	if (code == 0)
		return 0;
	regerror(code, regex, reason, sizeof(reason));
	return error_set(err, ERROR_USAGE, EINVAL,
		"--%s: '%s' is no regular expression: %s", option, text,
		reason);
}

static int choose_metric(struct try_task *task, struct error *err)
{
	const struct try_arguments *arguments = task->arguments;

	task->metric = find_metric_word(arguments->metric);
	task->trial.each = arguments->each;
	task->trial.metric = arguments->metric ? arguments->metric : "wall";
	task->trial.unit = metric_units[task->metric];
	task->trial.higher = arguments->better == 1;
	if (task->metric != TRY_OUTPUT)
		return 0;
	return compile_regex("metric", arguments->metric, &task->regex,
		&task->has_regex, err);
}

/* Choose how the server shows that it is ready. */
static int choose_ready(struct try_task *task, struct error *err)
{
	const char *ready = task->arguments->ready;
	uint64_t port;

	task->trial.setup = task->arguments->setup;
	if (!ready)
		return 0;
	if (*ready == '/' || strncmp(ready, "./", 2) == 0) {
		task->ready = TRY_READY_FILE;
		return 0;
	}
	if (ready[strspn(ready, "0123456789")]) {
		task->ready = TRY_READY_OUTPUT;
		return compile_regex("ready", ready, &task->ready_regex,
			&task->has_ready_regex, err);
	}
	if (parse_u64(ready, 1, UINT16_MAX, &port, err) < 0) {
		error_prefix(err, "--ready");
		return -EINVAL;
	}
	task->ready = TRY_READY_PORT;
	task->ready_port = (uint16_t)port;
	return 0;
}

/* Choose the number of threads for the placements. */
static int choose_threads(struct try_task *task, struct error *err)
{
	const struct try_arguments *arguments = task->arguments;
	size_t n = task->allowed->n;
	int rc = arguments->list ? 0 : try_first_run(task, err);

	task->trial.threads = arguments->threads ? arguments->threads
			      : arguments->list	 ? THREADS_LISTED
			      : task->busy	 ? task->busy
						 : 1;
	if (rc < 0)
		return rc;
	if (arguments->threads > n)
		return error_set(err, ERROR_USAGE, EINVAL,
			"--threads: found %zu, expected at most the %zu CPUs "
			"that c2c may use",
			task->trial.threads, n);
	if (task->trial.threads > n)
		task->trial.threads = n;
	return 0;
}

static void choose_seed(struct try_task *task)
{
	uint64_t seed = task->arguments->seed;

	if (!option_given(&task->arguments->given, "seed"))
		seed = cli_draw_seed();
	stat_random_init(&task->random, seed);
	task->trial.seed = (int64_t)seed;
}

static int check_this_machine(struct try_task *task, struct error *err)
{
	int rc = machine_new(&task->machine, err);

	if (rc < 0)
		return rc;
	task->allowed = &machine_facts(task->machine)->allowed;
	task->trial.hostname = arena_strdup(
		task->arena, machine_facts(task->machine)->hostname);
	if (machine_is_pretended(task->machine) && !task->arguments->list)
		return error_set(err, ERROR_UNAVAILABLE, ENOTSUP,
			"the topology is not from this machine: c2c can only "
			"--list placements");
	if (task->allowed->n > 1)
		return 0;
	return error_set(err, ERROR_UNAVAILABLE, ENODEV,
		"c2c may use only one CPU here: there is no placement to try");
}

static int run_blocks(struct try_task *task, struct error *err)
{
	struct throttled_periods then, now;
	int rc;

	throttled_count(task->machine, &then);
	rc = try_blocks(task, err);
	throttled_count(task->machine, &now);
	task->throttled = throttled_find_share(&then, &now);
	return rc;
}

static int run_trial(struct arena *arena, void *context, struct error *err)
{
	struct try_task *task = context;
	const struct try_arguments *arguments = task->arguments;
	int rc = outputs_check_writable(&arguments->outputs, "-o", err);

	task->arena = arena;
	task->begun_s = timebase_raw_s();
	choose_seed(task);
	if (rc == 0)
		rc = choose_metric(task, err);
	if (rc == 0)
		rc = choose_ready(task, err);
	if (rc == 0)
		rc = check_this_machine(task, err);
	if (rc == 0)
		rc = try_placements_begin(task, err);
	if (rc == 0)
		rc = choose_threads(task, err);
	if (rc == 0)
		rc = try_placements_make(task, err);
	if (rc == 0 && !arguments->list)
		rc = run_blocks(task, err);
	/* After an interrupt, judge the finished rounds. */
	if (arguments->list || task->trial.rounds[0] == 0 ||
		(rc < 0 && err->code != EINTR))
		return rc;
	trial_judge(&task->trial, arena);
	task->constant = trial_is_constant(&task->trial, arena);
	try_say(task);
	return 0;
}

/* Write and print the trial. Return an enum exit_status. */
static int show_trial(struct try_task *task)
{
	const struct program_trial *trial = &task->trial;
	int status;

	if (task->arguments->list) {
		try_print_list(trial);
		return STATUS_DONE;
	}
	status = try_save(task);
	if (status != STATUS_DONE)
		return status;
	if (!trial->complete)
		return STATUS_INTERRUPTED;
	return trial->verdict == TRIAL_NO_VERDICT ? STATUS_UNDECIDED
						  : STATUS_DONE;
}

static int try_program(struct try_task *task)
{
	struct arena arena = {0};
	struct error err;
	int status;

	if (arena_run(&arena, run_trial, task, "the trial", &err) == 0)
		status = show_trial(task);
	else
		status = err.code == EINTR ? STATUS_INTERRUPTED
					   : cli_fail("try", &err);
	if (task->has_analysis)
		analysis_release(&task->analysis);
	if (task->has_latencies)
		result_release(&task->latencies);
	if (task->has_regex)
		regfree(&task->regex);
	if (task->has_ready_regex)
		regfree(&task->ready_regex);
	cpu_list_release(&task->client_cpus);
	machine_free(task->machine);
	arena_release(&arena);
	return status;
}

static int run_try(int argc, char **argv)
{
	struct try_arguments arguments = {
		.budget_s = BUDGET_S, .limit_s = LIMIT_S};
	const struct option_table table = {
		rows, N_OF(rows), &arguments, check_try_arguments, rules};
	int first = argc;
	const struct option_command command = {
		.name = "try",
		.doc = "Run PROGRAM alternately under several placements of "
		       "its threads, and report whether a placement makes it "
		       "faster. Usually none does.",
		.often = "cpus threads list rounds budget metric better output "
			 "help",
		.examples =
			"c2c try -- ./program\tis a placement faster?\n"
			"c2c try --cpus mine=0-1 -- ./program\ttry CPUs 0 and "
			"1, too\n",
		.tables = &table,
		.n_tables = 1,
		.verbosity = &arguments.verbosity,
		.given = &arguments.given,
		.arguments = "[--] PROGRAM [ARGUMENT...]",
		.first = &first,
	};
	struct try_task task = {
		.arguments = &arguments, .trial.nearness_lasted = -1};
	int status = options_parse(&command, argc, argv);

	if (status == STATUS_DONE && first == argc && !arguments.list) {
		struct error err;

		error_set(&err, ERROR_USAGE, EINVAL,
			"found no PROGRAM: write it after the options, as in "
			"c2c try -- ./program");
		status = cli_fail("try", &err);
	} else if (status == STATUS_DONE) {
		task.program = argv + first;
		task.trial.program = argv + first;
		task.trial.n_program = (size_t)(argc - first);
		status = try_program(&task);
	}
	outputs_release(&arguments.outputs);
	return status;
}

const struct command cmd_try = {
	.name = "try",
	.summary = "Find out whether a placement makes a program faster",
	.run = run_try,
};
