/*
 * Results as files: .json (complete; .json.gz and .json.zst compressed), .dat
 * (gnuplot and eyes), .csv (a bare square). FILES in c2c(1) and the pages of
 * the commands describe them.
 *
 * Writing is atomic: a temporary file in the same folder, fsync, rename. A
 * reader never sees half a file, and a failed write leaves the old one.
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
	FILE_TSV, /* one value a line */
};

/* Return the last component of a path, borrowed. */
const char *file_base(const char *path);

/* Find the format by extension, in any case; -EINVAL names the known ones. */
int file_format_of(
	const char *path, enum file_format *format, struct error *err);

/*
 * Write result to an open stream and flush it; a short write is -errno. CSV
 * holds the main matrix, and is -EINVAL without one. Numbers of matrices,
 * curves and passes have six significant digits, from a million to 10^15 all
 * before the point. .dat leaves out the topology, the passes and unknown keys
 * of matrices and curves.
 */
int result_write_json(
	const struct result *result, FILE *out, struct error *err);
int result_write_dat(const struct result *result, FILE *out, struct error *err);
int result_write_csv(const struct result *result, FILE *out, struct error *err);
int result_write_tsv(const struct result *result, FILE *out, struct error *err);

typedef int result_writer(
	const struct result *result, FILE *out, struct error *err);

/* Write result to path, atomically. */
int file_save(const struct result *result, const char *path,
	result_writer *write, struct error *err);

/* Write result to path, atomically, in the format of its extension. */
int result_save(
	const struct result *result, const char *path, struct error *err);

/*
 * Read JSON or CSV, distinguished by content, also if gzip or zstd compressed
 * it, into an uninitialised *result; the caller releases it after success only.
 * path "-" is standard input. A message names file, line and column (JSON:
 * matrices[2].values[3][1]), what was found, and what was expected. The top of
 * csv.c describes CSV.
 */
int result_load(struct result *result, const char *path, struct error *err);

/*
 * Load a file with all its sections; result_load() takes the one that path
 * names, or the only one (result/sections.h).
 */
int result_load_whole(
	struct result *result, const char *path, struct error *err);

/* Read a result from an open stream; messages then lack the file's name. */
int result_read(struct result *result, FILE *in, struct error *err);

/*
 * Write a file atomically: file_begin() opens a temporary in the folder of
 * path, file_commit() syncs it and gives it that name; file_abort() drops it.
 * Commit and abort release the writer. If a commit fails, an older file stays
 * as it was.
 *
 * The temporary has no name until the commit, so that nothing is left however
 * the process ends. On file systems without unnamed files it is ".NAME.PID-N",
 * and signals wait until the same thread has committed or aborted.
 *
 * A symbolic link stays a link: the file behind it is replaced. c2c writes
 * directly into a device or a FIFO, and into a file that it has open already
 * (/dev/stdout, /dev/fd/N), at its position. The umask gives a new file its
 * mode; a file that replaces another keeps its mode.
 */
struct file_writer {
	FILE *stream;
	const struct packing *packing; /* compresses it, or NULL */
	FILE *packed;		       /* packed output; stream is in memory */
	char *path;		       /* links followed */
	bool direct;		       /* no temporary */
	char *temporary;	       /* name of the file, while named */
	bool held;		       /* signals are blocked */
	sigset_t signals;	       /* signals blocked before */
};

int file_begin(struct file_writer *writer, const char *path, struct error *err);

/* Report that path cannot be written, for an errno value, with the remedy. */
int file_refuse(const char *path, int code, struct error *err);

int file_commit(struct file_writer *writer, struct error *err);
void file_abort(struct file_writer *writer);

/*
 * Check, before a long run, that path can be written, and that the program
 * which compresses it exists. Creates nothing.
 */
int file_check_writable(const char *path, struct error *err);

/*
 * Return what a regular file holds, for free(), and in *n how many bytes; a
 * compressed file is unpacked. NULL if it cannot be read, or is a FIFO or a
 * device, which give each byte once.
 */
char *file_bytes(const char *path, size_t *n);

/* Return path without links, for free(), or NULL; the file need not exist. */
char *file_canonical(const char *path);

/* Whether two paths name one file, which need not exist yet. */
bool file_same(const char *a, const char *b);

#endif
