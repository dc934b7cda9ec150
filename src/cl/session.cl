/* What every session runs before its test. */

/* Nothing: what a launch costs. */
__kernel void nothing(__global uint *out)
{
}

/*
 * Work that takes time on every compute unit, and that nobody can leave out:
 * each turn needs the one before.
 */
__kernel void work(__global uint *out, uint turns)
{
	uint x = get_global_id(0) + 1;

	for (uint i = 0; i < turns; i++)
		x = x * 1664525u + 1013904223u;
	out[get_global_id(0)] = x;
}
