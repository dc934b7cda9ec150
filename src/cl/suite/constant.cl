/*
 * Each work-item follows a chain through constant memory, beginning at its own
 * number: each read says where the next one is. What the array holds is not
 * known when this is compiled, nor how many turns there are, so that no read
 * can be left out or begin before the one before has ended. The first, outside
 * the loop, makes their number odd: no chain can end where it began.
 */
#define FOUR                                                                   \
	i = next[i];                                                           \
	i = next[i];                                                           \
	i = next[i];                                                           \
	i = next[i];

__kernel void follow(
	__constant uint *next, __global uint *out, uint mask, uint turns)
{
	uint i = next[get_global_id(0) & mask];

	for (uint turn = 0; turn < turns; turn++) {
		FOUR FOUR FOUR FOUR
	}
	out[get_global_id(0)] = i;
}
