# A record of nodes of five runs, whose values differ by up to 4 % from run to
# run: $by times as slow, other runs for each $seed.
def times($r): $by * (1 + (($r * 7 + $seed * 3) % 5) / 100);
def record($r): {format: "c2c-result", version: 1, command: "numa",
	complete: true, machine: {hypervisor: "KVM", cpu_model: "Test CPU"},
	options: {}, cpus: [0, 1], matrices: [{name: "latency",
		statistic: "median", unit: "ns", quantity: "idle",
		better: "lower", rows: {kind: "node", ids: [0, 1]},
		columns: {kind: "node", ids: [0, 2]}, symmetric: false,
		values: [[100 * times($r), 300], [200, 400]]}]};
record(2) + {runs: [record(range(5))]}
