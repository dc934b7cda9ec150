/*
 * b = a + 1, for each element. Launches alternate between two arrays, so each
 * result shows the number of launches.
 */
__kernel void launch_begin(__global ulong *a, uint n)
{
	for (uint i = get_global_id(0); i < n; i += get_global_size(0))
		a[i] = i;
}

__kernel void launch_add(__global const ulong *a, __global ulong *b)
{
	uint i = get_global_id(0);

	b[i] = a[i] + 1;
}

#define GIVEN_UP 0x80000000u

/*
 * Do all rounds in one launch, with a barrier among all groups between the
 * rounds. A work-item reads the elements that it wrote, four elements at a
 * time, because only a few groups keep memory busy. The counter `there` is the
 * number of groups that arrived. Groups that do not run simultaneously would
 * wait forever, so all groups give up if one waits too long.
 */
__kernel void launch_rounds(__global ulong *a, __global ulong *b, uint n,
	volatile __global uint *there, uint rounds, uint most)
{
	__local uint go_on;
	uint step = get_global_size(0);

	for (uint round = 1; round <= rounds; round++) {
		__global ulong *from = round % 2 ? a : b;
		__global ulong *to = round % 2 ? b : a;
		uint right = round * get_num_groups(0), now = 0;
		uint i = get_global_id(0);

		for (; i + 3 * step < n; i += 4 * step) {
			ulong t0 = from[i], t1 = from[i + step];
			ulong t2 = from[i + 2 * step], t3 = from[i + 3 * step];

			to[i] = t0 + 1;
			to[i + step] = t1 + 1;
			to[i + 2 * step] = t2 + 1;
			to[i + 3 * step] = t3 + 1;
		}
		for (; i < n; i += step)
			to[i] = from[i] + 1;
		barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
		if (get_local_id(0) == 0) {
			atomic_inc(there);
			for (uint k = 0; k < most && now < right; k++)
				now = atomic_or(there, 0);
			if (now < right)
				atomic_or(there, GIVEN_UP);
			go_on = now >= right && now < GIVEN_UP;
		}
		barrier(CLK_LOCAL_MEM_FENCE);
		if (!go_on)
			return;
	}
}
