/*
 * Results as files: .json (complete), .dat (gnuplot and eyes), .csv (a bare
 * square). The design's "Files" section is the specification.
 *
 * Writing is atomic: a temporary file in the same folder, fsync, rename. A
 * reader never sees half a file, and a failed write leaves the old one.
 */
#ifndef C2C_RESULT_FILE_H
#define C2C_RESULT_FILE_H

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>

#include "result/result.h"

enum file_format {
	FILE_JSON,
	FILE_DAT,
	FILE_CSV,
};

/* A path without its folder: where its last component begins. Borrowed. */
const char *file_base(const char *path);

/* By extension, in any case; -EINVAL with the known ones in *err. */
int file_format_of(
	const char *path, enum file_format *format, struct error *err);

/*
 * Write result to an open stream and flush it; a short write is -errno. CSV
 * takes the main matrix (result_find_matrix(result, NULL, NULL)) and is
 * -EINVAL without one. Numbers of matrices, curves and passes are rounded to
 * six significant digits, from a million to 10^15 to whole numbers. .dat leaves
 * out the topology, the passes and unknown keys of matrices and curves.
 */
int result_write_json(
	const struct result *result, FILE *out, struct error *err);
int result_write_dat(const struct result *result, FILE *out, struct error *err);
int result_write_csv(const struct result *result, FILE *out, struct error *err);

typedef int result_writer(
	const struct result *result, FILE *out, struct error *err);

/* Write result to path, atomically. */
int file_save(const struct result *result, const char *path,
	result_writer *write, struct error *err);

/* The same in the format of its extension. */
int result_save(
	const struct result *result, const char *path, struct error *err);

/*
 * Read any of the formats, chosen by content rather than by name, into an
 * uninitialised *result (released by the caller only after success). path "-"
 * is standard input. Bad input is named by file, line and column (JSON: by its
 * path, as matrices[2].values[3][1]), what was found and what was expected.
 *
 * CSV may be ours (header row and column of CPU numbers) or another tool's: a
 * bare square or triangle; empty cells are missing, and a triangle's other half
 * is filled. CPUs are then 0..n-1, zeros on the diagonal are missing. As CSV
 * does not say what it holds, it is taken for the latency, median, ns, and the
 * result is bare.
 */
int result_load(struct result *result, const char *path, struct error *err);

/* The same from an open stream; messages then lack the file's name. */
int result_read(struct result *result, FILE *in, struct error *err);

/*
 * Write a file atomically: file_begin() opens a temporary in the folder of
 * path, file_commit() syncs it and gives it that name; file_abort() drops it.
 * Both release the writer, commit also when it fails (an older file is then as
 * it was).
 *
 * The temporary has no name until it is committed, so that nothing is left
 * whatever ends the process. Where a file system has no such files it is
 * ".NAME.PID-N", and SIGINT, SIGTERM and SIGHUP wait for the end of the
 * writing, which must be in the same thread.
 *
 * A symbolic link stays one: the file it points to is replaced. What exists
 * and is no regular file (a device, a FIFO) is written directly, and so is what
 * this process has open, by whatever link (/dev/stdout, /dev/fd/N): there it
 * goes on where that stands. The mode of a new file follows the umask; a file
 * that is replaced hands on its own.
 */
struct file_writer {
	FILE *stream;
	char *path;	 /* as given, or what the link at that path points to */
	bool direct;	 /* no temporary */
	char *temporary; /* its name, while it has one */
	bool held;	 /* signals wait */
	sigset_t signals; /* those that did before */
};

int file_begin(struct file_writer *writer, const char *path, struct error *err);
int file_commit(struct file_writer *writer, struct error *err);
void file_abort(struct file_writer *writer);

/*
 * Whether a file could be written at path now: its folder exists and may be
 * written, and what is there may be replaced. Creates nothing. For checking
 * options before a long measurement.
 */
int file_check_writable(const char *path, struct error *err);

/*
 * Whether two paths name the same file, written differently or not. Neither
 * needs to exist yet. Symbolic links to existing files are followed.
 */
bool file_same(const char *a, const char *b);

#endif
