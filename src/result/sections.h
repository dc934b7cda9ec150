/*
 * The sections of a record: several commands measured one machine into one file
 * (c2c measure). Each section is a whole record, with the name of its command;
 * the second of a command is "queue-2", and so on.
 *
 * If a command of c2c reads a file, "FILE:NAME" is the section NAME of FILE,
 * unless there is a file of that name; for standard input, /dev/stdin:NAME. A
 * folder has no sections, and no name of a section has a slash.
 */
#ifndef C2C_SECTIONS_H
#define C2C_SECTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "result/result.h"

#define SECTIONS_MAX 100

/* Return the name of section i, for free(), or NULL without memory. */
char *section_name(const struct result *result, size_t i);

/*
 * Append a record as a section, and leave the record empty. The topology is
 * dropped, because the record around has it. False without memory.
 */
bool sections_add(struct result *result, struct result *section);

/* Append a command that left no section; false without memory. */
bool sections_skip(struct result *result, const char *command,
	char *const *arguments, size_t n_arguments, const char *reason);

/* Return the FILE of FILE:NAME for a path, borrowed; "-" is /dev/stdin then. */
const char *section_path(const char *path);

/*
 * Return the file of a path, for free(), or NULL without memory. *name is the
 * section behind it, within path, or NULL.
 */
char *section_file(const char *path, const char **name);

/*
 * Check that no two paths are of one pipe, for example of standard input, which
 * can be read once; else -EINVAL (ERROR_USAGE).
 */
int sections_check_pipes(const char *const *paths, size_t n, struct error *err);

/*
 * Replace a record by its section of this name (NULL: the only one, if it has
 * sections), with the topology. -EINVAL names the sections that exist; the
 * record then stays as it was.
 */
int section_choose(struct result *result, const char *name, struct error *err);

/*
 * Move section i out of a record, with a copy of the topology; its place keeps
 * no name. -ENOMEM leaves *section as it was, and nothing of section i.
 */
int section_take(struct result *result, size_t i, struct result *section,
	struct error *err);

#endif
