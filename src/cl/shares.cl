/*
 * Some CPUs are slower than others, for instance SMT siblings. To avoid waiting
 * for the slowest CPU, the work of each CPU's unit is divided into shares
 * (-DSHARES). A work-group for each unit takes free shares: first of its own
 * unit, whose data may be in its caches, then of other units. With
 * shares[REPEATS], all shares repeat the group's own work. On other devices
 * each group does its own work.
 *
 * Write EACH_ITEM before the block that does one share of the work: `item` is
 * its number. GROUP is the group of `item`, on CPUs a group of one work-item.
 * TAKEN ends the parameters of the kernel. LEAVE stores the AND of all repeats,
 * which is wrong if they differ.
 *
 * Each work-item of a group takes its own shares, because with barriers PoCL
 * would interchange the kernels' loops and change the measurement.
 */
#ifdef SHARES
#define ALL	 0 /* number of shares of a unit */
#define REPEATS	 1
#define COUNTERS 16 /* counter of each work-item of each unit */

#define TAKEN , __global uint *shares

/*
 * Take the next share of unit *from, else of the units after it; return false
 * if no share is left. No unit takes the first share of another unit. Each
 * group reads the end of each counter once, so that the next run begins at 0
 * again.
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
