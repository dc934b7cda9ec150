#include "machine/cgroup.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "machine/files.h"
#include "util/text.h"

/* From /sys/fs/cgroup/MOUNT/PATH up to /sys/fs/cgroup/MOUNT. */
static void visit_upwards(const char *root, const char *mount, const char *path,
	void (*visit)(const char *root, const char *folder, void *arg),
	void *arg)
{
	const char *slash = *mount ? "/" : "";
	char *folder = text_format("/sys/fs/cgroup%s%s%s", slash, mount, path);
	size_t shortest =
		strlen("/sys/fs/cgroup") + strlen(slash) + strlen(mount);

	while (folder) {
		visit(root, folder, arg);
		if (strlen(folder) <= shortest)
			break;
		*strrchr(folder, '/') = '\0';
	}
	free(folder);
}

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

void cgroup_visit(const char *root, const char *controller,
	void (*visit)(const char *root, const char *folder, void *arg),
	void *arg)
{
	char *text = files_text(root, "/proc/self/cgroup");
	char *rest = text;
	char *line;

	/* Lines are "number:controllers:/path"; v2 has no controllers. */
	while ((line = strsep(&rest, "\n"))) {
		char *controllers = strchr(line, ':');
		char *path = controllers ? strchr(controllers + 1, ':') : NULL;

		if (!path)
			continue;
		*path++ = '\0';
		controllers++;
		if (!*controllers)
			visit_upwards(root, "", path, visit, arg);
		else if (has_controller(controllers, controller))
			visit_upwards(root, controller, path, visit, arg);
	}
	free(text);
}
