/*
 * What c2c watch tells: what changed, in words (watch_words.c, pure but for
 * memory); to other programs events as JSON lines, and metrics in the text
 * format of Prometheus (watch_log.c).
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
	/* The groups before and behind; NULL where nothing tells. */
	const struct analysis *before, *after;
};

/* A CPU, or one of two, and what became of it. */
struct watch_event {
	double at_s; /* Unix time */
	unsigned cpus[2];
	size_t n_cpus;
	double change; /* of latencies: 0.15 is 15 % farther; NaN: unknown */
	char *text;    /* for free() */
};

/* Fill all but the time. -ENOMEM. */
int watch_describe_move(const struct watch_change *change,
	const struct epoch_move *move, struct watch_event *event,
	struct error *err);

/* The state of a watch, for metrics, for the screen and in the end. */
struct watch_state {
	const char *host;
	const struct cpu_list *cpus;
	double now_s;	/* Unix time */
	double watch_s; /* so long */
	size_t bursts, passes, events;
	double duty, duty_limit; /* shares */
	double held_s;		 /* from here on the start is made up for */
	double stolen;		 /* share of the CPUs' time; NaN: unknown */
	double agreement;	 /* of even with odd bursts; NaN: unknown */
	double least_ns, median_ns, most_ns; /* of the last burst */
	const size_t *moves;		     /* [cpus->n] events of each CPU */
};

/*
 * A log opened for appending; "-" is standard output. A line is written whole,
 * or is ended by the next one.
 */
struct watch_log {
	const char *path; /* NULL: there is none */
	int fd;
	bool has_partial_line;	 /* the last line was not written whole */
	const atomic_bool *stop; /* a signal came */
};

int watch_log_open(struct watch_log *log, const char *path,
	const atomic_bool *stop, struct error *err);
void watch_log_close(struct watch_log *log);

extern const struct record_type event_type;

/*
 * One line: {"format": "c2c-event", ...}; what is "start", "moved" or "end".
 */
int watch_log_event(struct watch_log *log, const struct watch_state *state,
	const char *what, const struct watch_event *event, struct error *err);

/* Print the metrics, and replace the file at path by them. */
void watch_metrics_print(const struct watch_state *state, FILE *out);
int watch_metrics_check(const char *path, struct error *err);
int watch_metrics_save(
	const struct watch_state *state, const char *path, struct error *err);

/* "2026-11-24T14:02:07.250Z" */
#define WATCH_LOG_TIME_BYTES 40
const char *watch_log_time(double unix_s, char text[WATCH_LOG_TIME_BYTES]);

#endif
