/*
 * The sections of a record: several commands measured one machine into one file
 * (c2c measure). Each section is a whole record, named after its command; the
 * second section of a command is "queue-2", and so on.
 *
 * When a c2c command reads a file, "FILE:NAME" is the section NAME of FILE,
 * unless a file of that name exists; for standard input, /dev/stdin:NAME. A
 * folder has no sections, and section names have no slash.
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
 * dropped, because the enclosing record has it. False without memory.
 */
bool sections_add(struct result *result, struct result *section);

/* Append a command that left no section; false without memory. */
bool sections_skip(struct result *result, const char *command,
	char *const *arguments, size_t n_arguments, const char *reason);

/* Return FILE of a path FILE:NAME, borrowed; for "-" it is /dev/stdin. */
const char *section_path(const char *path);

/*
 * Return the file of a path, for free(), or NULL without memory. *name is the
 * section's name, within path, or NULL.
 */
char *section_file(const char *path, const char **name);

/*
 * Check that no two paths name the same pipe (for example standard input),
 * which can be read only once; else -EINVAL (ERROR_USAGE).
 */
int sections_check_pipes(const char *const *paths, size_t n, struct error *err);

/*
 * Replace a record by its section of this name (NULL: the only section, if
 * there are sections), with the topology. -EINVAL names the sections that
 * exist, and the record is unchanged.
 */
int section_choose(struct result *result, const char *name, struct error *err);

/*
 * Move section i out of a record, with a copy of the topology; the section left
 * behind is empty. After -ENOMEM, *section is unchanged and section i is lost.
 */
int section_take(struct result *result, size_t i, struct result *section,
	struct error *err);

#endif
