/*
 * Two compute units pass words to and fro by atomics. Each group is one
 * work-item with so much local memory that few groups fit on a unit. All groups
 * wait for each other, which proves that they run simultaneously. The groups on
 * the two chosen units then take their roles, and all others exit. A wait ends
 * after as many tries as the argument `most`.
 *
 * NVIDIA's compiler takes inline PTX, which reads the unit and its clock. With
 * other compilers a group's number stands for the unit, and c2c uses the host's
 * clock.
 */
#ifdef __NV_CL_C_VERSION
#define UNIT(id)  asm volatile("mov.u32 %0, %%smid;" : "=r"(id))
/* No access may move across a reading of the clock. */
#define CLOCK(at) asm volatile("mov.u64 %0, %%clock64;" : "=l"(at)::"memory")
#else
#define UNIT(id)  id = get_group_id(0)
#define CLOCK(at) at = 1
#endif

/* Wait until the word equals want, then set it to next; 0: it never did. */
uint answer(volatile __global uint *word, uint want, uint next, uint most)
{
	for (uint n = 0; n < most; n++) {
		if (atomic_cmpxchg(word, want, next) == want)
			return 1;
	}
	return 0;
}

#define GIVEN_UP 0x80000000u

/*
 * Wait until all groups have arrived. If the groups do not run simultaneously,
 * the first that gives up ends all waits.
 */
uint meet(volatile __global uint *there, uint groups, uint most)
{
	atomic_inc(there);
	for (uint n = 0; n < most; n++) {
		uint now = atomic_or(there, 0);

		if (now >= groups)
			return now < GIVEN_UP;
	}
	atomic_or(there, GIVEN_UP);
	return 0;
}

/*
 * words contains, PITCH words (-D) apart: the number of arrived groups, role
 * one, role other, and the lines. out has the unit and 1 for each group, and
 * the clocks of all rounds and the last word for each line. An untimed first
 * round brings the line into the cache. choice has the two units, the first
 * line and the number of lines.
 */
__kernel void bounce(volatile __global uint *words, __global ulong *out,
	__local uint *apart, uint4 choice, uint rounds, uint most)
{
	uint groups = get_num_groups(0), id, side;
	ulong before = 0, after;

	UNIT(id);
	apart[0] = id;
	if (!meet(words, groups, most))
		return;
	out[get_group_id(0)] = apart[0] + 1;
	side = id == choice.x ? 0 : 1;
	/* If two groups are on one unit, the first group has the role. */
	if ((id != choice.x && id != choice.y) ||
		!answer(words + (1 + side) * PITCH, 0, 1, 1))
		return;
	for (uint l = 0; l < choice.w; l++) {
		volatile __global uint *word =
			words + (3 + choice.z + l) * PITCH;
		uint value = side;

		for (uint round = 0; round <= rounds; round++, value += 2) {
			if (!answer(word, value, value + 1, most))
				return;
			if (round == 1)
				CLOCK(before);
		}
		if (side == 1)
			continue;
		if (!answer(word, value, value, most))
			return;
		CLOCK(after);
		out[groups + 2 * l] = after - before;
		out[groups + 2 * l + 1] = value;
	}
}
