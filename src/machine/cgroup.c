#include "machine/cgroup.h"

#include <stdbool.h>
#include <string.h>

#define MOUNT "/sys/fs/cgroup"

/* Whether name stands in the comma separated controllers, "cpu,cpuacct". */
static bool has_controller(const char *controllers, const char *name)
{
	size_t length = strlen(name);

	while (*controllers) {
		size_t n = strcspn(controllers, ",");

		if (n == length && strncmp(controllers, name, n) == 0)
			return true;
		controllers += n + (controllers[n] == ',');
	}
	return false;
}

void cgroup_visit(struct files *files, const char *controller,
	void (*visit)(struct files *files, const char *folder, void *arg),
	void *arg)
{
	char *rest = files_read(files, "/proc/self/cgroup");
	char *line;

	/* Lines are "number:controllers:/path"; v2 has no controllers. */
	while ((line = strsep(&rest, "\n"))) {
		char *controllers = strchr(line, ':');
		char *path = controllers ? strchr(controllers + 1, ':') : NULL;
		char *folder;
		size_t shortest;

		if (!path)
			continue;
		*path++ = '\0';
		controllers++;
		if (*controllers && !has_controller(controllers, controller))
			continue;
		/* From the mount and the path up to the mount. */
		folder = arena_format(&files->arena, MOUNT "%s%s%s",
			*controllers ? "/" : "", *controllers ? controller : "",
			path);
		shortest = folder ? strlen(folder) - strlen(path) : 0;
		while (folder) {
			visit(files, folder, arg);
			if (strlen(folder) <= shortest)
				break;
			*strrchr(folder, '/') = '\0';
		}
	}
}
