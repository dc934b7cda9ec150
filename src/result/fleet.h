/*
 * The hosts of a fleet side by side: what is compared, which stand out, and
 * why.
 *
 * The caller's arena holds all of it.
 */
#ifndef C2C_FLEET_H
#define C2C_FLEET_H

#include "result/comparison.h"

/* Fewest hosts besides the reference if a host can be an outlier. */
#define FLEET_OTHERS_MIN 4

/* What the hosts of a kind are compared by; each host has one value of it. */
struct fleet_level {
	char *name; /* "latency: llc, inside" */
	char *unit; /* NULL: a share, how wide the intervals are */
	bool higher_is_better;
	bool wide_only; /* no host is an outlier for a low value */
	size_t n;	/* hosts that count and have a value */
	double median;
	double spread_pct; /* scaled median absolute deviation */
	double limit_pct; /* farther from the median is an outlier; NaN: none */
	/* Logarithms of the ratio to the first host: median and limit. */
	double log_median, log_limit;
};

struct fleet_value {
	size_t level; /* index in the kind's levels */
	double value; /* value in the level's unit */
	double log;   /* logarithm of the ratio to the first host */
};

enum fleet_what {
	FLEET_LEVEL,	/* a value is far from the median */
	FLEET_NOISE,	/* intervals are wide */
	FLEET_TOPOLOGY, /* the system reports other groups than on most */
	FLEET_CPUS,	/* CPUs are missing, or there are more */
	FLEET_RUN,	/* the run drifted, or did not end in order */
	FLEET_SETTING,	/* kernel, microcode, options: no outlier for that */
};

struct fleet_reason {
	enum fleet_what what;
	const char *name; /* name of the level or the fact */
	double off_pct;	  /* distance from the median; NaN */
	char *text;	  /* a sentence without its subject and its end */
};

struct fleet_host {
	char *source, *hostname; /* hostname may be NULL */
	char *shown;		 /* host's name, on one line */
	char *shown_source;	 /* source, on one line */
	char *alone; /* why the reference cannot be compared with it, or NULL */
	bool again;  /* another file is of this host: it does not count */
	bool outlier;
	double distance_pct, change_pct; /* from the kind's first host */
	char *cpus;
	struct fleet_value *values;
	size_t n_values;
	struct compare_fact *facts; /* facts unlike the first host's */
	size_t n_facts;
	struct fleet_reason *reasons;
	size_t n_reasons;
};

/* A fact whose value on some hosts is not that of most. */
struct fleet_difference {
	char *what, *most, *value;
	size_t *hosts; /* [n] indexes in the kind */
	size_t n;
};

/* Hosts that can be compared with each other. */
struct fleet_kind {
	char *model; /* model of the CPUs, or NULL */
	char *command;
	char *cpus; /* "0-127" */
	size_t n_cpus;
	struct fleet_level *levels;
	size_t n_levels;
	/* The others are compared with [0]. */
	struct fleet_host *hosts;
	size_t n;
	size_t *order; /* [n] hosts from the nearest; 0 is first */
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
	struct fleet_kind *kinds; /* [0] has the reference */
	size_t n;
	struct fleet_unread *unread;
	size_t n_unread;
};

/* The part of the comparison format for a struct fleet. */
extern const struct record_type fleet_type;

#endif
