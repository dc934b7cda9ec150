/*
 * Compresses records with gzip and zstd. The program reads a file in memory,
 * and c2c reads its output, so that c2c can detect a full disk and limit the
 * output.
 */
#include "result/packed.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

#include "result/format.h"
#include "util/array.h"
#include "util/child.h"
#include "util/text.h"

/* Time limit of the program, and extra time if the CPUs are busy. */
#define PACKED_LIMIT_S 600.0
#define PACKED_GRACE_S 10.0

struct packing {
	const char *extension, *program;
	const char *flags; /* options to compress stdin to stdout */
	const char *magic; /* magic bytes of the file */
};

static const struct packing packings[] = {
	{".json.gz", "gzip", "-nc", "\x1f\x8b"}, /* -n: no time stamp */
	{".json.zst", "zstd", "-qc", "\x28\xb5\x2f\xfd"},
};

/* State of c2c while it reads the output of the program. */
struct packed_flow {
	FILE *out;
	bool unpack;
	size_t room; /* limit for the number of further bytes */
	int code;    /* errno if c2c stopped reading, else 0 */
	atomic_bool stop;
};

const struct packing *packing_of(const char *path)
{
	size_t n = strlen(path);

	for (size_t i = 0; i < N_OF(packings); i++) {
		size_t end = strlen(packings[i].extension);

		if (n >= end &&
			strcasecmp(path + n - end, packings[i].extension) == 0)
			return &packings[i];
	}
	return NULL;
}

FILE *packing_stream(void)
{
	int fd = child_memory_file("record");
	FILE *stream = fd < 0 ? NULL : fdopen(fd, "w+");

	if (fd >= 0 && !stream)
		close(fd);
	return stream;
}

/* Report errno after packing_stream() returned NULL. */
static int report_no_stream(struct error *err)
{
	return error_of_call(
		err, errno, "memfd_create", "a file in memory cannot be made");
}

/* Write output to flow->out. After an error, discard more output. */
static bool take_packed_bytes(void *context, const char *bytes, size_t n)
{
	struct packed_flow *flow = context;

	if (flow->code)
		return true;
	errno = 0;
	if (flow->unpack && memchr(bytes, '\0', n))
		flow->code = EILSEQ;
	else if (n > flow->room)
		flow->code = EOVERFLOW;
	else if (fwrite(bytes, 1, n, flow->out) < n)
		flow->code = errno ? errno : EIO;
	flow->room -= n;
	flow->stop = flow->code != 0;
	return true;
}

static int packed_flow_error(
	const struct packing *packing, int code, size_t most, struct error *err)
{
	char size[TEXT_SIZE_BYTES];

	if (code == EILSEQ)
		return error_set(err, ERROR_FAILURE, code,
			"%s unpacks it to NUL bytes, expected a record",
			packing->program);
	if (code == EOVERFLOW)
		return error_set(err, ERROR_FAILURE, code,
			"it unpacks to more than %s: if it is a record, unpack "
			"it (%s -d) and name the .json",
			text_size(most, size), packing->program);
	return error_set(err, ERROR_FAILURE, code, "%s%s%s", strerror(code),
		*format_remedy(code) ? ": " : "", format_remedy(code));
}

static int packing_end_error(const struct packing *packing, bool unpack,
	const struct child_end *end, struct error *err)
{
	bool exited = WIFEXITED(end->status);

	if (end->timed_out)
		return error_set(err, ERROR_FAILURE, ETIMEDOUT,
			"%s took longer than %g s and was ended",
			packing->program, PACKED_LIMIT_S);
	if (unpack && exited)
		return error_set(err, ERROR_FAILURE, EINVAL,
			"%s cannot unpack it: it is truncated or damaged, or "
			"something follows it ('%s -t' says more)",
			packing->program, packing->program);
	return error_set(err, ERROR_FAILURE, EIO, "%s %s %d", packing->program,
		exited ? "failed with status" : "was ended by signal",
		exited ? WEXITSTATUS(end->status) : WTERMSIG(end->status));
}

/* Run the program on `in`, and write at most `most` bytes to `out`. */
static int run_packing(const struct packing *packing, bool unpack, FILE *in,
	FILE *out, size_t most, struct error *err)
{
	struct packed_flow flow = {.out = out, .unpack = unpack, .room = most};
	char *const argv[] = {(char *)packing->program,
		unpack ? "-dqc" : (char *)packing->flags, NULL};
	const struct child_file files[] = {{fileno(in), STDIN_FILENO},
		{CHILD_PIPE, STDOUT_FILENO}, {CHILD_NULL, STDERR_FILENO}};
	const struct child child = {
		.argv = argv,
		.files = files,
		.n_files = N_OF(files),
		.limit_s = PACKED_LIMIT_S,
		.grace_s = PACKED_GRACE_S,
		.stop = &flow.stop,
		.on_output = take_packed_bytes,
		.context = &flow,
	};
	struct child_end end;
	int code;

	errno = 0;
	if (fflush(in) != 0 || ferror(in))
		return packed_flow_error(
			packing, errno ? errno : EIO, most, err);
	rewind(in);
	code = child_run(&child, &end);
	if (code == ENOENT)
		return error_set(err, ERROR_UNAVAILABLE, code,
			"%s is not in PATH: install it (package %s)",
			packing->program, packing->program);
	if (code)
		return error_of_call(err, code, "clone and execve",
			"a program cannot be run");
	if (flow.code)
		return packed_flow_error(packing, flow.code, most, err);
	if (end.status == 0 && !end.timed_out)
		return 0;
	return packing_end_error(packing, unpack, &end, err);
}

int packing_write(const struct packing *packing, FILE *plain, FILE *out,
	struct error *err)
{
	return run_packing(packing, false, plain, out, SIZE_MAX, err);
}

int packing_check(const char *path, struct error *err)
{
	const struct packing *packing = packing_of(path);
	FILE *nothing = packing ? packing_stream() : NULL;
	int rc = 0;

	if (nothing) {
		rc = run_packing(
			packing, false, nothing, nothing, SIZE_MAX, err);
		fclose(nothing);
	} else if (packing) {
		rc = report_no_stream(err);
	}
	if (rc < 0)
		error_prefix(err, "'%s' cannot be written", path);
	return rc;
}

/* Copy at most `room` bytes from `in`. Return 0 or a positive errno. */
static int copy_packed(FILE *in, FILE *copy, size_t room)
{
	char bytes[4096];
	size_t n;

	errno = 0;
	while ((n = fread(bytes, 1, sizeof(bytes), in)) > 0) {
		if (n > room)
			return EOVERFLOW;
		room -= n;
		if (fwrite(bytes, 1, n, copy) < n)
			return errno ? errno : EIO;
	}
	if (ferror(in) || fflush(copy) != 0)
		return errno ? errno : EIO;
	rewind(copy);
	return 0;
}

static bool begins_with_magic(FILE *packed, const char *magic)
{
	char bytes[4];
	size_t n = fread(bytes, 1, strlen(magic), packed);

	rewind(packed);
	return n == strlen(magic) && memcmp(bytes, magic, n) == 0;
}

/* Replace *packed with a file in memory with the unpacked contents. */
static int unpack_copy(const struct packing *packing, FILE **packed,
	size_t most, struct error *err)
{
	FILE *out = packing_stream();
	int rc = out ? run_packing(packing, true, *packed, out, most, err)
		     : report_no_stream(err);

	if (rc < 0 && out)
		fclose(out);
	if (rc < 0)
		return rc;
	fclose(*packed);
	*packed = out;
	rewind(out);
	return 0;
}

int packing_open(FILE **in, size_t most, struct error *err)
{
	const struct packing *packing = packings;
	int code, rc = 0, c = getc(*in);
	FILE *packed;

	if (c != EOF)
		ungetc(c, *in);
	while (packing < packings + N_OF(packings) &&
		c != (unsigned char)*packing->magic)
		packing++;
	if (packing == packings + N_OF(packings))
		return 0;
	packed = packing_stream();
	if (!packed)
		return report_no_stream(err);
	code = copy_packed(*in, packed, most);
	if (code)
		rc = packed_flow_error(packing, code, most, err);
	else if (begins_with_magic(packed, packing->magic))
		rc = unpack_copy(packing, &packed, most, err);
	if (rc < 0) {
		fclose(packed);
		return rc;
	}
	if (*in != stdin)
		fclose(*in);
	*in = packed;
	return 0;
}
