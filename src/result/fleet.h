/*
 * Hosts of a fleet, with compared levels, outliers and reasons.
 *
 * The arena of the caller owns all memory.
 */
#ifndef C2C_FLEET_H
#define C2C_FLEET_H

#include "result/comparison.h"

/* c2c finds no outliers among fewer hosts besides the reference. */
#define FLEET_OTHERS_MIN 4

/* A level or value in which c2c compares hosts of a kind. */
struct fleet_level {
	char *name; /* "latency: llc, inside" */
	char *unit; /* NULL for the width of intervals, a share */
	bool higher_is_better;
	bool wide_only; /* only high values count */
	size_t n;	/* different hosts with a value */
	double median;
	double spread_pct; /* scaled median absolute deviation */
	double limit_pct;  /* limit for outliers; NaN without outliers */
	/* Median and limit of log(value / value of the first host). */
	double log_median, log_limit;
};

struct fleet_value {
	size_t level; /* index in fleet_kind.levels */
	double value; /* value in the unit of the level */
	double log;   /* log(value / value of the first host) */
};

/* Return how far a value is from the median of its level, in percent. */
double fleet_off_pct(
	const struct fleet_level *level, const struct fleet_value *value);

enum fleet_what {
	FLEET_LEVEL,	/* a value is far from the median */
	FLEET_NOISE,	/* intervals are wide */
	FLEET_TOPOLOGY, /* topology differs from most hosts */
	FLEET_CPUS,	/* CPUs differ from most hosts */
	FLEET_RUN,	/* the run drifted or was interrupted */
	FLEET_SETTING, /* kernel, microcode or options differ; not an outlier */
};

struct fleet_reason {
	enum fleet_what what;
	const char *name; /* name of the level or the fact */
	double off_pct;	  /* distance from the median, or NaN */
	char *text;	  /* predicate of a sentence */
};

struct fleet_host {
	char *source, *hostname; /* hostname may be NULL */
	char *shown;		 /* hostname on one line */
	char *shown_source;	 /* source on one line */
	char *alone;		 /* why c2c cannot compare the host; or NULL */
	bool again;		 /* an earlier file has the same host */
	bool outlier;
	double distance_pct, change_pct; /* relative to the first host */
	char *cpus;
	struct fleet_value *values;
	size_t n_values;
	struct compare_fact *facts; /* facts that differ from the first host */
	size_t n_facts;
	struct fleet_reason *reasons;
	size_t n_reasons;
};

/* A fact whose value differs between hosts. */
struct fleet_difference {
	char *what, *most, *value;
	size_t *hosts; /* [n] indexes in fleet_kind.hosts */
	size_t n;
};

/* Hosts that can be compared with each other. */
struct fleet_kind {
	char *model; /* CPU model, or NULL */
	char *command;
	char *cpus; /* "0-127" */
	size_t n_cpus;
	struct fleet_level *levels;
	size_t n_levels;
	/* hosts[0] is the host with which c2c compares the others. */
	struct fleet_host *hosts;
	size_t n;
	size_t *order; /* [n] hosts by distance from hosts[0] */
	struct fleet_difference *differences;
	size_t n_differences;
	size_t n_outliers;
};

/* A file that c2c cannot read as a record. */
struct fleet_unread {
	char *source, *reason;
	char *shown; /* reason on one line */
};

struct fleet {
	struct fleet_kind *kinds; /* kinds[0] has the reference */
	size_t n;
	struct fleet_unread *unread;
	size_t n_unread;
};

extern const struct record_type fleet_type;

#endif
