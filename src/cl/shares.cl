/*
 * Some CPUs are slower than others, for instance SMT siblings. To avoid waiting
 * for the slowest one, on CPUs (-DSHARES) the work of each unit has shares, and
 * a work-group for each unit does those that nobody has taken: first those of
 * its own unit, which may be in its caches, then those of others. With
 * shares[REPEATS], all shares repeat the group's own work. Other devices run
 * all groups.
 *
 * EACH_ITEM stands before the block that does the work of `item`, a share of a
 * work-item. GROUP is its group; on CPUs that is a group of one work-item.
 * TAKEN ends the parameters of the kernel. LEAVE stores a result of repeats: if
 * they have different results, it is none of them.
 *
 * Each work-item of a group takes its own shares, because PoCL interchanges the
 * loops of kernels with barriers, and so changes what they measure.
 */
#ifdef SHARES
#define ALL	 0 /* shares of a unit */
#define REPEATS	 1
#define COUNTERS 16 /* of each work-item of each unit */

#define TAKEN , __global uint *shares

/*
 * Take the next share of unit *from, else of the units after it; return whether
 * there was one. Nobody takes the first share of another unit. Each group finds
 * each counter at its end once, so the next run begins at 0 again.
 */
bool take_share(__global uint *shares, uint *from, uint *share)
{
	uint n = get_num_groups(0), all = shares[ALL];

	for (; all > 1 && *from < get_group_id(0) + n; (*from)++) {
		uint lane = *from % n * 256 + get_local_id(0);

		*share = 1 +
			 atomic_inc(shares + COUNTERS + lane) % (all - 1 + n);
		if (*share < all)
			return true;
	}
	return false;
}

#define EACH_ITEM                                                              \
	uint from = get_group_id(0), share = 0;                                \
	for (uint item = ITEM, more = 1; more;                                 \
		more = take_share(shares, &from, &share), item = ITEM)

#define ITEM                                                                   \
	shares[REPEATS] ? get_group_id(0)                                      \
			: (from % get_num_groups(0) * get_local_size(0) +      \
				  get_local_id(0)) *                           \
					  shares[ALL] +                        \
				  share

#define GROUP		     item
#define LEAVE(place, result) place &= result
#else
#define TAKEN
#define EACH_ITEM	     size_t item = get_global_id(0);
#define GROUP		     get_group_id(0)
#define LEAVE(place, result) place = result
#endif
#line 1
