#include "cl/images.h"

#include <stdlib.h>
#include <string.h>

bool images_have_format(const struct session *session, cl_mem_object_type type,
	const cl_image_format *format)
{
	cl_image_format *all = NULL;
	cl_uint n = 0;
	bool found = false;

	if (clGetSupportedImageFormats(session->context, CL_MEM_READ_WRITE,
		    type, 0, NULL, &n) == 0)
		all = calloc(n + 1, sizeof(*all));
	if (all && clGetSupportedImageFormats(session->context,
			   CL_MEM_READ_WRITE, type, n, all, NULL) == 0) {
		for (cl_uint i = 0; i < n; i++)
			found = found ||
				memcmp(&all[i], format, sizeof(*all)) == 0;
	}
	free(all);
	return found;
}

cl_mem images_of_buffer(struct session *session, cl_mem buffer,
	const cl_image_format *format, size_t n)
{
	const cl_image_desc shape = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER,
		.image_width = n,
		.buffer = buffer};
	cl_int code;
	cl_mem image;

	if (session->rc)
		return NULL;
	image = clCreateImage(session->context, CL_MEM_READ_WRITE, format,
		&shape, NULL, &code);
	return session_own(
		session, image, code, "an image of a buffer on the device");
}
