/*
 * Results as files: .json (complete; .json.gz and .json.zst compressed), .dat
 * (for gnuplot and for reading), .csv (a bare square). FILES in c2c(1) and the
 * commands' pages describe them.
 *
 * Writing is atomic: a temporary file in the same folder, fsync, rename. A
 * reader never sees half a file, and a failed write leaves the old file.
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
	FILE_TSV, /* one value per line */
};

/* Return the last component of a path, borrowed. */
const char *file_base(const char *path);

/* Find the format by extension, in any case; -EINVAL names the known ones. */
int file_format_of(
	const char *path, enum file_format *format, struct error *err);

/*
 * Write result to an open stream and flush it; a short write is -errno. CSV has
 * only the main matrix; -EINVAL without one. Numbers of matrices, curves and
 * passes have six significant digits, or all integer digits from a million to
 * 10^15. .dat leaves out the topology, the passes and unknown keys of matrices
 * and curves.
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
 * Read JSON or CSV, recognised by content, also compressed with gzip or zstd,
 * into an uninitialised *result; the caller releases it after success only.
 * path "-" is standard input. Messages name the file, line and column (JSON:
 * matrices[2].values[3][1]), the text found, and the text expected. The head of
 * csv.c describes CSV.
 */
int result_load(struct result *result, const char *path, struct error *err);

/*
 * Load a file with all its sections; result_load() takes the section that path
 * names, or the only section (result/sections.h).
 */
int result_load_whole(
	struct result *result, const char *path, struct error *err);

/* Read a result from an open stream; messages then lack the file's name. */
int result_read(struct result *result, FILE *in, struct error *err);

/*
 * Write a file atomically: file_begin() opens a temporary file in the folder of
 * path; file_commit() syncs it and renames it to path; file_abort() removes it.
 * Commit and abort release the writer. If a commit fails, an older file is
 * unchanged.
 *
 * The temporary file has no name until the commit, so that no file is left if
 * the process is killed. On file systems without unnamed files its name is
 * ".NAME.PID-N", and signals are blocked until the same thread commits or
 * aborts.
 *
 * A symbolic link stays a link: its target is replaced. c2c writes directly
 * into a device, a FIFO, or a file that is already open (/dev/stdout,
 * /dev/fd/N), at its current position. A new file's mode comes from the umask;
 * a file that replaces another keeps the old mode.
 */
struct file_writer {
	FILE *stream;
	const struct packing *packing; /* compression, or NULL */
	FILE *packed;		       /* packed output; stream is in memory */
	char *path;		       /* path with links followed */
	bool direct;		       /* no temporary file */
	char *temporary;  /* name of the temporary file, if it has one */
	bool held;	  /* signals are blocked */
	sigset_t signals; /* signals blocked before */
};

int file_begin(struct file_writer *writer, const char *path, struct error *err);

/* Report that path cannot be written, for an errno value, with the remedy. */
int file_refuse(const char *path, int code, struct error *err);

int file_commit(struct file_writer *writer, struct error *err);
void file_abort(struct file_writer *writer);

/*
 * Check, before a long run, that path can be written, and that the compression
 * program exists. Creates nothing.
 */
int file_check_writable(const char *path, struct error *err);

/*
 * Return the contents of a regular file, for free(), and in *n the number of
 * bytes; a compressed file is unpacked. NULL if the file cannot be read, or is
 * a FIFO or a device, which can be read only once.
 */
char *file_bytes(const char *path, size_t *n);

/* Return path without links, for free(), or NULL; the file need not exist. */
char *file_canonical(const char *path);

/* Whether two paths name the same file, which need not exist yet. */
bool file_same(const char *a, const char *b);

#endif
