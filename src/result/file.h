/*
 * Results as files: .json (complete), .dat (gnuplot and eyes), .csv (a bare
 * square). The design's "Files" section is the specification.
 *
 * Writing is atomic: a temporary file in the same folder, fsync, rename. A
 * reader never sees half a file, and a failed write leaves the old one.
 */
#ifndef C2C_RESULT_FILE_H
#define C2C_RESULT_FILE_H

#include <stdio.h>

#include "result/result.h"

enum file_format {
	FILE_JSON,
	FILE_DAT,
	FILE_CSV,
};

/* By extension; -EINVAL with the known ones in *err. */
int file_format_of(
	const char *path, enum file_format *format, struct error *err);

/* Write result to an open stream; a short write is -errno. */
int result_write_json(
	const struct result *result, FILE *out, struct error *err);
int result_write_dat(const struct result *result, FILE *out, struct error *err);
int result_write_csv(const struct result *result, FILE *out, struct error *err);

/* Write result to path in the format of its extension, atomically. */
int result_save(
	const struct result *result, const char *path, struct error *err);

/*
 * Read any of the formats, chosen by content rather than by name, into an
 * uninitialised *result (released by the caller only after success). path "-"
 * is standard input. Bad input is named by file, line and column, what was
 * found and what was expected. CSV may be ours (header row and column of CPU
 * numbers) or another tool's: a bare square or lower triangle, empty cells
 * missing; CPUs are then 0..n-1.
 */
int result_load(struct result *result, const char *path, struct error *err);

/*
 * Write a file atomically: file_begin() opens a temporary beside path,
 * file_commit() syncs, closes and renames it; file_abort() removes it.
 */
struct file_writer {
	FILE *stream;
	char *temporary;
	char *path;
};

int file_begin(struct file_writer *writer, const char *path, struct error *err);
int file_commit(struct file_writer *writer, struct error *err);
void file_abort(struct file_writer *writer);

/*
 * Whether a file could be written at path now: its folder exists and may be
 * written. Creates nothing. For checking options before a long measurement.
 */
int file_check_writable(const char *path, struct error *err);

#endif
