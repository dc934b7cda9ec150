/*
 * The hosts of a fleet: the compared levels, the outliers, and the reasons.
 *
 * All memory is in the caller's arena.
 */
#ifndef C2C_FLEET_H
#define C2C_FLEET_H

#include "result/comparison.h"

/* Fewest hosts, without the reference, for a host to be an outlier. */
#define FLEET_OTHERS_MIN 4

/* A quantity to compare the hosts of a kind by; each host has one value. */
struct fleet_level {
	char *name; /* "latency: llc, inside" */
	char *unit; /* NULL: a share, the width of intervals */
	bool higher_is_better;
	bool wide_only; /* only high values are outliers */
	size_t n;	/* hosts that count and have a value */
	double median;
	double spread_pct; /* scaled median absolute deviation */
	double limit_pct; /* an outlier is farther from the median; NaN: none */
	/* Logs of the ratio to the first host: median and limit. */
	double log_median, log_limit;
};

struct fleet_value {
	size_t level; /* index in the kind's levels */
	double value; /* value in the level's unit */
	double log;   /* logarithm of the ratio to the first host */
};

/* Return how far a value is from the median of its level, in percent. */
double fleet_off_pct(
	const struct fleet_level *level, const struct fleet_value *value);

enum fleet_what {
	FLEET_LEVEL,	/* a value is far from the median */
	FLEET_NOISE,	/* intervals are wide */
	FLEET_TOPOLOGY, /* the system reports other groups than on most */
	FLEET_CPUS,	/* CPUs are missing or added */
	FLEET_RUN,	/* the run drifted, or was interrupted */
	FLEET_SETTING,	/* kernel, microcode, options: not an outlier */
};

struct fleet_reason {
	enum fleet_what what;
	const char *name; /* name of the level or the fact */
	double off_pct;	  /* distance from the median; NaN */
	char *text;	  /* a sentence without subject and full stop */
};

struct fleet_host {
	char *source, *hostname; /* hostname may be NULL */
	char *shown;		 /* host's name, on one line */
	char *shown_source;	 /* source, on one line */
	char *alone; /* why it cannot be compared with the reference; NULL */
	bool again;  /* does not count: another file has this host */
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

/* A fact with different values on most and on some hosts. */
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
	/* All hosts are compared with [0]. */
	struct fleet_host *hosts;
	size_t n;
	size_t *order; /* [n] hosts by distance; 0 is first */
	struct fleet_difference *differences;
	size_t n_differences;
	size_t n_outliers;
};

/* A file that is not a record. */
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
