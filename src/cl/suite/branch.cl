/*
 * Each work-item takes one of PATHS paths. The path changes every 1 << shift
 * work-items, so that neighbours take different paths (shift 0) or the same
 * path.
 *
 * A path is a loop of five steps; a step multiplies x, combines it with b, and
 * rotates it. Bit j of the path's number decides the order of the first two
 * operations in step j. Therefore all paths have the same instructions, each
 * instruction waits for the previous one, and no two paths compute the same
 * values. The rotation prevents compilers from combining steps. The number of
 * turns, a and b are arguments.
 */
#define STEP(k, j)                                                             \
	x = (k) >> (j)&1 ? (x ^ b) * a : (x * a) ^ b;                          \
	x = rotate(x, 7u);

#define PATH(k)                                                                \
	{                                                                      \
		for (uint i = 0; i < turns; i++) {                             \
			STEP(k, 0)                                             \
			STEP(k, 1)                                             \
			STEP(k, 2)                                             \
			STEP(k, 3)                                             \
			STEP(k, 4)                                             \
		}                                                              \
	}

#define OR(k) else if (which == k) PATH(k)

__kernel void branch(
	__global uint *out, uint a, uint b, uint turns, uint shift)
{
	uint g = get_global_id(0);
	uint which = (g >> shift) % PATHS;
	uint x = g;

	if (which == 0)
		PATH(0)
#if PATHS > 1
	OR(1) OR(2) OR(3)
#endif
#if PATHS > 4
	OR(4) OR(5) OR(6) OR(7) OR(8) OR(9) OR(10) OR(11)
	OR(12) OR(13) OR(14) OR(15)
#endif
#if PATHS > 16
	OR(16) OR(17) OR(18) OR(19) OR(20) OR(21) OR(22) OR(23)
	OR(24) OR(25) OR(26) OR(27) OR(28) OR(29) OR(30) OR(31)
#endif
	out[g] = x;
}
