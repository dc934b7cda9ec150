/*
 * A program that was run under several placements in turns: c2c try makes it,
 * analyze/trial_verdict.h judges it, and this is its JSON.
 */
#ifndef C2C_PROGRAM_TRIAL_H
#define C2C_PROGRAM_TRIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/cpu_list.h"

/* A trial has two blocks, with a new measurement of latencies between them. */
#define TRIAL_BLOCKS 2

/* How the CPUs of a placement were chosen. */
enum trial_choice {
	TRIAL_UNBOUND, /* the first two placements: the control */
	TRIAL_ONE,     /* one CPU */
	TRIAL_RANDOM,  /* other CPUs in each round */
	TRIAL_NEAR,    /* by the latencies: the nearest CPUs, ... */
	TRIAL_FAR,
	TRIAL_PACKED, /* in as few groups of a level as possible */
	TRIAL_SPREAD, /* in as many */
	TRIAL_NAMED,  /* by the user */
};

enum trial_answer {
	TRIAL_UNKNOWN, /* not judged */
	TRIAL_SAME,    /* nothing beyond chance */
	TRIAL_PAYS,
	TRIAL_COSTS,
};

/*
 * What the rounds say of a placement. A gain is that in speed over unbound, in
 * per cent: 100 is twice as fast, whatever the metric is.
 */
struct trial_judgement {
	enum trial_answer answer;
	enum trial_answer against_random; /* compared with random CPUs */
	bool as_random; /* it would pay, but does not beat random CPUs */
	double gain_pct, low_pct, high_pct;
	double visible_pct;	/* what these rounds would have shown */
	double p[TRIAL_BLOCKS]; /* adjusted; NaN: no such block */
};

struct tried_placement {
	char *name;
	enum trial_choice choice;
	struct cpu_list cpus; /* empty: unbound, or TRIAL_RANDOM */
	size_t n_cpus;	      /* 0: all */
	bool dropped;	      /* from the second block */
	double *values;	      /* [n_values] one a round; NaN: none */
	bool *stacked;	      /* [n_values] */
	size_t n_values;
	size_t n_stacked;
	struct trial_judgement judged;
	enum trial_answer apart; /* the answer without stacked runs */
};

enum trial_verdict {
	TRIAL_NOTHING,	  /* no placement differs */
	TRIAL_FOUND,	  /* some placement pays or costs */
	TRIAL_NO_VERDICT, /* see why */
};

struct program_trial {
	char **program; /* [n_program] its words */
	size_t n_program;
	char *hostname;	    /* or NULL */
	const char *metric; /* "wall", or the regular expression */
	const char *unit;   /* NULL: unknown */
	bool higher;	    /* values are better if higher */
	size_t threads;
	int64_t seed;
	size_t rounds[TRIAL_BLOCKS]; /* finished, without the warm-up */
	bool complete;
	enum trial_verdict verdict;
	/* Unbound against itself, over all rounds, and its bound in a block. */
	struct trial_judgement control;
	double bound_pct[TRIAL_BLOCKS];
	int nearness_lasted; /* 1 or 0; negative: nothing was near */
	struct tried_placement *placements;
	size_t n_placements;
	char **sentences; /* [n_sentences] */
	size_t n_sentences;
};

extern const char *const trial_choices[];
extern const char *const trial_answers[];

/* Whether a placement was chosen by the latencies. */
bool trial_is_by_latency(const struct tried_placement *placement);

/* The placement of random CPUs, or NULL. */
const struct tried_placement *trial_find_random(
	const struct program_trial *trial);

/* The format of a struct program_trial, and its text for free(), or NULL. */
extern const struct record_type trial_type;
char *trial_text(const struct program_trial *trial);

#endif
