/*
 * The output of c2c watch: changes in words (watch_words.c), events as lines of
 * JSON, and metrics in the text format of Prometheus (watch_log.c).
 */
#ifndef C2C_WATCH_LOG_H
#define C2C_WATCH_LOG_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "analyze/epochs/bursts.h"
#include "record/field.h"
#include "result/analysis.h"

struct watch_change {
	const struct bursts *bursts;
	size_t first; /* the burst that begins the new epoch */
	const struct cpu_list *cpus;
	/* The groups before and after; NULL if no groups are known. */
	const struct analysis *before, *after;
};

/* An event with one or two CPUs and a text. */
struct watch_event {
	double at_s; /* Unix time */
	unsigned cpus[2];
	size_t n_cpus;
	double change; /* of latency: 0.15 is +15 %; NaN: unknown */
	char *text;    /* for free() */
};

/* Fill *event except at_s. -ENOMEM. */
int watch_describe_move(const struct watch_change *change,
	const struct epoch_move *move, struct watch_event *event,
	struct error *err);

/* The state of a watch, for the metrics, the screen and the summary. */
struct watch_state {
	const char *host;
	const struct cpu_list *cpus;
	double now_s;	/* Unix time */
	double watch_s; /* seconds since the start */
	size_t bursts, passes, events;
	double duty, duty_limit; /* shares of CPU time */
	double held_s;		 /* time until the duty includes the start */
	double stolen;		 /* share of CPU time; NaN: unknown */
	double agreement;	 /* of even and odd bursts; NaN: unknown */
	double least_ns, median_ns, most_ns; /* latencies of the last burst */
	const size_t *moves;		     /* [cpus->n] numbers of events */
};

/*
 * A log opened for appending; "-" is standard output. If a line was only partly
 * written, the next call ends the line.
 */
struct watch_log {
	const char *path; /* NULL: no log */
	int fd;
	bool has_partial_line;	 /* the last line was only partly written */
	const atomic_bool *stop; /* whether a signal arrived */
};

int watch_log_open(struct watch_log *log, const char *path,
	const atomic_bool *stop, struct error *err);
void watch_log_close(struct watch_log *log);

extern const struct record_type event_type;

/*
 * Write one line: {"format": "c2c-event", ...}. `what` is "start", "moved" or
 * "end".
 */
int watch_log_event(struct watch_log *log, const struct watch_state *state,
	const char *what, const struct watch_event *event, struct error *err);

/* Print the metrics, or replace the file at path by the metrics. */
void watch_metrics_print(const struct watch_state *state, FILE *out);
int watch_metrics_check(const char *path, struct error *err);
int watch_metrics_save(
	const struct watch_state *state, const char *path, struct error *err);

/* Bytes of "2026-11-24T14:02:07.250Z". */
#define WATCH_LOG_TIME_BYTES 40
const char *watch_log_time(double unix_s, char text[WATCH_LOG_TIME_BYTES]);

#endif
