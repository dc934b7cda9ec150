/*
 * A trial: runs of a program under alternating placements. c2c try makes a
 * trial, analyze/trial_verdict.h judges it; its JSON is here.
 */
#ifndef C2C_PROGRAM_TRIAL_H
#define C2C_PROGRAM_TRIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/cpu_list.h"

/* A trial has two blocks; latencies are measured again between the blocks. */
#define TRIAL_BLOCKS 2

/* How the CPUs of a placement were chosen. */
enum trial_choice {
	TRIAL_UNBOUND, /* the first two placements, which are the control */
	TRIAL_ONE,     /* one CPU */
	TRIAL_RANDOM,  /* different random CPUs in each round */
	TRIAL_NEAR,    /* by latencies: the nearest CPUs, ... */
	TRIAL_FAR,
	TRIAL_PACKED, /* in as few groups of a level as possible */
	TRIAL_SPREAD, /* in as many groups as possible */
	TRIAL_NODE,   /* the CPUs of one NUMA node */
	TRIAL_NAMED,  /* chosen by the user */
};

enum trial_answer {
	TRIAL_UNKNOWN, /* not judged */
	TRIAL_SAME,    /* nothing beyond chance */
	TRIAL_PAYS,
	TRIAL_COSTS,
};

/*
 * The judgement of a placement. A gain is the increase in speed over unbound,
 * in per cent: 100 is twice as fast, for each metric.
 */
struct trial_judgement {
	enum trial_answer answer;
	enum trial_answer against_random; /* compared with random CPUs */
	bool as_random; /* pays, but does not beat random CPUs */
	bool blind;	/* twice the speed might not have shown */
	double gain_pct, low_pct, high_pct;
	double visible_pct;	/* least gain that these rounds could show */
	double p[TRIAL_BLOCKS]; /* adjusted; NaN: no such block */
};

struct tried_placement {
	char *name;
	enum trial_choice choice;
	struct cpu_list cpus;	      /* empty: unbound, or TRIAL_RANDOM */
	struct cpu_list memory_nodes; /* its memory is only there; or empty */
	size_t n_cpus;		      /* 0: all */
	bool dropped;		      /* left out, perhaps after some rounds */
	double *values;		      /* [n_values] one a round; NaN: none */
	bool *stacked;		      /* [n_values] */
	size_t n_values;
	size_t n_stacked;
	struct trial_judgement judged;
	enum trial_answer apart; /* answer without stacked runs */
};

enum trial_verdict {
	TRIAL_NOTHING,	  /* no placement differs */
	TRIAL_FOUND,	  /* a placement pays or costs */
	TRIAL_NO_VERDICT, /* see why */
};

struct program_trial {
	char **program; /* [n_program] arguments */
	size_t n_program;
	const char *setup;  /* the command of its server, or NULL */
	char *hostname;	    /* or NULL */
	const char *metric; /* "wall", or the regular expression */
	const char *unit;   /* NULL: unknown */
	bool higher;	    /* values are better if higher */
	bool each;	    /* each thread was bound to one CPU */
	size_t threads;
	int64_t seed;
	size_t rounds[TRIAL_BLOCKS]; /* finished rounds, without the warm-up */
	bool complete;
	enum trial_verdict verdict;
	struct trial_judgement control; /* the unbound runs, over all rounds */
	double bound_pct[TRIAL_BLOCKS]; /* a difference must exceed it */
	int nearness_lasted;		/* 1 or 0; negative: nothing was near */
	struct tried_placement *placements;
	size_t n_placements;
	char **sentences; /* [n_sentences] */
	size_t n_sentences;
};

extern const char *const trial_choices[];
extern const char *const trial_answers[];

/* Whether a placement was chosen by latencies. */
bool trial_is_by_latency(const struct tried_placement *placement);

/* Return the placement of random CPUs, or NULL. */
const struct tried_placement *trial_find_random(
	const struct program_trial *trial);

/* The format of a struct program_trial, and its text for free(), or NULL. */
extern const struct record_type trial_type;
char *trial_text(const struct program_trial *trial);

#endif
