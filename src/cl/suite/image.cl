/*
 * Each work-item has one element of a plane whose width is a power of two: of
 * an image, or of a buffer that is as wide and high. Reading, it goes along the
 * row from there and sums, step elements on with every turn; writing, it
 * writes another value in every turn. The steps are arguments, so that no turn
 * can be left out or joined with another.
 */
__constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE |
	CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

/* What element e gets from the turn of that number. */
float4 value_of(uint e, uint turn)
{
	return (float4)(e & 4095, (e >> 4) & 4095, turn & 65535, 1);
}

#define PLACE                                                                  \
	uint g = get_global_id(0), x = g & (width - 1), row = g - x;

__kernel void image_read(__read_only image2d_t image, __global float4 *out,
	uint width, uint turns, uint step)
{
	PLACE
	float4 sum = (float4)(0);

	for (uint i = 0; i < turns; i++)
		sum += read_imagef(image, nearest,
			(int2)((x + i * step) & (width - 1), row / width));
	out[g] = sum;
}

__kernel void image_write(__write_only image2d_t image, uint width, uint turns,
	uint step, uint first)
{
	PLACE

	for (uint i = 0; i < turns; i++)
		write_imagef(image,
			(int2)((x + i * step) & (width - 1), row / width),
			value_of(g, first + i));
}

__kernel void buffer_read(__global const volatile float4 *buffer,
	__global float4 *out, uint width, uint turns, uint step)
{
	PLACE
	float4 sum = (float4)(0);

	for (uint i = 0; i < turns; i++)
		sum += buffer[row + ((x + i * step) & (width - 1))];
	out[g] = sum;
}

__kernel void buffer_write(__global volatile float4 *buffer, uint width,
	uint turns, uint step, uint first)
{
	PLACE

	for (uint i = 0; i < turns; i++)
		buffer[row + ((x + i * step) & (width - 1))] =
			value_of(g, first + i);
}
