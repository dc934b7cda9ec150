/*
 * The sections of a record, which c2c measure writes. Each section is the
 * record of a command, and has the name of the command. The second section of
 * queue is "queue-2".
 *
 * For a command that reads a file, "FILE:NAME" is the section NAME of FILE,
 * unless a file "FILE:NAME" exists. "/dev/stdin:NAME" is a section of standard
 * input.
 */
#ifndef C2C_SECTIONS_H
#define C2C_SECTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "result/result.h"

#define SECTIONS_MAX 100

/* Return the name of section i, or NULL. The caller frees it. */
char *section_name(const struct result *result, size_t i);

/*
 * Append a section without its topology, and leave *section empty. Return false
 * if out of memory.
 */
bool sections_add(struct result *result, struct result *section);

/* Append a command without a result. Return false if out of memory. */
bool sections_skip(struct result *result, const char *command,
	char *const *arguments, size_t n_arguments, const char *reason);

/* Return path, or "/dev/stdin" for "-". */
const char *section_path(const char *path);

/*
 * Return FILE of a path, or NULL if out of memory. The caller frees it. *name
 * becomes NAME, borrowed from path, or NULL.
 */
char *section_file(const char *path, const char **name);

/*
 * Return -EINVAL (ERROR_USAGE) if two paths are the same pipe, such as standard
 * input, which c2c can read only once.
 */
int sections_check_pipes(const char *const *paths, size_t n, struct error *err);

/*
 * Replace a record with its section, and keep the topology. name NULL is the
 * only section, if the record has sections. Return -EINVAL if the record has no
 * such section, and leave the record unchanged.
 */
int section_choose(struct result *result, const char *name, struct error *err);

/*
 * Move section i to *section with a copy of the topology, and leave an empty
 * section. After -ENOMEM, *section is unchanged and section i is empty.
 */
int section_take(struct result *result, size_t i, struct result *section,
	struct error *err);

#endif
