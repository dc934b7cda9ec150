/*
 * Suggest remedies for a failed OpenCL implementation. Errors of an
 * implementation may not state the cause, or the cause is elsewhere.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "cmd/cl/cmd_cl.h"
#include "util/array.h"
#include "util/text.h"

/* With fewer free bytes on a disk, writing compiled kernels may fail. */
#define FOLDER_BYTES (1 << 20)

static bool contains_any_word(
	const char *text, const char *const *words, size_t n)
{
	while (n-- > 0) {
		if (strstr(text, words[n]))
			return true;
	}
	return false;
}

/* Suggest a linker, which CPU implementations run for each kernel. */
static bool suggest_linker(struct error *why)
{
	static const char *const words[] = {
		"linker command failed", "Final linking", "Executable \"ld"};
	bool linker = contains_any_word(why->text, words, N_OF(words));

	if (linker)
		error_set(why, why->class, why->code,
			"%s; install a linker (package binutils)", why->text);
	return linker;
}

/* Suggest another folder: compilers do not report where they cannot write. */
static bool suggest_other_folder(
	const char *folder, bool of_user, struct error *why)
{
	const char *reason = NULL;
	struct statvfs status;

	if (access(folder, W_OK | X_OK) != 0)
		reason = "c2c may not write into";
	else if (statvfs(folder, &status) == 0 &&
		 status.f_bavail * status.f_frsize < FOLDER_BYTES)
		reason = "no space is left in";
	if (reason)
		error_set(why, why->class, why->code,
			"%s; %s '%s' (%s chooses another folder for compiled "
			"kernels)",
			why->text, reason, folder,
			of_user ? "POCL_CACHE_DIR" : "TMPDIR");
	return reason;
}

/* Suggest cleaning the user's folder; c2c's own folder is always new. */
static void suggest_cache_cleanup(const char *folder, struct error *why)
{
	if (why->code == ECHILD || strstr(why->text, "do not build"))
		error_set(why, why->class, why->code,
			"%s; compiled kernels in '%s' may be damaged: remove "
			"that folder, or unset POCL_CACHE_DIR",
			why->text, folder);
}

void cl_explain_memory_limit(struct error *why)
{
	static const char *const words[] = {"bad_alloc", "annot allocate",
		"ut of memory", "failed to map", "temporarily unavailable",
		"OUT_OF_HOST_MEMORY", "OUT_OF_RESOURCES"};
	char size[TEXT_SIZE_BYTES];
	struct rlimit limit;

	if (getrlimit(RLIMIT_AS, &limit) == 0 &&
		limit.rlim_cur != RLIM_INFINITY &&
		contains_any_word(why->text, words, N_OF(words)))
		error_set(why, why->class, why->code,
			"%s; ulimit -v allows %s of address space, and OpenCL "
			"needs more: raise it",
			why->text, text_size(limit.rlim_cur, size));
}

void cl_suggest_remedy(const struct cl_state *state, struct error *why)
{
	/* The user or opencl_set_environment() set this variable. */
	const char *folder = getenv("POCL_CACHE_DIR");
	bool of_user = folder && strcmp(folder, state->folder) != 0;

	if (why->code == EINTR || why->code == ETIMEDOUT)
		return;
	if (!suggest_linker(why) && folder &&
		!suggest_other_folder(folder, of_user, why) && of_user)
		suggest_cache_cleanup(folder, why);
	cl_explain_memory_limit(why);
}
