/*
 * Each work-item begins at the element that its two numbers give in a plane, an
 * image or a buffer whose width is a power of two. A read moves step elements
 * along the row in every turn, and adds to four sums, because one sum would be
 * a chain. A write stores a different value in every turn. The steps are
 * arguments, so that the compiler cannot drop or combine turns.
 */
__constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE |
	CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

/* Return the value that a turn writes to element e. */
float4 value_of(uint e, uint turn)
{
	return (float4)(e & 4095, (e >> 4) & 4095, turn & 65535, 1);
}

#define COLUMN(turn) ((x + (turn) * step) & (width - 1))

#define FOUR_READS                                                             \
	READ(0, t0) READ(1, t1) READ(2, t2) READ(3, t3)

__kernel void image_read(__read_only image2d_t image, __global float4 *out,
	uint width, uint turns, uint step)
{
	uint x = get_global_id(0), y = get_global_id(1);
	float4 t0 = 0, t1 = 0, t2 = 0, t3 = 0;

#define READ(j, t)                                                             \
	t += read_imagef(image, nearest, (int2)(COLUMN(i + j), y));
	for (uint i = 0; i < turns; i += 4) {
		FOUR_READS
	}
#undef READ
	out[y * width + x] = (t0 + t1) + (t2 + t3);
}

__kernel void image_write(__write_only image2d_t image, uint width, uint turns,
	uint step, uint first)
{
	uint x = get_global_id(0), y = get_global_id(1);

	for (uint i = 0; i < turns; i++)
		write_imagef(image, (int2)(COLUMN(i), y),
			value_of(y * width + x, first + i));
}

__kernel void buffer_read(__global const volatile float4 *buffer,
	__global float4 *out, uint width, uint turns, uint step)
{
	uint x = get_global_id(0), y = get_global_id(1);
	__global const volatile float4 *row = buffer + y * width;
	float4 t0 = 0, t1 = 0, t2 = 0, t3 = 0;

#define READ(j, t) t += row[COLUMN(i + j)];
	for (uint i = 0; i < turns; i += 4) {
		FOUR_READS
	}
	out[y * width + x] = (t0 + t1) + (t2 + t3);
}

__kernel void buffer_write(__global volatile float4 *buffer, uint width,
	uint turns, uint step, uint first)
{
	uint x = get_global_id(0), y = get_global_id(1);
	__global volatile float4 *row = buffer + y * width;

	for (uint i = 0; i < turns; i++)
		row[COLUMN(i)] = value_of(y * width + x, first + i);
}
