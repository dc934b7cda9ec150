/*
 * The test formats: what its files share. Private to src/cl.
 *
 * formats.c has the curves and what they say, formats_choose.c how much memory
 * they are about and which elements images have, and formats_point.c one point:
 * arguments and results.
 */
#ifndef C2C_FORMATS_H
#define C2C_FORMATS_H

#include "cl/sweep.h"

/* Accesses of a turn, as in the kernels. */
#define FORMATS_TURN 8

/* So many words, each of them 0 or 1, a float adds up without rounding. */
#define FORMATS_MOST_WORDS ((size_t)1 << 24)

enum formats_access {
	BUFFER,
	TYPED, /* an image of a buffer, of one dimension */
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

/* Elements; order 0: no image has them. */
struct formats_width {
	unsigned words;
	cl_channel_order order;
	bool only_cpu, quick;
};
#define WIDTHS 6
extern const struct formats_width formats_widths[WIDTHS];

/* An amount of memory. */
struct formats_amount {
	const char *name;
	size_t bytes, slice_bytes; /* of each group; or all of it */
	size_t groups;
	bool images;
	bool once; /* a run goes through it once, so no slice stays in caches */
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
	cl_uint *expected;   /* what work-items read */
	unsigned char *ones; /* of a block and lane: words that are 1 */
	unsigned char *written_blocks; /* blocks that are written */
	unsigned ones_words; /* which elements ones is about; 0: none */

	/* Of the point. */
	const struct formats_amount *amount;
	size_t words, elements, blocks, turns, step;
	cl_mem plane;
	size_t log_width, mark; /* before the image */
	cl_uint value;
};

/*
 * Choose groups, the elements of images and the amounts of memory. Findings
 * tell what is left out.
 */
void formats_choose(struct formats_state *formats);

/* Images are as near to a square as the elements allow: log2 of the width. */
size_t formats_log_width(size_t elements);

/* Whether this run has elements of that width in buffers. */
static inline bool formats_has_width(
	const struct session *session, const struct formats_width *width)
{
	return (session->is_cpu || !width->only_cpu) &&
	       (width->quick || !session->options->quick);
}

/* Word i of what is read, of what work-items leave, of what they write. */
cl_uint formats_data_word(const void *context, size_t i);
cl_uint formats_read_word(const void *context, size_t i);
cl_uint formats_written_word(const void *context, size_t i);

/* Prepare a point: sweep->prepare. */
void formats_prepare(struct sweep *sweep, size_t i);

/* Time writes to a plane, which gives formats->written what it has. */
struct timing formats_time_plane(struct sweep *sweep, size_t i);

#endif
