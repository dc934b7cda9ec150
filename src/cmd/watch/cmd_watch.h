/*
 * c2c watch: the bursts so far, the events, and the outputs. Private to the
 * files of this folder.
 */
#ifndef C2C_CMD_WATCH_H
#define C2C_CMD_WATCH_H

#include "analyze/epochs/bursts.h"
#include "cmd/measure/measure.h"
#include "cmd/watch/watch_log.h"
#include "cmd/watch/watch_pace.h"
#include "result/result.h"

/* Number of events to keep, the latest ones, for the screen and the end. */
#define WATCH_EVENTS 64

/* The orders of the matrix, in the order of key o. */
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
	bool quiet_end; /* do not print the report */
	bool named;	/* c2c chose the name of the record */
	/* Settings of c2c latency. */
	int method, spin_hint, sample_statistic;
	uint64_t round_trips, samples, warm_up, lines;
	struct measure_home home;
};

/* Outputs that may fail during the watch. */
enum watch_sink {
	WATCH_LOG,
	WATCH_TEXTFILE,
	WATCH_SINKS
};

struct screen;

struct watch {
	struct watch_options *options;
	struct measure_plan *plan;
	const struct machine *machine; /* NULL before the first rest */
	const struct cpu_list *cpus;
	struct bursts bursts;
	struct watch_pace pace;
	struct watch_state state;
	size_t *moves;	    /* [cpus->n] numbers of events */
	struct result base; /* machine facts for the analyses */
	struct watch_log log;
	struct screen *screen;	  /* NULL: none */
	bool begun, begin_failed; /* begin_failed: see begin_error */

	double start_s, unix_s;	 /* campaign's start by two clocks */
	double cpu_s;		 /* CPU time at the burst's begin */
	double began_s;		 /* the burst's begin */
	double look_s, looked_s; /* duration and end of the last search */
	double saved_s;		 /* time of the last save of metrics */
	double stolen_s, stolen_at_s;

	enum watch_order order;
	struct cpu_list shown;			 /* the CPUs in that order */
	struct watch_event events[WATCH_EVENTS]; /* ring buffer */
	size_t n_recorded;			 /* all events so far */
	struct error sink_errors[WATCH_SINKS];	 /* latest; code 0: none */
	struct error begin_error;		 /* if begin_failed */
	bool quit;
};

/* Return the latest error of the log or of the metrics, or NULL. */
const struct error *watch_sink_error(const struct watch *watch);

/* Sort the CPUs in the chosen order. */
void watch_sort_cpus(struct watch *watch);

/* Return the name of a new record in the current folder. */
char *watch_record_name(void);

#endif
