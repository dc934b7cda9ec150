/*
 * c2c watch: measure bursts of latency while other work runs, show the matrix
 * of the last burst on a screen, and report changes.
 *
 * analyze/epochs/bursts.c decides what is an event, and watch_words.c describes
 * it. watch_log.c has the log and the metrics, watch_screen.c has the keys and
 * the screen, and watch_pace.c has the duty.
 */
#include "cmd/watch/cmd_watch.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "analyze/analyze.h"
#include "cmd/cli.h"
#include "cmd/watch/watch_screen.h"
#include "commands.h"
#include "result/describe.h"
#include "result/file.h"
#include "stat/stat.h"
#include "util/array.h"
#include "util/size.h"
#include "util/text.h"

/* Defaults of c2c latency. */
#define ROUND_TRIPS 50
#define SAMPLES	    9
#define WARM_UP	    4
#define LINES_USED  1024

/* Limits for the values in all passes of the record, and for the passes. */
#define WINDOW_VALUES ((size_t)1 << 20)
#define WINDOW_MOST   ((size_t)8192)
#define WINDOW_LEAST  ((size_t)128)

/* Share of the duty for the search for moves. */
#define LOOK_SHARE 0.3

/* Time whose duty the trial of the waiting loops may use. */
#define SPIN_HINT_TRIAL_S 1.0

/* With more CPUs a search for groups takes seconds. */
#define GROUPS_CPUS 160

/* Seconds between saves of the metrics, and between readings of stolen time. */
#define METRICS_S 5.0
#define STEAL_S	  2.0

/* Longest wait for keys and signals. */
#define NAP_S 0.05

static double clock_s(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

const struct error *watch_sink_error(const struct watch *watch)
{
	for (size_t k = 0; k < WATCH_SINKS; k++) {
		if (watch->sink_errors[k].code)
			return &watch->sink_errors[k];
	}
	return NULL;
}

/*
 * Report the first error of each output, and continue. With a screen, report it
 * at the end.
 */
static void note_sink_error(
	struct watch *watch, enum watch_sink sink, const struct error *err)
{
	bool first = watch->sink_errors[sink].code == 0;

	watch->sink_errors[sink] = *err;
	if (first && !watch->screen)
		cli_warn("watch", "%s; c2c continues and tries again",
			err->text);
}

static void update_state(struct watch *watch)
{
	struct watch_state *state = &watch->state;
	double now_s = timebase_raw_s();

	state->now_s = clock_s(CLOCK_REALTIME);
	state->watch_s = now_s - watch->start_s;
	state->duty = watch_pace_duty(&watch->pace, watch->bursts.n,
		clock_s(CLOCK_PROCESS_CPUTIME_ID), now_s);
	state->held_s = watch_pace_held_s(&watch->pace);
}

static void record_watch_event(
	struct watch *watch, const char *what, const struct watch_event *event)
{
	struct error err;

	update_state(watch);
	if (watch_log_event(&watch->log, &watch->state, what, event, &err) < 0)
		note_sink_error(watch, WATCH_LOG, &err);
}

/* Record an event without CPUs: "start" or "end". */
static void record_plain_event(
	struct watch *watch, const char *what, char *text)
{
	const struct watch_event event = {
		.at_s = clock_s(CLOCK_REALTIME), .change = NAN, .text = text};

	if (text)
		record_watch_event(watch, what, &event);
	free(text);
}

static void save_metrics(struct watch *watch)
{
	struct error err;

	if (!watch->options->textfile)
		return;
	update_state(watch);
	watch->saved_s = timebase_raw_s();
	if (watch_metrics_save(&watch->state, watch->options->textfile, &err) <
		0)
		note_sink_error(watch, WATCH_TEXTFILE, &err);
}

static void update_latency_state(struct watch *watch, const double *values)
{
	size_t n = watch->bursts.passes.n_pairs, used = 0;
	double *known = calloc(n, sizeof(*known));

	if (!known)
		return;
	for (size_t p = 0; p < n; p++) {
		if (isfinite(values[p]))
			known[used++] = values[p];
	}
	stat_sort(known, used);
	watch->state.least_ns = used ? known[0] : NAN;
	watch->state.median_ns = used ? known[used / 2] : NAN;
	watch->state.most_ns = used ? known[used - 1] : NAN;
	free(known);
}

/* Add a burst as one value for each pair: the median of its passes. */
static void add_measured_burst(
	struct watch *watch, const struct campaign *campaign)
{
	size_t first = campaign->n_passes - campaign->burst;
	double *values =
		bursts_add(&watch->bursts, campaign->pass_start_s[first]);
	double passes[PACE_PASSES];

	for (size_t p = 0; p < campaign->schedule.n_pairs; p++) {
		const struct schedule_pair *pair = &campaign->schedule.pairs[p];
		size_t used = campaign_gather(
			campaign, p, 0, first, campaign->n_passes, 1, passes);

		values[bursts_pair_index(&watch->bursts, pair->first,
			pair->second)] = stat_median(passes, used);
	}
	bursts_learn_usual(&watch->bursts);
	update_latency_state(watch, values);
	watch->state.bursts++;
	watch->state.passes += campaign->burst;
}

/* Find the groups in bursts first to last - 1. Return false without groups. */
static bool find_burst_groups(struct watch *watch, size_t first, size_t last,
	struct analysis *analysis)
{
	static const char *const name = "watch";
	const struct analysis_epoch epoch = {
		.first = first, .n_passes = last - first};
	struct result part;
	struct error err;
	int rc;

	if (watch->cpus->n > GROUPS_CPUS ||
		epoch_result(&watch->base, &watch->bursts.passes, &epoch, &part,
			&err) < 0)
		return false;
	rc = analysis_make(&part, &name, 1, analysis, &err);
	result_release(&part);
	return rc == 0;
}

static void keep_event(struct watch *watch, const struct watch_event *event)
{
	struct watch_event *place =
		&watch->events[watch->n_recorded++ % WATCH_EVENTS];

	free(place->text);
	*place = *event;
	watch->state.events++;
	for (size_t i = 0; i < event->n_cpus; i++)
		watch->moves[cpu_list_find(watch->cpus, event->cpus[i])]++;
}

static void record_watch_moves(struct watch *watch, size_t first,
	const struct epoch_move *moves, size_t n_moves)
{
	struct analysis before, after;
	bool known = find_burst_groups(watch, 0, first, &before);
	bool both = known && find_burst_groups(watch, first,
				     watch->bursts.passes.n_passes, &after);
	const struct watch_change change = {.bursts = &watch->bursts,
		.first = first,
		.cpus = watch->cpus,
		.before = both ? &before : NULL,
		.after = both ? &after : NULL};
	double at_s = watch->bursts.passes.start_s[first];

	for (size_t k = 0; k < n_moves; k++) {
		struct watch_event event;
		struct error err;

		if (watch_describe_move(&change, &moves[k], &event, &err) < 0) {
			note_sink_error(watch, WATCH_LOG, &err);
			continue;
		}
		event.at_s = watch->unix_s + at_s;
		keep_event(watch, &event);
		record_watch_event(watch, "moved", &event);
	}
	if (known)
		analysis_release(&before);
	if (both)
		analysis_release(&after);
}

/* Search for moves, as often as the duty allows. */
static void look_for_moves(struct watch *watch)
{
	struct arena arena = {.last = NULL};
	struct epoch_move *moves;
	size_t n_moves, first;
	double start_s = clock_s(CLOCK_PROCESS_CPUTIME_ID);

	if (timebase_raw_s() - watch->looked_s <
		watch->look_s / (LOOK_SHARE * watch->pace.cpus_s))
		return;
	first = bursts_find_event(&watch->bursts, &moves, &n_moves, &arena);
	watch->state.agreement = bursts_agreement(&watch->bursts);
	if (first > 0) {
		record_watch_moves(watch, first, moves, n_moves);
		bursts_discard_before(&watch->bursts, first);
		if (watch->order == WATCH_BY_GROUPS)
			watch_sort_cpus(watch);
	}
	arena_release(&arena);
	watch->look_s = clock_s(CLOCK_PROCESS_CPUTIME_ID) - start_s;
	watch->looked_s = timebase_raw_s();
}

static void note_steal(struct watch *watch)
{
	double now_s = timebase_raw_s(), stolen_s;

	if (now_s - watch->stolen_at_s < STEAL_S)
		return;
	stolen_s = machine_stolen_s();
	if (watch->stolen_s >= 0 && stolen_s >= 0)
		watch->state.stolen =
			(stolen_s - watch->stolen_s) /
			(now_s - watch->stolen_at_s) /
			machine_facts(watch->machine)->cpus_online;
	watch->stolen_s = stolen_s;
	watch->stolen_at_s = now_s;
}

void watch_sort_cpus(struct watch *watch)
{
	const struct cpu_list *cpus = watch->cpus;
	struct cpu_list *shown = &watch->shown;
	struct arena arena = {.last = NULL};
	struct analysis analysis;

	memcpy(shown->cpus, cpus->cpus, cpus->n * sizeof(*cpus->cpus));
	if (watch->order == WATCH_BY_TOPOLOGY && watch->machine)
		machine_sort_by_topology(watch->machine, shown);
	else if (watch->order == WATCH_BY_NUMBER)
		cpu_list_sort(shown);
	if (watch->order == WATCH_BY_GROUPS &&
		find_burst_groups(
			watch, 0, watch->bursts.passes.n_passes, &analysis)) {
		const size_t *order = analysis_cpu_order(&analysis, &arena);

		for (size_t i = 0; order && i < cpus->n; i++)
			shown->cpus[i] = cpus->cpus[order[i]];
		analysis_release(&analysis);
	}
	arena_release(&arena);
}

char *watch_record_name(void)
{
	time_t now = time(NULL);
	char text[64];
	struct tm tm;

	gmtime_r(&now, &tm);
	strftime(text, sizeof(text), "c2c-watch-%Y%m%dT%H%M%SZ.json", &tm);
	return strdup(text);
}

/* Initialise members that need the CPUs and the machine, at the first rest. */
static int watch_begin(
	struct watch *watch, const struct campaign *campaign, struct error *err)
{
	const struct machine *machine = campaign->options.machine;
	const struct timebase unknown = {.source = "unknown", .hz = 1};
	double now_s = timebase_raw_s();
	size_t n;
	int rc;

	watch->machine = machine;
	watch->cpus = campaign->options.cpus;
	n = watch->cpus->n;
	watch->start_s = now_s - campaign->elapsed_s;
	watch->unix_s = clock_s(CLOCK_REALTIME) - campaign->elapsed_s;
	watch->moves = calloc(n, sizeof(*watch->moves));
	watch->shown = (struct cpu_list){calloc(n, sizeof(unsigned)), n};
	if (!watch->moves || !watch->shown.cpus)
		return error_no_memory(err, "the watch");
	watch->state.host = machine_facts(machine)->hostname;
	watch->state.cpus = watch->cpus;
	watch->state.moves = watch->moves;
	rc = bursts_init(&watch->bursts, n, err);
	if (rc < 0)
		return rc;
	watch->bursts.passes.name = strdup("latency");
	watch->bursts.passes.unit = strdup("ns");
	rc = describe_result(
		&watch->base, "watch", watch->cpus, machine, &unknown, err);
	if (rc == 0 && !result_add_matrix(&watch->base, "latency", "median",
			       "ns", "one-way", false, true))
		rc = error_no_memory(err, "the watch");
	watch_sort_cpus(watch);
	if (rc == 0 && !watch->options->no_screen)
		rc = screen_open(&watch->screen, err);
	if (rc < 0)
		return rc;
	watch->begun = true;
	record_plain_event(watch, "start",
		text_format("c2c watches %zu CPUs and may use %.3g %% of their "
			    "time",
			n, watch->options->duty_pct));
	return 0;
}

/* Sleep and handle keys until the next burst may begin. */
static void wait_for_next_burst(struct watch *watch)
{
	double end_s = watch->start_s + watch->options->for_s;

	while (!watch->quit && !cli_stop_was_requested()) {
		double now_s = timebase_raw_s();
		double next_s = watch_pace_next_s(&watch->pace, watch->began_s,
			clock_s(CLOCK_PROCESS_CPUTIME_ID));
		double nap_s;

		if (now_s >= end_s || now_s >= next_s)
			break;
		nap_s = fmin(fmin(next_s, end_s) - now_s, NAP_S);
		if (watch->screen) {
			update_state(watch);
			screen_turn(watch->screen, watch, nap_s);
		} else {
			const struct timespec nap = {
				.tv_nsec = (long)(nap_s * 1e9)};

			nanosleep(&nap, NULL);
		}
	}
	if (timebase_raw_s() >= end_s)
		watch->quit = true;
}

static bool watch_rest(struct measure_plan *plan, struct campaign *campaign)
{
	struct watch *watch = plan->context;
	double burst_s = clock_s(CLOCK_PROCESS_CPUTIME_ID) - watch->cpu_s;
	struct error err;

	if (!watch->begun && watch_begin(watch, campaign, &err) < 0) {
		watch->begin_error = err;
		watch->begin_failed = true;
		return false;
	}
	add_measured_burst(watch, campaign);
	watch_pace_note(&watch->pace, campaign->burst, burst_s,
		clock_s(CLOCK_PROCESS_CPUTIME_ID));
	look_for_moves(watch);
	note_steal(watch);
	if (timebase_raw_s() - watch->saved_s >= METRICS_S)
		save_metrics(watch);
	wait_for_next_burst(watch);
	campaign->burst = watch_pace_passes(&watch->pace);
	watch->began_s = timebase_raw_s();
	watch->cpu_s = clock_s(CLOCK_PROCESS_CPUTIME_ID);
	return !watch->quit;
}

/* Restore the terminal before printing. */
static void watch_after_campaign(struct measure_plan *plan)
{
	struct watch *watch = plan->context;
	bool had_screen = watch->screen;

	screen_close(watch->screen);
	watch->screen = NULL;
	if (watch->begin_failed) {
		plan->status = cli_fail("watch", &watch->begin_error);
		return;
	}
	if (!watch->begun)
		return;
	/* Print errors that the screen no longer shows. */
	for (size_t k = 0; had_screen && k < WATCH_SINKS; k++) {
		if (watch->sink_errors[k].code)
			cli_warn("watch", "%s", watch->sink_errors[k].text);
	}
	update_state(watch);
	record_plain_event(watch, "end",
		text_format("%zu events in %.0f s; c2c used %.3g %% of the "
			    "CPUs' time",
			watch->state.events, watch->state.watch_s,
			watch->state.duty * 100));
	save_metrics(watch);
	if (watch_sink_error(watch))
		plan->status = STATUS_FAILED;
}

/* Add the facts of the watch to the record. */
static int watch_finish(struct measure_plan *plan, struct campaign *campaign,
	struct result *result, struct error *err)
{
	struct watch *watch = plan->context;
	struct facts *facts = &result->run.other;

	(void)campaign;
	/* There is no burst before the end of the first pass. */
	if (!watch->begun)
		return 0;
	update_state(watch);
	facts_set_count(facts, "watch.bursts", (int64_t)watch->state.bursts);
	facts_set_count(facts, "watch.passes", (int64_t)watch->state.passes);
	facts_set_count(facts, "watch.events", (int64_t)watch->state.events);
	facts_set_number(facts, "watch.duty_pct", watch->state.duty * 100);
	return facts->failed ? error_no_memory(err, "the record") : 0;
}

/* watch_report() prints everything. */
static void watch_print(const struct result *result)
{
	(void)result;
}

static int watch_prepare(struct measure_plan *plan,
	const struct measure_selection *selection, struct error *err)
{
	struct watch *watch = plan->context;
	const struct watch_options *options = watch->options;
	int rc = 0;

	plan->campaign.most_kept_passes = max_size(WINDOW_LEAST,
		min_size(WINDOW_VALUES / selection->n_pairs, WINDOW_MOST));
	watch_pace_init(&watch->pace, options->duty_pct / 100,
		selection->cpus.n,
		timebase_raw_s() - clock_s(CLOCK_PROCESS_CPUTIME_ID));
	/* Limit the trial of the waiting loops at the start. */
	plan->campaign.spin_hint_budget_s =
		SPIN_HINT_TRIAL_S * watch->pace.cpus_s / 2;
	watch->state.duty_limit = options->duty_pct / 100;
	if (!options->no_screen)
		rc = screen_check(err);
	if (rc < 0)
		return rc;
	if (options->textfile)
		rc = file_check_writable(options->textfile, err);
	if (rc == 0 && options->textfile)
		rc = watch_metrics_check(options->textfile, err);
	if (rc < 0)
		error_prefix(err, "--textfile");
	return rc == 0 ? watch_log_open(&watch->log, options->log,
				 cli_catch_signals(), err)
		       : rc;
}

#define AT(member) offsetof(struct watch_options, member)

static const struct option_row rows[] = {
	{.kind = OPTION_HEADING, .group = 2, .help = "CPU time and duration:"},
	{"duty", OPTION_NUMBER, "PCT", AT(duty_pct),
		.help = "Use at most PCT % of the watched CPUs' time (default "
			"5)",
		.more = "A pass always runs completely, and the next pass "
			"waits in proportion. See [CPU time].",
		.within = {0.1, 50}, .record = "duty_pct"},
	{"for", OPTION_TIME, "TIME", AT(for_s),
		.help = "Stop after this time: 40s, 5m, 2h, 7d (default: run "
			"until you stop it)",
		.within = {0, OPTION_TIME_MAX_S}, .record = "for_s"},
	{.kind = OPTION_HEADING, .group = 3, .help = "Where it reports:"},
	{"no-screen", OPTION_FLAG, NULL, AT(no_screen),
		.help = "Draw nothing (the default if standard output is no "
			"terminal)"},
	{"log", OPTION_TEXT, "FILE", AT(log),
		.help = "Append events to FILE as JSON lines; - is standard "
			"output, without a screen"},
	{"textfile", OPTION_TEXT, "FILE", AT(textfile),
		.help = "Write metrics in the text format of Prometheus to "
			"FILE every five seconds; c2c replaces the whole file"},
	{NULL, OPTION_WORD, "line", AT(method), .record = "method"},
	{NULL, OPTION_COUNT, NULL, AT(round_trips), .record = "round_trips"},
	{NULL, OPTION_COUNT, NULL, AT(samples), .record = "samples"},
	{NULL, OPTION_COUNT, NULL, AT(warm_up), .record = "warm_up"},
	{NULL, OPTION_WORD, "trimmed_mean", AT(sample_statistic),
		.record = "sample_statistic"},
	{NULL, OPTION_COUNT, NULL, AT(lines), .record = "lines"},
	{NULL, OPTION_TEXT, NULL, AT(home.text), .record = "home"},
	{NULL, OPTION_WORD, "none|pause|auto", AT(spin_hint),
		.record = "spin_hint"},
	{"output", OPTION_NOTE,
		.more = "\nWith a screen and without -o, the record goes to "
			"`c2c-watch-TIME.json` in the current folder when the "
			"watch ends, and c2c prints the name."},
};

#define REFUSED                                                                \
	"all-pairs pair from resume passes precision budget jobs idle!auto "   \
	"runs!1 keep-passes"

static const struct option_rule rules[] = {
	{REFUSED, .flaw = ": c2c watch measures all pairs, in bursts, until "
			  "you stop it, and keeps the last passes"},
	{.given = NULL},
};

static int watch_check_options(void *into, struct error *err)
{
	struct watch_options *options = into;
	const struct measure_options *measure = &options->measure;
	bool log = options->log && strcmp(options->log, "-") == 0;
	char *name;
	int rc = 0;

	if (!(options->for_s > 0))
		return error_set(err, ERROR_USAGE, EINVAL,
			"--for: the time must be more than 0");
	if (log && (measure->json || measure->outputs.json))
		return error_set(err, ERROR_USAGE, EINVAL,
			"--log -: the events and the record cannot both go to "
			"standard output; name a file for one of them");
	if (options->textfile)
		rc = outputs_check_not_input(&measure->outputs, "--textfile",
			options->textfile, err);
	if (rc == 0 && options->log && !log)
		rc = outputs_check_not_input(
			&measure->outputs, "--log", options->log, err);
	if (rc == 0 && options->log && options->textfile &&
		file_same(options->log, options->textfile))
		rc = error_set(err, ERROR_USAGE, EINVAL,
			"--log and --textfile name the same file, '%s'",
			options->log);
	if (log || measure->json || measure->outputs.json ||
		!isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO))
		options->no_screen = true;
	options->quiet_end = log || measure->json || measure->outputs.json;
	/* With a screen and without -o, write a record at the end. */
	if (rc < 0 || options->no_screen || measure->outputs.n > 0)
		return rc;
	name = watch_record_name();
	rc = name ? outputs_add(
			    &options->measure.outputs, name, OUTPUT_RESULT, err)
		  : error_no_memory(err, "the name of a file");
	free(name);
	options->named = rc == 0;
	return rc;
}

/*
 * At the end, print the summary and events. The CPU time includes the time to
 * write the record.
 */
static void watch_report(struct watch *watch)
{
	const struct outputs *outputs = &watch->options->measure.outputs;
	const struct watch_state *state = &watch->state;
	size_t shown = watch->n_recorded < WATCH_EVENTS ? watch->n_recorded
							: WATCH_EVENTS;
	char time[WATCH_LOG_TIME_BYTES];

	update_state(watch);
	printf("%zu CPUs for %.1f s: %zu burst%s, %zu pass%s, %zu event%s; "
	       "c2c used %.2f %% of the CPUs' time (limit %g %%",
		watch->bursts.n, state->watch_s, state->bursts,
		state->bursts == 1 ? "" : "s", state->passes,
		state->passes == 1 ? "" : "es", state->events,
		state->events == 1 ? "" : "s", state->duty * 100,
		state->duty_limit * 100);
	if (state->watch_s < state->held_s)
		printf("; the start used the allowance of %.1f s",
			state->held_s);
	puts(")");
	if (watch->bursts.n_usual < BURSTS_LEARN)
		printf("too short to detect moves: %d bursts are needed\n",
			BURSTS_MIN);
	if (watch->options->named && access(outputs->paths[0], F_OK) == 0)
		printf("saved: %s\n", outputs->paths[0]);
	for (size_t k = watch->n_recorded - shown; k < watch->n_recorded; k++) {
		const struct watch_event *event =
			&watch->events[k % WATCH_EVENTS];

		printf("%s %s\n", watch_log_time(event->at_s, time),
			event->text);
	}
}

static void watch_release(void *context)
{
	struct watch *watch = context;

	if (watch->begun && !watch->options->quiet_end)
		watch_report(watch);
	for (size_t k = 0; k < WATCH_EVENTS; k++)
		free(watch->events[k].text);
	free(watch->bursts.passes.name);
	free(watch->bursts.passes.unit);
	bursts_release(&watch->bursts);
	result_release(&watch->base);
	free(watch->moves);
	cpu_list_release(&watch->shown);
	watch_log_close(&watch->log);
}

static void watch_choose(struct measure_plan *plan)
{
	const struct watch *watch = plan->context;
	struct watch_options *options = watch->options;
	struct measure_options *measure = &options->measure;

	measure->jobs = 0;
	measure->keep_passes = true;
	measure->no_report = options->log && strcmp(options->log, "-") == 0;
	measure->passes = (struct option_range){0, 0};
	measure->precision_pct = INFINITY;
	measure->budget_s = INFINITY;
}

static int watch_run(int argc, char **argv)
{
	struct watch_options options = {.duty_pct = 5,
		.for_s = INFINITY,
		.spin_hint = MEASURE_HINT_AUTO,
		.round_trips = ROUND_TRIPS,
		.samples = SAMPLES,
		.warm_up = WARM_UP,
		.lines = LINES_USED,
		.home = {"first", LINES_HOME_FIRST, 0}};
	struct watch watch = {.options = &options,
		.stolen_s = -1,
		.state = {.stolen = NAN, .agreement = NAN}};
	struct measure_plan plan = {
		.command = "watch",
		.doc = "Watch the latencies between all CPUs while other work "
		       "runs, and report when vCPUs move.\vKeys: q quits, "
		       "space freezes the screen, o changes the order of the "
		       "CPUs, s saves the record, ? shows help.",
		.often = "output log textfile no-screen cores cpus duty for "
			 "help",
		.examples = "c2c watch\ta live heatmap, until Ctrl-C\n"
			    "c2c watch --for 1h --log moves.jsonl\ta log of "
			    "moves\n",
		.campaign = {.probe = latency_probes[0],
			.params = {.round_trips = ROUND_TRIPS,
				.samples = SAMPLES,
				.warm_up = WARM_UP},
			.pages = MEMORY_PAGES_BASE},
		.labels = {.name = {"latency", NULL},
			.unit = "ns",
			.quantity = "one-way",
			.factor = 1,
			.noun = "pair"},
		.home = &options.home,
		.lines = &options.lines,
		.spin_hint = &options.spin_hint,
		.refused = REFUSED,
		.options = {rows, N_OF(rows), &options, watch_check_options,
			rules},
		.choose = watch_choose,
		.prepare = watch_prepare,
		.rest = watch_rest,
		.after_campaign = watch_after_campaign,
		.finish = watch_finish,
		.print = watch_print,
		.print_all = true,
		.release = watch_release,
		.context = &watch,
	};

	watch.plan = &plan;
	result_init(&watch.base);
	return measure_command(&plan, &options.measure, argc, argv);
}

const struct command cmd_watch = {
	.name = "watch",
	.summary = "Live heatmap of latencies, and events when vCPUs move",
	.run = watch_run,
};
