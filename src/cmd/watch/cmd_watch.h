/*
 * c2c watch, private to its files: the bursts so far, what was told, who is
 * told.
 */
#ifndef C2C_CMD_WATCH_H
#define C2C_CMD_WATCH_H

#include "analyze/epochs/bursts.h"
#include "cmd/measure/measure.h"
#include "cmd/watch/watch_log.h"
#include "cmd/watch/watch_pace.h"
#include "result/result.h"

/* So many of the last events are kept for the screen and the end. */
#define WATCH_EVENTS 64

/* The orders of the matrix, in the turn of the key. */
enum watch_order {
	WATCH_BY_NUMBER,
	WATCH_BY_TOPOLOGY,
	WATCH_BY_GROUPS,
	WATCH_ORDERS
};

struct watch_options {
	struct measure_options measure;
	double duty_pct, for_s;
	const char *log, *textfile;
	bool no_screen;
	bool quiet_end; /* standard output is for something else */
	bool named;	/* the only output is a record, named by c2c */
	/* As those of c2c latency are by default. */
	int method, spin_hint, sample_statistic;
	uint64_t round_trips, samples, warm_up, lines;
	struct measure_home home;
};

/* What tells others, and may fail. */
enum watch_sink {
	WATCH_LOG,
	WATCH_TEXTFILE,
	WATCH_SINKS
};

struct screen;

struct watch {
	struct watch_options *options;
	struct measure_plan *plan;
	const struct machine *machine; /* not before the first rest */
	const struct cpu_list *cpus;
	struct bursts bursts;
	struct watch_pace pace;
	struct watch_state state;
	size_t *moves;	    /* [cpus->n] events of each CPU */
	struct result base; /* what an analysis must know of the machine */
	struct watch_log log;
	struct screen *screen;	  /* NULL: none */
	bool begun, begin_failed; /* refused: it could not begin */

	double start_s, unix_s;	 /* of the campaign, by both clocks */
	double cpu_s;		 /* CPU time when the burst began */
	double began_s;		 /* the burst */
	double look_s, looked_s; /* what a look takes; when one ended */
	double saved_s;		 /* the metrics */
	double stolen_s, stolen_at_s;

	enum watch_order order;
	size_t *places; /* [cpus->n] the CPU at each place of the matrix */
	struct watch_event events[WATCH_EVENTS]; /* the latest, in turn */
	size_t n_recorded;			 /* in all; more than events */
	struct error sink_errors[WATCH_SINKS];	 /* the latest; code 0: none */
	struct error begin_error;		 /* if refused */
	bool quit;
};

/* The trouble with a log or metrics, or NULL. */
const struct error *watch_sink_error(const struct watch *watch);

/* Put the CPUs in the order that is chosen. */
void watch_sort_cpus(struct watch *watch);

/* The name of a new record in the current folder. */
char *watch_record_name(void);

#endif
