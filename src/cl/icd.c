/*
 * The installed implementations of OpenCL. Each package has a file (*.icd) that
 * names its library. The loader loads these libraries. The loader silently
 * skips a library that does not load, and may hang in a library.
 */
#include "cl/session.h"

#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "util/text.h"

#define FOLDER "/etc/OpenCL/vendors"

/* Function to call for each file; path is NULL for a library without a file. */
typedef void icd_visit(const char *path, const char *library, void *context);

static const char *icd_variable(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

static bool is_icd(const char *name)
{
	size_t n = strlen(name);

	return n > 4 && strcmp(name + n - 4, ".icd") == 0;
}

static int choose_icd(const struct dirent *entry)
{
	return is_icd(entry->d_name);
}

/* Visit a file. The first line of a file names the library. */
static void icd_visit_file(const char *path, icd_visit *visit, void *context)
{
	FILE *file = fopen(path, "re");
	char line[4096] = "";

	if (!file)
		return;
	if (!fgets(line, sizeof(line), file))
		line[0] = '\0';
	fclose(file);
	line[strcspn(line, "\n")] = '\0';
	visit(path, line, context);
}

static void icd_visit_folder(
	const char *folder, icd_visit *visit, void *context)
{
	struct dirent **entries;
	int n = scandir(folder, &entries, choose_icd, alphasort);

	for (int i = 0; i < n; i++) {
		char *path;

		if (asprintf(&path, "%s%s%s", folder,
			    folder[strlen(folder) - 1] == '/' ? "" : "/",
			    entries[i]->d_name) >= 0) {
			icd_visit_file(path, visit, context);
			free(path);
		}
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
}

/* Visit files in the places listed by libOpenCL(7) of ocl-icd. */
static void icd_visit_all(icd_visit *visit, void *context)
{
	const char *folder = icd_variable("OPENCL_VENDOR_PATH");
	const char *chosen = icd_variable("OCL_ICD_VENDORS");
	struct stat status;
	char path[4096];

	folder = folder ? folder : FOLDER;
	if (!chosen) {
		icd_visit_folder(folder, visit, context);
	} else if (stat(chosen, &status) == 0 && S_ISDIR(status.st_mode)) {
		icd_visit_folder(chosen, visit, context);
	} else if (is_icd(chosen)) {
		snprintf(path, sizeof(path), "%s/%s", folder, chosen);
		if (strchr(chosen, '/') || stat(path, &status) != 0)
			snprintf(path, sizeof(path), "%s", chosen);
		icd_visit_file(path, visit, context);
	} else {
		visit(NULL, chosen, context);
	}
}

static void icd_add_path(const char *path, const char *library, void *context)
{
	text_list_add(context, ", ", "%s", path ? path : library);
}

char *opencl_list_implementations(void)
{
	struct text_list list = {.text = NULL};
	char *text;

	icd_visit_all(icd_add_path, &list);
	text = text_list_end(&list);
	if (text)
		text_make_utf8(text);
	return text;
}

/* Add a warning and free its text. NULL: no memory. */
static void icd_warn(struct record *broken, char *text)
{
	if (text)
		text_make_utf8(text);
	record_add_text(broken, "warnings", text);
	free(text);
}

/*
 * Warn of characters that a loader mistakes for a part of the name: a byte
 * order mark before the name, or a blank or CR after it.
 */
static bool icd_report_bad_line(
	const char *path, const char *library, struct record *broken)
{
	size_t n = strlen(library);
	if (!path || n == 0 ||
		(strncmp(library, "\xef\xbb\xbf", 3) != 0 &&
			!isspace((unsigned char)library[n - 1])))
		return false;
	icd_warn(broken,
		text_format("the name of the library in '%s' has a byte order "
			    "mark, a blank or the line end of Windows beside "
			    "it: write the line again (dos2unix does)",
			path));
	return true;
}

static void icd_try_library(
	const char *path, const char *library, void *context)
{
	void *handle;
	const char *why;

	if (icd_report_bad_line(path, library, context))
		return;
	handle = *library ? dlopen(library, RTLD_LAZY | RTLD_LOCAL) : NULL;
	if (handle) {
		dlclose(handle);
		return;
	}
	why = *library ? dlerror() : NULL;
	icd_warn(context, *library
				  ? text_format("the implementation of '%s' "
						"does not load: %s",
					    path ? path : library,
					    why ? why : "unknown reason")
				  : text_format("'%s' names no library", path));
}

void icd_list_broken(struct record *broken)
{
	icd_visit_all(icd_try_library, broken);
}
