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

static cl_mem images_create(struct session *session,
	const cl_image_format *format, const cl_image_desc *shape,
	void *contents, const char *what)
{
	cl_mem_flags flags = contents ? CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR
				      : CL_MEM_READ_WRITE;
	cl_int code;
	cl_mem image;

	if (session->rc)
		return NULL;
	image = clCreateImage(
		session->context, flags, format, shape, contents, &code);
	return session_own(session, image, code, what);
}

cl_mem images_of_buffer(struct session *session, cl_mem buffer,
	const cl_image_format *format, size_t n)
{
	const cl_image_desc shape = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER,
		.image_width = n,
		.buffer = buffer};

	return images_create(session, format, &shape, NULL,
		"an image of a buffer on the device");
}

cl_mem images_of_plane(struct session *session, const cl_image_format *format,
	size_t width, size_t height, void *contents)
{
	const cl_image_desc shape = {.image_type = CL_MEM_OBJECT_IMAGE2D,
		.image_width = width,
		.image_height = height};
	return images_create(
		session, format, &shape, contents, "an image on the device");
}

size_t images_log_width(size_t elements)
{
	size_t log = 0;

	while (elements % ((size_t)2 << log) == 0 &&
		((size_t)1 << 2 * log) < elements)
		log++;
	return log;
}

cl_mem images_of_elements(
	struct session *session, const cl_image_format *format, size_t elements)
{
	size_t log = images_log_width(elements);

	return images_of_plane(
		session, format, (size_t)1 << log, elements >> log, NULL);
}

bool images_fit(const struct session *session, size_t elements)
{
	size_t log = images_log_width(elements);

	return (size_t)1 << log <=
		       session_fact(session, CL_DEVICE_IMAGE2D_MAX_WIDTH) &&
	       elements >> log <=
		       session_fact(session, CL_DEVICE_IMAGE2D_MAX_HEIGHT);
}

void images_copy_plane(
	struct session *session, cl_mem plane, cl_mem buffer, bool from)
{
	static const size_t origin[3];
	size_t region[3] = {0, 0, 1};
	cl_int code;

	if (session->rc)
		return;
	clGetImageInfo(
		plane, CL_IMAGE_WIDTH, sizeof(*region), &region[0], NULL);
	clGetImageInfo(
		plane, CL_IMAGE_HEIGHT, sizeof(*region), &region[1], NULL);
	code = from ? clEnqueueCopyBufferToImage(session->queue, buffer, plane,
			      0, origin, region, 0, NULL, NULL)
		    : clEnqueueCopyImageToBuffer(session->queue, plane, buffer,
			      origin, region, 0, 0, NULL, NULL);
	session_finish(session, code, "copying an image");
}
