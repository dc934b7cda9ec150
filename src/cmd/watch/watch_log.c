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
#include "result/file.h"
#include "util/text.h"

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
 * Write the text whole: 0, or the errno of what failed. A reader that does not
 * read is waited for until a signal ends the watch.
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

/* A number of JSON, null if it is not one. */
static void print_json_number(
	FILE *out, const char *key, double value, int digits)
{
	if (isfinite(value))
		fprintf(out, ",\"%s\":%.*f", key, digits, value);
	else
		fprintf(out, ",\"%s\":null", key);
}

static void print_event(FILE *out, const struct watch_state *state,
	const char *what, const struct watch_event *event)
{
	char time[WATCH_LOG_TIME_BYTES];

	fprintf(out, "{\"format\":\"c2c-event\",\"version\":1,\"time\":\"%s\"",
		watch_log_time(event->at_s, time));
	fputs(",\"host\":", out);
	text_quote(out, state->host ? state->host : "");
	fprintf(out, ",\"event\":\"%s\",\"cpus\":[", what);
	for (size_t i = 0; i < event->n_cpus; i++)
		fprintf(out, "%s%u", i ? "," : "", event->cpus[i]);
	fputc(']', out);
	print_json_number(out, "change_pct", event->change * 100, 1);
	print_json_number(out, "duty_pct", state->duty * 100, 2);
	print_json_number(out, "agreement", state->agreement, 3);
	fputs(",\"text\":", out);
	text_quote(out, event->text);
	fputs("}\n", out);
}

int watch_log_event(struct watch_log *log, const struct watch_state *state,
	const char *what, const struct watch_event *event, struct error *err)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *out;
	int code;

	if (!log->path)
		return 0;
	out = open_memstream(&text, &bytes);
	if (!out)
		return error_no_memory(err, "an event");
	/* What is left of a line that did not fit is no part of this one. */
	if (log->has_partial_line)
		fputc('\n', out);
	print_event(out, state, what, event);
	if (fclose(out) != 0) {
		free(text);
		return error_no_memory(err, "an event");
	}
	code = write_whole(log, text, bytes);
	log->has_partial_line = code != 0;
	free(text);
	return code ? error_set(err, ERROR_FAILURE, code,
			      "--log: cannot write '%s': %s", log->path,
			      strerror(code))
		    : 0;
}

static void print_metric(FILE *out, const char *name, const char *type,
	const char *help, double value)
{
	fprintf(out, "# HELP c2c_watch_%s %s\n# TYPE c2c_watch_%s %s\n", name,
		help, name, type);
	if (isfinite(value))
		fprintf(out, "c2c_watch_%s %.10g\n", name, value);
	else
		fprintf(out, "c2c_watch_%s NaN\n", name);
}

void watch_metrics_print(const struct watch_state *state, FILE *out)
{
	static const char moves[] = "cpu_moves_total";

	print_metric(out, "time_seconds", "gauge",
		"When these metrics were written, in Unix time.", state->now_s);
	print_metric(out, "bursts_total", "counter",
		"Bursts of passes that were measured.", (double)state->bursts);
	print_metric(out, "passes_total", "counter",
		"Passes over all pairs that were measured.",
		(double)state->passes);
	print_metric(out, "events_total", "counter",
		"Changes that were reported.", (double)state->events);
	print_metric(out, "duty_ratio", "gauge",
		"Share of the CPU time of the watched CPUs that c2c used.",
		state->duty);
	print_metric(out, "duty_limit_ratio", "gauge",
		"The share that it may use.", state->duty_limit);
	print_metric(out, "steal_ratio", "gauge",
		"Share of all CPUs' time that the hypervisor took lately.",
		state->stolen);
	print_metric(out, "agreement", "gauge",
		"Correlation of even and odd bursts over the pairs.",
		state->agreement);
	print_metric(out, "latency_least_seconds", "gauge",
		"Least one-way latency of a pair in the last burst.",
		state->least_ns * 1e-9);
	print_metric(out, "latency_median_seconds", "gauge",
		"Median one-way latency of the pairs in the last burst.",
		state->median_ns * 1e-9);
	print_metric(out, "latency_most_seconds", "gauge",
		"Largest one-way latency of a pair in the last burst.",
		state->most_ns * 1e-9);
	fprintf(out,
		"# HELP c2c_watch_%s Changes that were reported of a CPU.\n"
		"# TYPE c2c_watch_%s counter\n",
		moves, moves);
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
		"'%s' is a FIFO, and metrics are replaced again and again: "
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
