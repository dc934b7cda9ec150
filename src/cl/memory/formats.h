/*
 * The test formats: what its files share. Private to src/cl.
 *
 * formats.c has the curves and their findings. formats_choose.c chooses the
 * amounts of memory and the elements of images. formats_point.c has the
 * arguments and results of one point.
 */
#ifndef C2C_FORMATS_H
#define C2C_FORMATS_H

#include "cl/sweep.h"

/* Accesses in a turn, as in the kernels. */
#define FORMATS_TURN 8

/* Words of 0 or 1 that a float adds up without rounding. */
#define FORMATS_MOST_WORDS ((size_t)1 << 24)

enum formats_access {
	BUFFER,
	TYPED, /* 1D image of a buffer */
	PLANE,
	MIX,
};

enum formats_kernel_id {
	BUFFER_READ,
	BUFFER_MULTIPLY,
	BUFFER_WRITE,
	TYPED_READ,
	TYPED_WRITE,
	PLANE_READ,
	PLANE_WRITE,
	MIX_0,
	MIX_25,
	MIX_50,
	MIX_75,
	MIX_100,
	KERNELS
};

struct formats_kernel {
	const char *name;
	enum formats_access access;
};
extern const struct formats_kernel formats_kernels[KERNELS];

enum formats_type_id {
	FLOAT,
	UINT,
	TYPES
};

struct formats_type {
	const char *name, *flags;
	cl_channel_type channel;
};
extern const struct formats_type formats_types[TYPES];

/* A width of elements; order 0: no image has it. */
struct formats_width {
	unsigned words;
	cl_channel_order order;
	bool only_cpu, quick;
};
#define WIDTHS 6
extern const struct formats_width formats_widths[WIDTHS];

struct formats_amount {
	const char *name;
	size_t bytes, slice_bytes; /* of each group; or all of it */
	size_t groups;
	bool images;
	bool once; /* a run goes through it once; no slice stays in caches */
};

struct formats_state {
	struct session *session;
	cl_kernel kernels[TYPES][WIDTHS][KERNELS];
	struct formats_amount amounts[3];
	size_t n_amounts, group, pitch;
	bool images;
	unsigned image_words[WIDTHS]; /* [n_image] */
	size_t n_image;
	cl_mem data, written, out;
	cl_uint *expected;   /* what work-items should read */
	unsigned char *ones; /* for each block and lane: words that are 1 */
	unsigned char *written_blocks; /* whether a block is written */
	unsigned ones_words; /* words of an element that ones is for; 0: none */

	/* State of the current point. */
	const struct formats_amount *amount;
	size_t words, elements, blocks, turns, step;
	cl_mem plane;
	size_t log_width, mark; /* mark: before the image was made */
	cl_uint value;
};

/*
 * Choose groups, elements of images and amounts of memory. Findings list what
 * is left out.
 */
void formats_choose(struct formats_state *formats);

/* Return log2 of an image's width; images are nearly square. */
size_t formats_log_width(size_t elements);

/* Return whether this run has elements of that width in buffers. */
static inline bool formats_has_width(
	const struct session *session, const struct formats_width *width)
{
	return (session->is_cpu || !width->only_cpu) &&
	       (width->quick || !session->options->quick);
}

/* Return word i that is read, that work-items leave, and that they write. */
cl_uint formats_data_word(const void *context, size_t i);
cl_uint formats_read_word(const void *context, size_t i);
cl_uint formats_written_word(const void *context, size_t i);

/* Prepare a point: sweep->prepare. */
void formats_prepare(struct sweep *sweep, size_t i);

/* Time writes to a plane, and copy the plane to formats->written. */
struct timing formats_time_plane(struct sweep *sweep, size_t i);

#endif
