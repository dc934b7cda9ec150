/*
 * Each work-item adds to a word of local memory again and again, work-item l to
 * word l % words, where words is a power of two. A tile begins with the number
 * of its group. Neighbours add different values, so that no compiler can
 * replace their additions by a count of work-items. tile is volatile, so that
 * no compiler joins the additions of a turn. The results are not used: a device
 * may add without waiting for them.
 */
#define ADD  atomic_add(at, l + 1);
#define FOUR ADD ADD ADD ADD

__kernel void atomic_local(
	__local volatile uint *tile, __global uint *out, uint words, uint turns)
{
	uint l = get_local_id(0);
	__local volatile uint *at = tile + (l & (words - 1));

	if (l < words)
		tile[l] = get_group_id(0);
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint i = l; i != l + turns; i++) {
		FOUR FOUR FOUR FOUR
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	if (l < words)
		out[get_group_id(0) * words + l] = tile[l];
}
