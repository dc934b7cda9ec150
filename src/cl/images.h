/* Images of OpenCL: buffer images and planes (2D images). Private to src/cl. */
#ifndef C2C_IMAGES_H
#define C2C_IMAGES_H

#include "cl/session.h"

/* Return whether kernels can read and write images of this type and format. */
bool images_have_format(const struct session *session, cl_mem_object_type type,
	const cl_image_format *format);

/*
 * Make an image1d_buffer_t of a buffer's first n elements. The session owns the
 * image, and releases it before the buffer.
 */
cl_mem images_of_buffer(struct session *session, cl_mem buffer,
	const cl_image_format *format, size_t n);

/*
 * Make a plane. Kernels only read a plane with contents. The session owns the
 * plane.
 */
cl_mem images_of_plane(struct session *session, const cl_image_format *format,
	size_t width, size_t height, void *contents);

/* Return log2 of the width of a nearly square plane of these elements. */
size_t images_log_width(size_t elements);

/* Make a plane of this width, or return whether the device allows it. */
cl_mem images_of_elements(struct session *session,
	const cl_image_format *format, size_t elements);
bool images_fit(const struct session *session, size_t elements);

/* Copy a whole plane from a buffer, or to a buffer. */
void images_copy_plane(
	struct session *session, cl_mem plane, cl_mem buffer, bool from);

#endif
