#include "cmd/version.h"

#include <stdio.h>

#include "cl/cl.h"
#include "cmd/revision.h"
#include "machine/machine.h"
#include "result/describe.h"

void version_print(void)
{
	char hwloc[MACHINE_VERSION_BYTES];

	puts("c2c " PACKAGE_VERSION);
	puts("Revision:  " C2C_REVISION);
	puts("Licence:   MIT");
	printf("Libraries: hwloc (API %s), jansson %s, %s\n",
		machine_hwloc_version(hwloc), describe_jansson_version(),
		opencl_available(NULL) == 0 ? "OpenCL loader"
					    : "built without OpenCL");
}
