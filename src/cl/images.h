/*
 * Images of OpenCL: in a buffer, or planes. Private to src/cl.
 */
#ifndef C2C_IMAGES_H
#define C2C_IMAGES_H

#include "cl/session.h"

/* Whether kernels can read and write images of that type and format. */
bool images_have_format(const struct session *session, cl_mem_object_type type,
	const cl_image_format *format);

/*
 * An image1d_buffer_t of a buffer's first n elements, which the session owns.
 * It is released before the buffer.
 */
cl_mem images_of_buffer(struct session *session, cl_mem buffer,
	const cl_image_format *format, size_t n);

/* A plane, which the session owns; with contents a kernel may only read it. */
cl_mem images_of_plane(struct session *session, const cl_image_format *format,
	size_t width, size_t height, void *contents);

/* Copy all of a plane from a buffer, or to it. */
void images_copy_plane(struct session *session, cl_mem plane, size_t width,
	size_t height, cl_mem buffer, bool from);

#endif
