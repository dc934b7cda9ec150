# A fleet by Slurm, by the lines of README.md: three hosts on this machine.
# shellcheck shell=bash disable=SC2154

bats_require_minimum_version 1.5.0
load helpers

setup()
{
	enter_folder
	[ "${MODE:-plain}" = plain ] || skip "a $MODE build adds its own"
	for tool in munged slurmctld slurmd srun; do
		PATH=$PATH:/usr/sbin command -v $tool >/dev/null ||
			skip "Slurm is not installed"
	done
	need_root "to start the daemons of Slurm"
	own_world true 2>/dev/null ||
		skip "another host name is not permitted here"
}

teardown()
{
	end_jobs
}

# own_world COMMAND...: as the first process of a world with names, mounts and
# processes of its own. However it or its parent ends, no process of it is left.
own_world()
{
	setpriv --pdeathsig KILL unshare --uts --pid --fork --kill-child --mount-proc "$@"
}

# Write the script that starts Slurm with hosts n1, n2 and n3, whose name is
# that of their slurmd's, and then what comes through descriptor 3.
slurm_script()
{
	# Another check may run at the same time.
	local port=$((20000 + $$ % 3000 * 4))
	cat >script <<-END
		set -eu
		PATH=$(dirname "$C2C"):\$PATH:/usr/sbin
		port=$port
	END
	cat - >>script <<-'END'
		hostname localhost
		mount -t tmpfs none /mnt
		mkdir -m 700 /mnt/munge /mnt/state /mnt/n1 /mnt/n2 /mnt/n3
		head -c 1024 /dev/urandom >/mnt/munge/key
		chmod 600 /mnt/munge/key
		munged --force --foreground --key-file=/mnt/munge/key \
			--socket=/mnt/munge/socket --pid-file=/mnt/munge/pid \
			--log-file=/mnt/munge/log --seed-file=/mnt/munge/seed &
		cat >/mnt/slurm.conf <<-CONF
			ClusterName=c2c
			SlurmctldHost=localhost
			SlurmctldPort=$port
			SlurmUser=root
			AuthType=auth/munge
			AuthInfo=socket=/mnt/munge/socket
			StateSaveLocation=/mnt/state
			SlurmdSpoolDir=/mnt/%n
			SlurmctldPidFile=/mnt/slurmctld.pid
			SlurmdPidFile=/mnt/%n.pid
			SlurmctldLogFile=/mnt/slurmctld.log
			SlurmdLogFile=/mnt/%n.log
			ProctrackType=proctrack/pgid
			TaskPlugin=task/none
			SwitchType=switch/none
			SelectType=select/linear
			ReturnToService=2
			SlurmdParameters=config_overrides
			NodeName=n1 NodeHostname=localhost Port=$((port + 1)) CPUs=$(nproc)
			NodeName=n2 NodeHostname=localhost Port=$((port + 2)) CPUs=$(nproc)
			NodeName=n3 NodeHostname=localhost Port=$((port + 3)) CPUs=$(nproc)
			PartitionName=all Nodes=n1,n2,n3 Default=YES
		CONF
		export SLURM_CONF=/mnt/slurm.conf
		slurmctld -D -i &
		for name in n1 n2 n3; do
			unshare --uts sh -c \
				"hostname $name; exec slurmd -D -N $name" &
		done
		tries=0
		until [ "$(sinfo -h -t idle -o %D 2>/dev/null)" = 3 ]; do
			tries=$((tries + 1))
			[ $tries -lt 600 ]
			sleep 0.2
		done
		touch ready
	END
	cat - <&3 >>script
}

# The commands of README.md under "A fleet, by Slurm".
recipe()
{
	awk '/^##/ { open = /A fleet, by Slurm/ }
		open && /^```/ { inside = !inside; next }
		inside' "$srcdir/README.md"
}

@test "the recipe of README.md measures three hosts by srun, and ranks them" {
	need_two_cpus
	"$C2C" latency -q "${short[@]}" -o lat.json >/dev/null
	slurm_script 3< <(recipe)
	[ "$(grep -c '^srun \|^c2c ' script)" -eq 3 ]
	run --separate-stderr own_world bash script
	[ "$status" -eq 0 ] || {
		echo "$stderr"
		false
	}
	no_files_but fleet fleet/log fleet/n{1,2,3}.json fleet.html lat.json \
		ready script
	for name in n1 n2 n3; do
		sound fleet/$name.json true
		[ "$(jq -r .machine.hostname fleet/$name.json)" = $name ]
		[[ $output =~ " % "[^$'\n']*" $name "[^$'\n']*" fleet/$name.json" ]]
		grep -q "\"fleet/$name.json\"" fleet.html
	done
	[[ $output == *"Distance from $(hostname) (lat.json)"* ]]
	[[ $output != *"Cannot be"* ]]
	daemons_are_gone
}

# Nobody listens where they did.
daemons_are_gone()
{
	local port=$((20000 + $$ % 3000 * 4))
	for _ in {1..100}; do
		listens "$port" || listens $((port + 1)) || return 0
		sleep 0.1
	done
	return 1
}

# listens PORT: somebody does.
listens()
{
	(: <>"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}

@test "no daemon outlives a test that is killed" {
	slurm_script 3<<-'END'
		sleep 100
	END
	own_world bash script >log 2>&1 3>&- &
	pid=$!
	for _ in {1..600}; do
		[ ! -e ready ] || break
		sleep 0.2
	done
	[ -e ready ] || {
		cat log
		false
	}
	listens $((20000 + $$ % 3000 * 4))
	kill -KILL $pid
	daemons_are_gone
}
