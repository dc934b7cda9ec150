/* The findings of c2c try as JSON. */
#include "result/program_trial.h"

#include "record/pack.h"
#include "result/analysis.h"

const char *const trial_choices[] = {
	[TRIAL_UNBOUND] = "unbound",
	[TRIAL_ONE] = "one-cpu",
	[TRIAL_RANDOM] = "random",
	[TRIAL_NEAR] = "near",
	[TRIAL_FAR] = "far",
	[TRIAL_PACKED] = "packed",
	[TRIAL_SPREAD] = "spread",
	[TRIAL_NODE] = "node",
	[TRIAL_NAMED] = "named",
	NULL,
};

const char *const trial_answers[] = {
	[TRIAL_UNKNOWN] = "",
	[TRIAL_SAME] = "same",
	[TRIAL_PAYS] = "pays",
	[TRIAL_COSTS] = "costs",
	NULL,
};

static const char *const trial_verdicts[] = {
	[TRIAL_NOTHING] = "nothing",
	[TRIAL_FOUND] = "found",
	[TRIAL_NO_VERDICT] = "none",
	NULL,
};

bool trial_is_by_latency(const struct tried_placement *placement)
{
	return placement->choice >= TRIAL_NEAR &&
	       placement->choice <= TRIAL_SPREAD;
}

const struct tried_placement *trial_find_random(
	const struct program_trial *trial)
{
	for (size_t k = 2; k < trial->n_placements; k++) {
		if (trial->placements[k].choice == TRIAL_RANDOM)
			return &trial->placements[k];
	}
	return NULL;
}

static const struct record_field trial_control_rows[] = {
	ROW(trial_judgement, NUMBER, gain_pct, "gain_pct",
		"Gain in speed of the second unbound placement over the first",
		.unit = "%", .nullable = true),
	ROW_OR_NULL(trial_judgement, NUMBER, low_pct, "low_pct",
		"The low end of its 95 % interval", .unit = "%"),
	ROW_OR_NULL(trial_judgement, NUMBER, high_pct, "high_pct",
		"The high end", .unit = "%"),
	{0},
};

static RECORD_TYPE(trial_control, trial_judgement,
	"Difference between the two unbound runs, over all rounds");

static const struct record_field tried_placement_rows[] = {
	ROW(tried_placement, TEXT, name, "name", "Its name in the report",
		.bytes = true),
	ROW(tried_placement, WORD, choice, "choice", "How its CPUs were chosen",
		.words = trial_choices),
	ROW(tried_placement, CPUS, cpus, "cpus",
		"Its CPUs; empty: all, or random ones in each round"),
	ROW(tried_placement, CPUS, memory_nodes, "memory_nodes",
		"NUMA nodes that its memory is bound to; empty: any",
		.optional = true),
	ROW(tried_placement, SIZE, n_cpus, "n_cpus",
		"Number of its CPUs; 0: all"),
	ROW(tried_placement, FLAG, dropped, "dropped",
		"It was left out: the program failed or took too long, or the "
		"near CPUs moved before the second block"),
	ROW_OR_NULL(tried_placement, WORD, judged.answer, "answer",
		"Answer of both blocks, relative to unbound",
		.words = trial_answers),
	ROW_OR_NULL(tried_placement, WORD, judged.against_random,
		"against_random",
		"Answer relative to the same number of random CPUs",
		.words = trial_answers),
	ROW_OR_NULL(tried_placement, WORD, apart, "answer_apart",
		"Answer without stacked runs", .words = trial_answers),
	ROW_OR_NULL(tried_placement, NUMBER, judged.gain_pct, "gain_pct",
		"Gain in speed over unbound: 100 is twice as fast",
		.unit = "%"),
	ROW_OR_NULL(tried_placement, NUMBER, judged.low_pct, "low_pct",
		"The low end of its 95 % interval", .unit = "%"),
	ROW_OR_NULL(tried_placement, NUMBER, judged.high_pct, "high_pct",
		"The high end", .unit = "%"),
	ROW_OR_NULL(tried_placement, NUMBER, judged.visible_pct, "visible_pct",
		"Smallest gain that four trials of five would have shown",
		.unit = "%"),
	ROW(tried_placement, PAIR, judged.p, "p",
		"Adjusted p of each block; null: unknown", .nullable = true),
	ROW(tried_placement, SIZE, n_stacked, "stacked",
		"Number of runs with two running threads on one CPU while "
		"another CPU of the mask was free"),
	ROW(tried_placement, VALUES, values, "values",
		"The metric of each round; null: none",
		.count = offsetof(struct tried_placement, n_values),
		.nullable = true, .line = true),
	{0},
};

static RECORD_TYPE(
	tried_placement, tried_placement, "A placement of the program");

static json_t *pack_rounds(const void *from, const struct pack_context *context)
{
	const struct program_trial *trial = from;

	(void)context;
	return json_pack("[I, I]", (json_int_t)trial->rounds[0],
		(json_int_t)trial->rounds[1]);
}

static const struct record_field trial_rows[] = {
	ROW(program_trial, TEXTS, program, "program",
		"The program and its arguments",
		.count = offsetof(struct program_trial, n_program),
		.bytes = true),
	ROW(program_trial, TEXT, setup, "setup",
		"Command of the server that was placed; the program was its "
		"client",
		.optional = true, .bytes = true),
	ROW_OR_NULL(program_trial, TEXT, hostname, "hostname",
		"Name of the machine"),
	ROW(program_trial, TEXT, metric, "metric",
		"Quantity that was compared: wall, cpu, max-rss, or a regular "
		"expression",
		.bytes = true),
	ROW_OR_NULL(program_trial, TEXT, unit, "unit", "Its unit"),
	ROW(program_trial, FLAG, higher, "better",
		"Whether lower or higher values are better",
		.words = (const char *const[]){"lower", "higher", NULL}),
	ROW(program_trial, FLAG, each, "each",
		"c2c bound each thread to one CPU of the placement: the first "
		"thread to the first CPU, and so on",
		.optional = true),
	ROW(program_trial, SIZE, threads, "threads",
		"Number of threads for which CPUs were chosen"),
	ROW(program_trial, INT64, seed, "seed",
		"Seed of the order of runs and of random CPUs"),
	ROW_MADE(program_trial, pack_rounds, SIZE, rounds, "rounds",
		"Rounds of each block", .depth = FIELD_ROW),
	ROW(program_trial, FLAG, complete, "complete",
		"The trial was not interrupted"),
	ROW(program_trial, WORD, verdict, "verdict",
		"Verdict: a placement pays or costs (found), none differs "
		"(nothing), or there is no verdict (none)",
		.words = trial_verdicts),
	ROW_OR_NULL(program_trial, SWITCH, nearness_lasted, "nearness_lasted",
		"Whether the near CPUs were still near between the blocks; "
		"null: no CPUs were near"),
	ROW(program_trial, WITHIN, control, "control",
		"Difference between the two unbound runs, over all rounds",
		.type = &trial_control_type),
	ROW(program_trial, PAIR, bound_pct, "bound_pct",
		"Bound of the control in each block: smaller differences count "
		"as none",
		.unit = "%", .nullable = true),
	ROW(program_trial, TEXTS, sentences, "sentences", "The report in words",
		.count = offsetof(struct program_trial, n_sentences),
		.bytes = true),
	ROW(program_trial, LIST, placements, "placements",
		"The placements, the two unbound ones first",
		.count = offsetof(struct program_trial, n_placements),
		.type = &tried_placement_type),
	{0},
};

RECORD_TYPE(trial, program_trial, "What c2c try found", .format = "c2c-trial",
	.version = 1);

char *trial_text(const struct program_trial *trial)
{
	return record_to_text(&trial_type, trial, ANALYSIS_DIGITS);
}
