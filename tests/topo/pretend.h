/*
 * Pretended machines for tests: from hwloc's synthetic descriptions, from the
 * XML beside this file, from the trees of files that machine.sh builds.
 */
#ifndef C2C_TESTS_TOPO_PRETEND_H
#define C2C_TESTS_TOPO_PRETEND_H

#include "machine/machine.h"

/* All of these fail the test where they cannot do what they say. */
struct machine *pretend_synthetic(const char *description);
struct machine *pretend_xml(const char *fixture);

/* Assert that list is the one that text names, in this order. */
void assert_cpus(const struct cpu_list *list, const char *text);

/*
 * Build the files of a machine of machine.sh in a new folder, whose path is
 * returned; pretend_remove() deletes it and frees the path.
 */
char *pretend_tree(const char *name);
void pretend_remove(char *root);

/* Write text into the file path below root, made if need be. */
void pretend_put(const char *root, const char *path, const char *text);

/* Delete the file or folder path below root. */
void pretend_drop(const char *root, const char *path);

/* The machine whose files stand below root, by way of HWLOC_FSROOT. */
struct machine *pretend_machine(const char *root);

#endif
