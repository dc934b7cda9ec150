/*
 * The hosts of a fleet beside each other: what is compared of them, who stands
 * out, and why.
 *
 * All of it is in one arena that the caller has.
 */
#ifndef C2C_FLEET_H
#define C2C_FLEET_H

#include "result/comparison.h"

/* A host can be an outlier if there are so many beside the reference. */
#define FLEET_OTHERS_MIN 4

/* What the hosts of a kind are compared by: each has one value of it. */
struct fleet_level {
	char *name; /* "latency: llc, inside" */
	char *unit; /* NULL: a share, how wide the intervals are */
	bool higher_is_better;
	bool wide_only; /* no host is an outlier because its value is low */
	size_t n;	/* hosts that count and have a value */
	double median;
	double spread_pct; /* scaled median absolute deviation */
	double limit_pct; /* farther from the median is an outlier; NaN: none */
	/* The same as logarithms of what a host has over what the first has. */
	double log_median, log_limit;
};

struct fleet_value {
	size_t level; /* in the kind's levels */
	double value; /* in its unit */
	double log;   /* of its ratio to the first host */
};

enum fleet_what {
	FLEET_LEVEL,	/* a value is far from the median */
	FLEET_NOISE,	/* intervals are wide */
	FLEET_TOPOLOGY, /* the system says something else than on most */
	FLEET_CPUS,	/* CPUs are missing, or there are more */
	FLEET_RUN,	/* it drifted, or did not end in order */
	FLEET_SETTING,	/* kernel, microcode, options: no outlier for that */
};

struct fleet_reason {
	enum fleet_what what;
	const char *name; /* of the level or the fact */
	double off_pct;	  /* from the median; NaN */
	char *text;	  /* a sentence without its subject and its end */
};

struct fleet_host {
	char *source, *hostname; /* hostname may be NULL */
	char *shown;		 /* who it is, on one line */
	char *shown_source;	 /* as is this */
	char *alone; /* why the reference has no comparison with it, or NULL */
	bool again;  /* another file is of this host: does not count */
	bool outlier;
	double distance_pct, change_pct; /* from the first host of the kind */
	char *cpus;
	struct fleet_value *values;
	size_t n_values;
	struct compare_fact *facts; /* where it differs from the first host */
	size_t n_facts;
	struct fleet_reason *reasons;
	size_t n_reasons;
};

/* A fact that some hosts have otherwise than most. */
struct fleet_difference {
	char *what, *most, *value;
	size_t *hosts; /* [n] of the kind */
	size_t n;
};

/* Hosts that can be compared with each other. */
struct fleet_kind {
	char *model; /* of its CPUs, or NULL */
	char *command;
	char *cpus; /* "0-127" */
	size_t n_cpus;
	struct fleet_level *levels;
	size_t n_levels;
	/* [0] is the one the others are compared with */
	struct fleet_host *hosts;
	size_t n;
	size_t *order; /* [n] hosts from the nearest; the first is 0 */
	struct fleet_difference *differences;
	size_t n_differences;
	size_t n_outliers;
};

/* A file that is no record. */
struct fleet_unread {
	char *source, *reason;
	char *shown; /* the reason on one line */
};

struct fleet {
	struct fleet_kind *kinds; /* [0] is the reference's */
	size_t n;
	struct fleet_unread *unread;
	size_t n_unread;
};

/* Of the part of the comparison format that is of a struct fleet. */
extern const struct record_type fleet_type;

#endif
