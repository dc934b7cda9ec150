#include "cmd/check_status.h"

#include "commands.h"

int check_status(enum check_answer answer, bool strict)
{
	static const int statuses[] = {
		[CHECK_HOLDS] = STATUS_DONE,
		[CHECK_UNKNOWN] = STATUS_UNDECIDED,
		[CHECK_FAILS] = STATUS_DOES_NOT_HOLD,
	};

	return answer == CHECK_UNKNOWN && !strict ? STATUS_DONE
						  : statuses[answer];
}
