/*
 * Files with results: .json, .json.gz and .json.zst with all data, .dat for
 * gnuplot, and .csv with one matrix or the curves. See FILES in c2c(1).
 *
 * c2c writes files atomically: other programs see the old or the new file.
 */
#ifndef C2C_FILE_H
#define C2C_FILE_H

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>

#include "result/result.h"

enum file_format {
	FILE_JSON,
	FILE_DAT,
	FILE_CSV,
	FILE_TSV, /* one value on each line */
};

const char *file_base(const char *path);

/* Find the format for an extension. Return -EINVAL for an unknown extension. */
int file_format_of(
	const char *path, enum file_format *format, struct error *err);

/*
 * Write a result to a stream, and flush the stream. CSV has only the main
 * matrix; without a matrix, the curves. Numbers of matrices, curves and passes
 * have six significant digits, or all digits before the decimal point.
 * .dat has no topology, no passes, and no unknown keys of matrices and curves.
 */
int result_write_json(
	const struct result *result, FILE *out, struct error *err);
int result_write_dat(const struct result *result, FILE *out, struct error *err);
int result_write_csv(const struct result *result, FILE *out, struct error *err);
int result_write_tsv(const struct result *result, FILE *out, struct error *err);

typedef int result_writer(
	const struct result *result, FILE *out, struct error *err);

int file_save(const struct result *result, const char *path,
	result_writer *write, struct error *err);

/* Write a result in the format of the extension of path. */
int result_save(
	const struct result *result, const char *path, struct error *err);

/*
 * Read JSON or CSV, with or without compression, into an uninitialised *result.
 * The caller releases *result only after success. "-" is standard input. Errors
 * contain the position, and the found and expected text. The beginning of csv.c
 * describes CSV.
 */
int result_load(struct result *result, const char *path, struct error *err);

/*
 * Load a file with all sections. result_load() returns only one section: see
 * result/sections.h.
 */
int result_load_whole(
	struct result *result, const char *path, struct error *err);

/* Read a result from a stream. Errors do not contain a file name. */
int result_read(struct result *result, FILE *in, struct error *err);

/*
 * Write a file atomically: file_begin() opens a temporary file in the folder of
 * path, file_commit() syncs and renames the file, and file_abort() removes it.
 * file_commit() and file_abort() release the writer. If file_commit() fails,
 * the old file is unchanged.
 *
 * The temporary file has no name, so that the kernel deletes it if c2c dies. If
 * the file system requires names, the name is ".NAME.PID-N", and c2c blocks
 * signals until file_commit() or file_abort() in the same thread.
 *
 * If path is a symbolic link, c2c replaces its target. c2c writes directly to
 * devices, FIFOs and open files such as /dev/stdout. The umask sets the mode of
 * a new file. A file that replaces an old file has the mode of the old file.
 */
struct file_writer {
	FILE *stream;
	const struct packing *packing; /* compression, or NULL */
	FILE *packed;	  /* compressed output; stream is in memory */
	char *path;	  /* path without links */
	bool direct;	  /* no temporary file */
	char *temporary;  /* name of the temporary file, or NULL */
	bool held;	  /* signals are blocked */
	sigset_t signals; /* mask before file_begin() */
};

int file_begin(struct file_writer *writer, const char *path, struct error *err);

/* Report that c2c cannot write path, with errno and a remedy. */
int file_refuse(const char *path, int code, struct error *err);

int file_commit(struct file_writer *writer, struct error *err);
void file_abort(struct file_writer *writer);

/*
 * Check that c2c can write path, and that the compression program exists.
 * Commands call file_check_writable() before a long run.
 */
int file_check_writable(const char *path, struct error *err);

/*
 * Return the unpacked contents of a regular file, and their size in *n. The
 * caller frees the contents. Return NULL for an unreadable file, a FIFO or a
 * device.
 */
char *file_bytes(const char *path, size_t *n);

/*
 * Return path without links, or NULL. The caller frees it. The file may be
 * missing.
 */
char *file_canonical(const char *path);

bool file_same(const char *a, const char *b);

#endif
