/*
 * A trial: interleaved runs of a program with several placements. c2c try makes
 * a trial, and analyze/trial_verdict.h finds the verdict.
 */
#ifndef C2C_PROGRAM_TRIAL_H
#define C2C_PROGRAM_TRIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/cpu_list.h"

/* A trial has two blocks. c2c measures latencies again between the blocks. */
#define TRIAL_BLOCKS 2

/* How c2c chooses the CPUs of a placement. */
enum trial_choice {
	TRIAL_UNBOUND, /* the first two placements; the control */
	TRIAL_ONE,     /* one CPU */
	TRIAL_RANDOM,  /* new random CPUs in each round */
	TRIAL_NEAR,    /* the nearest CPUs */
	TRIAL_FAR,
	TRIAL_PACKED, /* CPUs in as few groups as possible */
	TRIAL_SPREAD, /* CPUs in as many groups as possible */
	TRIAL_NODE,   /* CPUs of one NUMA node */
	TRIAL_NAMED,  /* CPUs that the user chose */
};

enum trial_answer {
	TRIAL_UNKNOWN, /* not judged */
	TRIAL_SAME,    /* no difference beyond chance */
	TRIAL_PAYS,
	TRIAL_COSTS,
};

/*
 * Result of a placement. For each metric, gain_pct is the gain in speed over
 * the unbound placement in per cent: 100 is twice the speed.
 */
struct trial_judgement {
	enum trial_answer answer;
	enum trial_answer against_random; /* answer relative to random CPUs */
	bool as_random; /* pays, but not more than random CPUs */
	bool blind;	/* the trial could miss twice the speed */
	double gain_pct, low_pct, high_pct;
	double visible_pct;	/* smallest gain that the trial can detect */
	double p[TRIAL_BLOCKS]; /* adjusted p values; or NaN */
};

struct tried_placement {
	char *name;
	enum trial_choice choice;
	struct cpu_list cpus;	      /* empty if unbound or random */
	struct cpu_list memory_nodes; /* NUMA nodes of the memory, if bound */
	size_t n_cpus;		      /* 0: all */
	bool dropped;		      /* c2c left the placement out */
	double *values;		      /* [n_values] one per round, or NaN */
	bool *stacked;		      /* [n_values] */
	size_t n_values;
	size_t n_stacked;
	struct trial_judgement judged;
	enum trial_answer apart; /* answer if stacked runs do not count */
};

enum trial_verdict {
	TRIAL_NOTHING,	  /* no placement differs */
	TRIAL_FOUND,	  /* a placement pays or costs */
	TRIAL_NO_VERDICT, /* see why */
};

struct program_trial {
	char **program; /* [n_program] arguments */
	size_t n_program;
	const char *setup;  /* command of the server, or NULL */
	char *hostname;	    /* or NULL */
	const char *metric; /* such as "wall", or a regular expression */
	const char *unit;   /* NULL: unknown */
	bool higher;	    /* higher values are better */
	bool each;	    /* c2c bound each thread to one CPU */
	size_t threads;
	int64_t seed;
	size_t rounds[TRIAL_BLOCKS]; /* complete rounds without warm-up */
	bool complete;
	enum trial_verdict verdict;
	struct trial_judgement control; /* unbound placements, all rounds */
	double bound_pct[TRIAL_BLOCKS]; /* smaller differences are noise */
	int nearness_lasted;		/* 0 or 1; -1 if no CPUs were near */
	struct tried_placement *placements;
	size_t n_placements;
	char **sentences; /* [n_sentences] */
	size_t n_sentences;
};

extern const char *const trial_choices[];
extern const char *const trial_answers[];

bool trial_is_by_latency(const struct tried_placement *placement);

const struct tried_placement *trial_find_random(
	const struct program_trial *trial);

/* Return the JSON of a trial, or NULL if out of memory. The caller frees it. */
extern const struct record_type trial_type;
char *trial_text(const struct program_trial *trial);

#endif
