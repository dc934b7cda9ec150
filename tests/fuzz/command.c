/* See command.h. */
#include "command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "commands.h"
#include "result/file.h"

/* The most that one input may hold; an analysis then takes milliseconds. */
#define CPUS_MAX   24
#define VALUES_MAX 4096
#define PARTS_MAX  6 /* sections */

/* Arguments of a command, its name and NULL. */
#define WORDS_MAX 16

/* The sanitizer's own name. NOLINTNEXTLINE(bugprone-*,cert-dcl*) */
const char *__lsan_default_suppressions(void);

/*
 * What LeakSanitizer, if it is there, is not to count: hwloc does not free all
 * of XML that it refuses. A machine that c2c forgets is found by memory that
 * is not hwloc's.
 */
const char *__lsan_default_suppressions(void)
{
	return "leak:libhwloc\n";
}

void capture_begin(struct capture *capture)
{
	FILE *out, *err;

	/*
	 * hwloc tells users what is wrong with XML; here nobody reads it. Its
	 * plugin for libxml is unloaded before LeakSanitizer can tell its leaks
	 * by name, and that for OpenCL may load a library of C++, whose cout
	 * keeps the stdout that it finds here, and writes to it at the very
	 * end.
	 */
	setenv("HWLOC_HIDE_ERRORS", "2", 1);
	setenv("HWLOC_LIBXML", "0", 1);
	setenv("HWLOC_PLUGINS_PATH", "/dev/null", 1);
	*capture = (struct capture){.old_out = stdout, .old_err = stderr};
	out = open_memstream(&capture->out, &capture->out_bytes);
	err = open_memstream(&capture->err, &capture->err_bytes);
	if (!out || !err)
		abort();
	/* glibc's are variables, which printf() and the like look at. */
	stdout = out;
	stderr = err;
}

void capture_end(struct capture *capture)
{
	FILE *out = stdout, *err = stderr;

	stdout = capture->old_out;
	stderr = capture->old_err;
	if (fclose(out) != 0 || fclose(err) != 0)
		abort();
}

void capture_release(struct capture *capture)
{
	free(capture->out);
	free(capture->err);
}

static FILE *open_bytes(const void *data, size_t n)
{
	FILE *in = n > 0 ? fmemopen((void *)data, n, "r")
			 : fopen("/dev/null", "r");

	if (!in)
		abort();
	return in;
}

int command_run(struct capture *capture, const char *const *words,
	const void *data, size_t n)
{
	const struct command *command = command_find(words[0]);
	FILE *old_in = stdin, *in = open_bytes(data, n);
	char name[64], *argv[WORDS_MAX] = {name};
	int argc = 1, status;

	snprintf(name, sizeof(name), "c2c %s", words[0]);
	while (words[argc] && argc < WORDS_MAX - 1) {
		argv[argc] = (char *)words[argc];
		argc++;
	}
	if (!command || words[argc])
		abort();
	capture_begin(capture);
	stdin = in;
	status = command->run(argc, argv);
	stdin = old_in;
	capture_end(capture);
	fclose(in);
	return status;
}

bool command_is_text(const char *text)
{
	for (const char *c = text; *c; c++) {
		if (((unsigned char)*c < ' ' && *c != '\n' && *c != '\t') ||
			*c == 0x7f)
			return false;
	}
	return true;
}

const char *command_check(const char *name, int status,
	const struct capture *capture, bool may_not_hold)
{
	char begin[64];

	if (!command_is_text(capture->out))
		return "the output is no text";
	if (!command_is_text(capture->err))
		return "the message is no text";
	if (status == STATUS_DONE ||
		(may_not_hold && status == STATUS_DOES_NOT_HOLD))
		return NULL;
	if (status != STATUS_FAILED && status != STATUS_USAGE)
		return "the exit status is none of this command";
	snprintf(begin, sizeof(begin), "c2c %s: ", name);
	if (strncmp(capture->err, begin, strlen(begin)) != 0)
		return "the message does not say whose it is";
	if (*capture->out)
		return "there is output before a failure";
	return NULL;
}

int command_file(const void *data, size_t n, char path[64])
{
	int fd = memfd_create("input", MFD_CLOEXEC);
	const char *bytes = data;

	if (fd < 0)
		abort();
	for (size_t done = 0; done < n;) {
		ssize_t rc = write(fd, bytes + done, n - done);

		if (rc <= 0)
			abort();
		done += (size_t)rc;
	}
	snprintf(path, 64, "/proc/self/fd/%d", fd);
	return fd;
}

int command_load(
	struct result *result, const void *data, size_t n, struct error *err)
{
	FILE *in = open_bytes(data, n);
	int rc = result_read(result, in, err);

	fclose(in);
	return rc;
}

bool command_is_small(const struct result *result)
{
	size_t values = 0;

	for (size_t i = 0; i < result->n_kept; i++)
		values += result->kept[i].n_pairs * result->kept[i].n_passes;
	for (size_t i = 0; i < result->n_sections; i++) {
		if (!command_is_small(&result->sections[i]))
			return false;
	}
	return result->cpus.n <= CPUS_MAX && values <= VALUES_MAX &&
	       result->n_matrices <= CPUS_MAX &&
	       result->n_sections <= PARTS_MAX;
}
