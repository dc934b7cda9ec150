/*
 * Read and write elements of WIDTH words of type TYPE: in a buffer, an image of
 * a buffer, a plane (a 2D image), or partly in a buffer and partly in a plane.
 *
 * Memory is divided into blocks of 8 * PITCH elements. In a turn PITCH
 * work-items take a block, 8 elements each. The elements of a work-item are
 * PITCH apart, so that neighbours have neighbouring elements, and eight
 * accesses need one address. The next turn takes the block that is `step`
 * blocks further in the group's slice. A slice has mask + 1 blocks, and the
 * slice of group g begins at block g * apart (apart 0: all groups share a
 * slice). Mask, step and apart are arguments.
 *
 * READ_QUALIFIER is volatile on CPUs, so that compilers do not combine words
 * into vectors.
 */
#define JOIN(a, b)  a##b
#define OF(a, b)    JOIN(a, b)
#define AS_WORD(x)  as_uint(x)
#define EIGHT(DO)                                                              \
	DO(0, t0) DO(1, t1) DO(2, t2) DO(3, t3) DO(4, t4) DO(5, t5)            \
	DO(6, t6) DO(7, t7)

#if WIDTH == 1
#define vector TYPE
#else
#define vector OF(TYPE, WIDTH)
#endif

/* Elements of 12 bytes have no gaps; a vector of three would take 16. */
#if WIDTH == 3
typedef TYPE element;
#define LOAD(e)	    vload3(e, a)
#define STORE(x, e) vstore3(x, e, a)
#else
typedef READ_QUALIFIER vector element;
#define LOAD(e)	    a[e]
#define STORE(x, e) a[e] = x
#endif

/* Sum of all words, which is exact. */
#define SUM_1(t)  (t)
#define SUM_2(t)  ((t).x + (t).y)
#define SUM_3(t)  ((t).x + (t).y + (t).z)
#define SUM_4(t)  (SUM_2((t).lo) + SUM_2((t).hi))
#define SUM_8(t)  (SUM_4((t).lo) + SUM_4((t).hi))
#define SUM_16(t) (SUM_8((t).lo) + SUM_8((t).hi))

#define SUMS(type)                                                             \
	type t0 = 0, t1 = 0, t2 = 0, t3 = 0, t4 = 0, t5 = 0, t6 = 0, t7 = 0
#define SUM (((t0 + t1) + (t2 + t3)) + ((t4 + t5) + (t6 + t7)))

#define LOOP                                                                   \
	uint i = item / PITCH, lane = item % PITCH;                            \
	ulong first = (ulong)GROUP * apart;                                    \
	for (uint turn = 0; turn < turns; turn++, i += step)
#define ELEMENT ((first + (i & mask)) * (8 * PITCH) + lane)

/* Value of all elements that a work-item writes. */
#define VALUE ((TYPE)(v + (lane & 4095)))

__kernel void buffer_read(__global const element *a, __global uint *out,
	uint turns, uint step, uint mask, uint apart, uint v TAKEN)
{
	EACH_ITEM {
		SUMS(vector);

		LOOP {
			ulong at = ELEMENT;
#define READ(j, t) t += LOAD(at + (j) * PITCH);
			EIGHT(READ)
#undef READ
		}
		t0 = SUM;
		LEAVE(out[item], AS_WORD(OF(SUM_, WIDTH)(t0)));
	}
}

/* buffer_read() with a multiplication of each word. */
__kernel void buffer_multiply(__global const element *a, __global uint *out,
	uint turns, uint step, uint mask, uint apart, uint v TAKEN)
{
	EACH_ITEM {
		TYPE factor = v;
		SUMS(vector);

		LOOP {
			ulong at = ELEMENT;
#define READ(j, t) t += LOAD(at + (j) * PITCH) * factor;
			EIGHT(READ)
#undef READ
		}
		t0 = SUM;
		LEAVE(out[item], AS_WORD(OF(SUM_, WIDTH)(t0)));
	}
}

__kernel void buffer_write(__global element *a, __global uint *out, uint turns,
	uint step, uint mask, uint apart, uint v TAKEN)
{
	EACH_ITEM {
		LOOP {
			ulong at = ELEMENT;
			vector x = VALUE;
#define WRITE(j, t) STORE(x, at + (j) * PITCH);
			EIGHT(WRITE)
#undef WRITE
		}
	}
}

/*
 * Images have vectors of four; an element is the first `parts` words of a
 * vector. A row of a plane has 2^log_width elements.
 */
#ifdef IMAGES
#define vector4 OF(TYPE, 4)
#define FIRST_PARTS(t)                                                         \
	((t).x + (parts > 1 ? (t).y : 0) + (parts > 2 ? (t).z + (t).w : 0))
#define PLACE(e) ((int2)((e) & ((1 << log_width) - 1), (e) >> log_width))

__constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE |
	CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

__kernel void typed_read(__read_only image1d_buffer_t a, __global uint *out,
	uint turns, uint step, uint mask, uint apart, uint v, uint parts TAKEN)
{
	EACH_ITEM {
		SUMS(vector4);

		LOOP {
			int at = ELEMENT;
#define READ(j, t) t += READ_IMAGE(a, at + (j) * PITCH);
			EIGHT(READ)
#undef READ
		}
		t0 = SUM;
		LEAVE(out[item], AS_WORD(FIRST_PARTS(t0)));
	}
}

__kernel void typed_write(__write_only image1d_buffer_t a, __global uint *out,
	uint turns, uint step, uint mask, uint apart, uint v, uint parts TAKEN)
{
	EACH_ITEM {
		LOOP {
			int at = ELEMENT;
			vector4 x = VALUE;
#define WRITE(j, t) WRITE_IMAGE(a, at + (j) * PITCH, x);
			EIGHT(WRITE)
#undef WRITE
		}
	}
}

__kernel void plane_read(__read_only image2d_t a, __global uint *out,
	uint turns, uint step, uint mask, uint apart, uint v, uint parts,
	uint log_width TAKEN)
{
	EACH_ITEM {
		SUMS(vector4);

		LOOP {
			int at = ELEMENT;
#define READ(j, t) t += READ_IMAGE(a, nearest, PLACE(at + (j) * PITCH));
			EIGHT(READ)
#undef READ
		}
		t0 = SUM;
		LEAVE(out[item], AS_WORD(FIRST_PARTS(t0)));
	}
}

__kernel void plane_write(__write_only image2d_t a, __global uint *out,
	uint turns, uint step, uint mask, uint apart, uint v, uint parts,
	uint log_width TAKEN)
{
	EACH_ITEM {
		LOOP {
			int at = ELEMENT;
			vector4 x = VALUE;
#define WRITE(j, t) WRITE_IMAGE(a, PLACE(at + (j) * PITCH), x);
			EIGHT(WRITE)
#undef WRITE
		}
	}
}

/* Reads of eight elements, some from a plane and some from a buffer. */
#define OF_PLANE(j, t)                                                         \
	t += READ_IMAGE(plane, nearest, PLACE(at + (j) * PITCH));
#define OF_BUFFER(j, t) t += a[at + (j) * PITCH];

#define MIX(name, DO)                                                          \
	__kernel void name(__read_only image2d_t plane, __global uint *out,    \
		uint turns, uint step, uint mask, uint apart, uint v,          \
		uint parts, uint log_width,                                    \
		__global const READ_QUALIFIER vector4 *a TAKEN)                \
	{                                                                      \
		EACH_ITEM {                                                   \
			SUMS(vector4);                                         \
			LOOP {                                                 \
				int at = ELEMENT;                              \
				DO                                             \
			}                                                      \
			t0 = SUM;                                              \
			LEAVE(out[item], AS_WORD(FIRST_PARTS(t0)));            \
		}                                                              \
	}

MIX(mix_0, EIGHT(OF_PLANE))
MIX(mix_25, OF_BUFFER(0, t0) OF_PLANE(1, t1) OF_PLANE(2, t2) OF_PLANE(3, t3)
	OF_BUFFER(4, t4) OF_PLANE(5, t5) OF_PLANE(6, t6) OF_PLANE(7, t7))
MIX(mix_50, OF_BUFFER(0, t0) OF_PLANE(1, t1) OF_BUFFER(2, t2) OF_PLANE(3, t3)
	OF_BUFFER(4, t4) OF_PLANE(5, t5) OF_BUFFER(6, t6) OF_PLANE(7, t7))
MIX(mix_75, OF_BUFFER(0, t0) OF_BUFFER(1, t1) OF_BUFFER(2, t2) OF_PLANE(3, t3)
	OF_BUFFER(4, t4) OF_BUFFER(5, t5) OF_BUFFER(6, t6) OF_PLANE(7, t7))
MIX(mix_100, EIGHT(OF_BUFFER))
#endif
