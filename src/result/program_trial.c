/* Makes the JSON of c2c try. */
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
		"Low end of the 95 % interval of the gain", .unit = "%"),
	ROW_OR_NULL(trial_judgement, NUMBER, high_pct, "high_pct",
		"High end of the 95 % interval of the gain", .unit = "%"),
	{0},
};

static RECORD_TYPE(trial_control, trial_judgement,
	"Difference between the two unbound placements over all rounds");

static const struct record_field tried_placement_rows[] = {
	ROW(tried_placement, TEXT, name, "name",
		"Name of the placement in the report", .bytes = true),
	ROW(tried_placement, WORD, choice, "choice",
		"How c2c chose the CPUs of the placement",
		.words = trial_choices),
	ROW(tried_placement, CPUS, cpus, "cpus",
		"CPUs of the placement; empty for all CPUs, or for new random "
		"CPUs in each round"),
	ROW(tried_placement, CPUS, memory_nodes, "memory_nodes",
		"NUMA nodes to which c2c bound the memory; empty for any node",
		.optional = true),
	ROW(tried_placement, SIZE, n_cpus, "n_cpus",
		"Number of CPUs of the placement; 0 for all CPUs"),
	ROW(tried_placement, FLAG, dropped, "dropped",
		"Whether c2c left the placement out: the program failed or "
		"took too long, or the near CPUs moved before the second "
		"block"),
	ROW_OR_NULL(tried_placement, WORD, judged.answer, "answer",
		"Answer of both blocks relative to the unbound placement",
		.words = trial_answers),
	ROW_OR_NULL(tried_placement, WORD, judged.against_random,
		"against_random",
		"Answer relative to the same number of random CPUs",
		.words = trial_answers),
	ROW_OR_NULL(tried_placement, WORD, apart, "answer_apart",
		"Answer if stacked runs do not count", .words = trial_answers),
	ROW_OR_NULL(tried_placement, NUMBER, judged.gain_pct, "gain_pct",
		"Gain in speed over unbound: 100 % is twice the speed",
		.unit = "%"),
	ROW_OR_NULL(tried_placement, NUMBER, judged.low_pct, "low_pct",
		"Low end of the 95 % interval of the gain", .unit = "%"),
	ROW_OR_NULL(tried_placement, NUMBER, judged.high_pct, "high_pct",
		"High end of the 95 % interval of the gain", .unit = "%"),
	ROW_OR_NULL(tried_placement, NUMBER, judged.visible_pct, "visible_pct",
		"Smallest gain that 80 % of equal trials would detect",
		.unit = "%"),
	ROW(tried_placement, PAIR, judged.p, "p",
		"Adjusted p value of each block", .nullable = true),
	ROW(tried_placement, SIZE, n_stacked, "stacked",
		"Number of runs with two running threads on one CPU and an "
		"idle CPU in the mask"),
	ROW(tried_placement, VALUES, values, "values",
		"Value of the metric in each round, or null",
		.count = offsetof(struct tried_placement, n_values),
		.nullable = true, .line = true),
	{0},
};

static RECORD_TYPE(tried_placement, tried_placement,
	"A placement of the program's threads");

static json_t *pack_rounds(const void *from, const struct pack_context *context)
{
	const struct program_trial *trial = from;

	(void)context;
	return json_pack("[I, I]", (json_int_t)trial->rounds[0],
		(json_int_t)trial->rounds[1]);
}

static const struct record_field trial_rows[] = {
	ROW(program_trial, TEXTS, program, "program",
		"The tried program and its arguments",
		.count = offsetof(struct program_trial, n_program),
		.bytes = true),
	ROW(program_trial, TEXT, setup, "setup",
		"Command of the server, if c2c placed a server and the program "
		"was the client",
		.optional = true, .bytes = true),
	ROW_OR_NULL(program_trial, TEXT, hostname, "hostname",
		"Name of the machine"),
	ROW(program_trial, TEXT, metric, "metric",
		"Compared quantity: wall, cpu, max-rss, or a regular "
		"expression",
		.bytes = true),
	ROW_OR_NULL(program_trial, TEXT, unit, "unit", "Unit of the metric"),
	ROW(program_trial, FLAG, higher, "better",
		"Whether lower or higher values are better",
		.words = (const char *const[]){"lower", "higher", NULL}),
	ROW(program_trial, FLAG, each, "each",
		"Whether c2c bound each thread to a CPU of its own, in the "
		"order of the placement",
		.optional = true),
	ROW(program_trial, SIZE, threads, "threads",
		"Number of threads for which c2c chose CPUs"),
	ROW(program_trial, INT64, seed, "seed",
		"Seed for the order of runs and for random CPUs"),
	ROW_MADE(program_trial, pack_rounds, SIZE, rounds, "rounds",
		"Number of rounds in each block", .depth = FIELD_ROW),
	ROW(program_trial, FLAG, complete, "complete",
		"Whether the trial ended without an interruption"),
	ROW(program_trial, WORD, verdict, "verdict",
		"Verdict of the trial: a placement pays or costs (found), no "
		"placement differs (nothing), or c2c has no verdict (none)",
		.words = trial_verdicts),
	ROW_OR_NULL(program_trial, SWITCH, nearness_lasted, "nearness_lasted",
		"Whether the near CPUs were still near between the blocks; "
		"null if no CPUs were near"),
	ROW(program_trial, WITHIN, control, "control",
		"Difference between the two unbound placements over all rounds",
		.type = &trial_control_type),
	ROW(program_trial, PAIR, bound_pct, "bound_pct",
		"Noise bound in each block, from the control; smaller "
		"differences do not count",
		.unit = "%", .nullable = true),
	ROW(program_trial, TEXTS, sentences, "sentences",
		"Sentences of the report",
		.count = offsetof(struct program_trial, n_sentences),
		.bytes = true),
	ROW(program_trial, LIST, placements, "placements",
		"All placements; the first two are unbound",
		.count = offsetof(struct program_trial, n_placements),
		.type = &tried_placement_type),
	{0},
};

RECORD_TYPE(trial, program_trial, "Result of c2c try", .format = "c2c-trial",
	.version = 1);

char *trial_text(const struct program_trial *trial)
{
	return record_to_text(&trial_type, trial, ANALYSIS_DIGITS);
}
