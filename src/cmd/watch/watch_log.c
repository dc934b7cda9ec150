#include "cmd/watch/watch_log.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cmd/wait_notice.h"
#include "record/pack.h"
#include "result/file.h"
#include "util/array.h"

const char *watch_log_time(double unix_s, char text[WATCH_LOG_TIME_BYTES])
{
	time_t whole = (time_t)floor(unix_s);
	int ms = (int)((unix_s - floor(unix_s)) * 1000);
	struct tm tm;
	size_t used;

	gmtime_r(&whole, &tm);
	used = strftime(text, WATCH_LOG_TIME_BYTES, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(text + used, WATCH_LOG_TIME_BYTES - used, ".%03dZ", ms);
	return text;
}

int watch_log_open(struct watch_log *log, const char *path,
	const atomic_bool *stop, struct error *err)
{
	struct wait_notice waiting;

	*log = (struct watch_log){
		.path = path, .fd = STDOUT_FILENO, .stop = stop};
	if (!path || strcmp(path, "-") == 0)
		return 0;
	wait_notice_begin(&waiting, path, true);
	log->fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	wait_notice_end(&waiting);
	if (log->fd >= 0)
		return 0;
	return error_set(err, ERROR_FAILURE, errno,
		"--log: cannot open '%s': %s", path, strerror(errno));
}

void watch_log_close(struct watch_log *log)
{
	if (log->path && log->fd > STDERR_FILENO)
		close(log->fd);
	log->path = NULL;
}

/*
 * Write all of the text, however slow the reader is, until a signal ends the
 * watch. Return 0 or an errno.
 */
static int write_whole(
	const struct watch_log *log, const char *text, size_t left)
{
	while (left > 0) {
		ssize_t written = write(log->fd, text, left);

		if (written < 0 && errno == EINTR &&
			!atomic_load_explicit(log->stop, memory_order_relaxed))
			continue;
		if (written <= 0)
			return written < 0 ? errno : EIO;
		text += written;
		left -= (size_t)written;
	}
	return 0;
}

/* A line of the log. */
struct logged_event {
	char time[WATCH_LOG_TIME_BYTES];
	const char *at, *host, *what, *text;
	struct cpu_list cpus; /* borrowed */
	double change_pct, duty_pct, agreement;
};

#define EVENT(kind, member, ...) ROW(logged_event, kind, member, __VA_ARGS__)
#define EVENT_NUMBER(member, ...)                                              \
	ROW_OR_NULL(logged_event, NUMBER, member, #member, __VA_ARGS__)

static const char *const logged_words[] = {"start", "moved", "end", NULL};

static const struct record_field event_rows[] = {
	EVENT(TEXT, at, "time", "Time of the event, in UTC with milliseconds"),
	EVENT(TEXT, host, "host", "The name of the host"),
	EVENT(TEXT, what, "event", "Kind of the event", .words = logged_words),
	EVENT(CPUS, cpus, "cpus",
		"The CPU that moved; two CPUs if either of them may have "
		"moved; empty at start and end"),
	EVENT_NUMBER(change_pct,
		"Change of the CPU's latencies; above 0 is farther",
		.unit = "%"),
	EVENT_NUMBER(duty_pct, "Share of the CPUs' time that c2c has used",
		.unit = "%"),
	EVENT_NUMBER(
		agreement, "Correlation of even and odd bursts, from -1 to 1"),
	EVENT(TEXT, text, "text", "Sentence about the event"),
	{0},
};

const struct record_type event_type = {
	.name = "event",
	.about = "A line of the log of c2c watch",
	.format = "c2c-event",
	.version = 1,
	.fields = event_rows,
	.bytes = sizeof(struct logged_event),
};

/* Return a line of JSON for free(), or NULL. */
static char *event_line(const struct watch_state *state, const char *what,
	const struct watch_event *event)
{
	struct logged_event line = {
		.host = state->host ? state->host : "",
		.what = what,
		.text = event->text,
		.cpus = {(unsigned *)event->cpus, event->n_cpus},
		.change_pct = round(event->change * 1000) / 10,
		.duty_pct = round(state->duty * 1e4) / 100,
		.agreement = round(state->agreement * 1000) / 1000,
	};

	line.at = watch_log_time(event->at_s, line.time);
	return record_to_line(&event_type, &line);
}

int watch_log_event(struct watch_log *log, const struct watch_state *state,
	const char *what, const struct watch_event *event, struct error *err)
{
	char *text;
	int code = 0;

	if (!log->path)
		return 0;
	text = event_line(state, what, event);
	if (!text)
		return error_no_memory(err, "an event");
	/* End a line that was only partly written. */
	if (log->has_partial_line)
		code = write_whole(log, "\n", 1);
	if (code == 0)
		code = write_whole(log, text, strlen(text));
	log->has_partial_line = code != 0;
	free(text);
	return code ? error_set(err, ERROR_FAILURE, code,
			      "--log: cannot write '%s': %s", log->path,
			      strerror(code))
		    : 0;
}

static const struct metric {
	const char *name, *help;
	size_t at;     /* offset of a size_t (counter) or a double (gauge) */
	double factor; /* factor of a gauge; 0: a counter */
} metrics[] = {
#define GAUGE(name, member, factor, help)                                      \
	{                                                                      \
		name, help, offsetof(struct watch_state, member), factor       \
	}
#define COUNTER(name, member, help) GAUGE(name, member, 0, help)
	GAUGE("time_seconds", now_s, 1,
		"Unix time when c2c wrote these metrics."),
	COUNTER("bursts_total", bursts, "Number of measured bursts of passes."),
	COUNTER("passes_total", passes,
		"Number of measured passes over all pairs."),
	COUNTER("events_total", events, "Changes that were reported."),
	GAUGE("duty_ratio", duty, 1,
		"Share of the CPU time of the watched CPUs that c2c used."),
	GAUGE("duty_limit_ratio", duty_limit, 1, "Largest allowed duty_ratio."),
	GAUGE("steal_ratio", stolen, 1,
		"Share of all CPUs' time that the hypervisor stole lately."),
	GAUGE("agreement", agreement, 1,
		"Correlation of even and odd bursts over the pairs."),
	GAUGE("latency_least_seconds", least_ns, 1e-9,
		"Least one-way latency of a pair in the last burst."),
	GAUGE("latency_median_seconds", median_ns, 1e-9,
		"Median one-way latency of the pairs in the last burst."),
	GAUGE("latency_most_seconds", most_ns, 1e-9,
		"Largest one-way latency of a pair in the last burst."),
};

static void print_metric_head(
	FILE *out, const char *name, const char *help, bool counter)
{
	fprintf(out, "# HELP c2c_watch_%s %s\n# TYPE c2c_watch_%s %s\n", name,
		help, name, counter ? "counter" : "gauge");
}

void watch_metrics_print(const struct watch_state *state, FILE *out)
{
	static const char moves[] = "cpu_moves_total";

	for (size_t i = 0; i < N_OF(metrics); i++) {
		const struct metric *metric = &metrics[i];
		const void *at = (const char *)state + metric->at;
		bool counter = metric->factor == 0;
		double value = counter ? (double)*(const size_t *)at
				       : *(const double *)at * metric->factor;

		print_metric_head(out, metric->name, metric->help, counter);
		if (isfinite(value))
			fprintf(out, "c2c_watch_%s %.10g\n", metric->name,
				value);
		else
			fprintf(out, "c2c_watch_%s NaN\n", metric->name);
	}
	print_metric_head(
		out, moves, "Number of reported moves of a CPU.", true);
	for (size_t i = 0; i < state->cpus->n; i++)
		fprintf(out, "c2c_watch_%s{cpu=\"%u\"} %zu\n", moves,
			state->cpus->cpus[i], state->moves[i]);
}

int watch_metrics_check(const char *path, struct error *err)
{
	struct stat status;

	if (stat(path, &status) != 0 || !S_ISFIFO(status.st_mode))
		return 0;
	return error_set(err, ERROR_FAILURE, EINVAL,
		"'%s' is a FIFO, but c2c replaces the metrics again and again: "
		"name a file",
		path);
}

int watch_metrics_save(
	const struct watch_state *state, const char *path, struct error *err)
{
	struct file_writer writer;
	int rc = watch_metrics_check(path, err);

	if (rc == 0)
		rc = file_begin(&writer, path, err);
	if (rc == 0) {
		watch_metrics_print(state, writer.stream);
		rc = file_commit(&writer, err);
	}
	if (rc < 0)
		error_prefix(err, "--textfile");
	return rc;
}
