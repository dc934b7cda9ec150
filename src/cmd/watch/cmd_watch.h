/*
 * c2c watch: the bursts so far, the events, and the outputs. Private to its
 * files.
 */
#ifndef C2C_CMD_WATCH_H
#define C2C_CMD_WATCH_H

#include "analyze/epochs/bursts.h"
#include "cmd/measure/measure.h"
#include "cmd/watch/watch_log.h"
#include "cmd/watch/watch_pace.h"
#include "result/result.h"

/* How many of the last events are kept for the screen and the end. */
#define WATCH_EVENTS 64

/* The orders of the matrix, through which the key cycles. */
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
	bool quiet_end; /* standard output has another use */
	bool named;	/* the only output is a record that c2c named */
	/* Set to the defaults of c2c latency. */
	int method, spin_hint, sample_statistic;
	uint64_t round_trips, samples, warm_up, lines;
	struct measure_home home;
};

/* Outputs for other programs, which may fail. */
enum watch_sink {
	WATCH_LOG,
	WATCH_TEXTFILE,
	WATCH_SINKS
};

struct screen;

struct watch {
	struct watch_options *options;
	struct measure_plan *plan;
	const struct machine *machine; /* NULL until the first rest */
	const struct cpu_list *cpus;
	struct bursts bursts;
	struct watch_pace pace;
	struct watch_state state;
	size_t *moves;	    /* [cpus->n] events of each CPU */
	struct result base; /* facts of the machine for analyses */
	struct watch_log log;
	struct screen *screen;	  /* NULL: none */
	bool begun, begin_failed; /* begin_failed: it could not begin */

	double start_s, unix_s;	 /* start of the campaign, by both clocks */
	double cpu_s;		 /* CPU time when the burst began */
	double began_s;		 /* when the burst began */
	double look_s, looked_s; /* time of a search; end of the last one */
	double saved_s;		 /* when the metrics were saved */
	double stolen_s, stolen_at_s;

	enum watch_order order;
	size_t *places; /* [cpus->n], CPU at each place of the matrix */
	struct watch_event events[WATCH_EVENTS]; /* the latest, as a ring */
	size_t n_recorded;			 /* all events so far */
	struct error sink_errors[WATCH_SINKS];	 /* the latest; code 0: none */
	struct error begin_error;		 /* why it could not begin */
	bool quit;
};

/* Return the error of a log or of the metrics, or NULL. */
const struct error *watch_sink_error(const struct watch *watch);

/* Sort the CPUs in the chosen order. */
void watch_sort_cpus(struct watch *watch);

/* Return the name of a new record in the current folder. */
char *watch_record_name(void);

#endif
