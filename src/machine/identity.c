/*
 * What the CPU and the firmware say about themselves: the CPU's model, its
 * microcode, the hypervisor.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "machine/files.h"
#include "machine/system.h"
#include "util/text.h"

/*
 * AArch64 CPUs tell numbers only. Names of the ones met in servers, boards and
 * laptops; numbers from Arm's Technical Reference Manuals (MIDR_EL1) and
 * Linux, arch/arm64/include/asm/cputype.h.
 */
struct arm_part {
	unsigned implementer, part;
	const char *name;
};

static const struct arm_part arm_parts[] = {
	{0x41, 0xd03, "Arm Cortex-A53"},
	{0x41, 0xd05, "Arm Cortex-A55"},
	{0x41, 0xd07, "Arm Cortex-A57"},
	{0x41, 0xd08, "Arm Cortex-A72"},
	{0x41, 0xd0b, "Arm Cortex-A76"},
	{0x41, 0xd0c, "Arm Neoverse-N1"},
	{0x41, 0xd40, "Arm Neoverse-V1"},
	{0x41, 0xd41, "Arm Cortex-A78"},
	{0x41, 0xd49, "Arm Neoverse-N2"},
	{0x41, 0xd4f, "Arm Neoverse-V2"},
	{0x41, 0xd84, "Arm Neoverse-V3"},
	{0x41, 0xd8e, "Arm Neoverse-N3"},
	{0x43, 0x0af, "Cavium ThunderX2"},
	{0x46, 0x001, "Fujitsu A64FX"},
	{0x48, 0xd01, "HiSilicon TSV110 (Kunpeng 920)"},
	{0x51, 0x001, "Qualcomm Oryon"},
	{0x61, 0x022, "Apple M1 Icestorm"},
	{0x61, 0x023, "Apple M1 Firestorm"},
	{0xc0, 0xac3, "Ampere-1"},
	{0xc0, 0xac4, "Ampere-1a"},
};

/* Signatures of CPUID leaf 40000000H, as the hypervisors document them. */
struct signature {
	const char *text, *name;
};

static const struct signature signatures[] = {
	{"KVMKVMKVM", "KVM"},
	{"Linux KVM Hv", "KVM"},
	{"VMwareVMware", "VMware"},
	{"Microsoft Hv", "Hyper-V"},
	{"XenVMMXenVMM", "Xen"},
	{"VBoxVBoxVBox", "VirtualBox"},
	{"TCGTCGTCGTCG", "QEMU TCG"},
	{"bhyve bhyve ", "bhyve"},
	{"ACRNACRNACRN", "ACRN"},
	{" prl hyperv ", "Parallels"},
	{" lrpepyh  vr", "Parallels"},
	{"___ NVMM ___", "NVMM"},
	{"OpenBSDVMM58", "OpenBSD vmm"},
	{"QNXQVMBSQG", "QNX"},
	{"Jailhouse", "Jailhouse"},
	{"UnisysSpar64", "Unisys s-Par"},
};

/* What the firmware of virtual machines calls itself (SMBIOS, type 1). */
struct firmware {
	const char *file, *text, *name;
};

static const struct firmware firmwares[] = {
	{"product_name", "KVM", "KVM"},
	{"product_name", "Google Compute Engine", "KVM"},
	{"product_name", "OpenStack", "KVM"},
	{"sys_vendor", "QEMU", "QEMU"},
	{"sys_vendor", "VMware", "VMware"},
	{"sys_vendor", "innotek GmbH", "VirtualBox"},
	{"product_name", "VirtualBox", "VirtualBox"},
	{"sys_vendor", "Xen", "Xen"},
	{"sys_vendor", "Parallels", "Parallels"},
	{"product_name", "BHYVE", "bhyve"},
	{"product_name", "Apple Virtualization", "Apple Virtualization"},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static char *arm_name(unsigned implementer, unsigned part)
{
	for (size_t i = 0; i < COUNT(arm_parts); i++) {
		if (arm_parts[i].implementer == implementer &&
			arm_parts[i].part == part)
			return strdup(arm_parts[i].name);
	}
	return text_format("implementer 0x%02x part 0x%03x", implementer, part);
}

/* Add name to "a + b" unless it is in there; frees both, returns the sum. */
static char *append_name(char *names, char *name)
{
	char *sum;

	if (!names || !name || strstr(names, name)) {
		sum = names ? names : name;
		if (names)
			free(name);
		return sum;
	}
	sum = text_format("%s + %s", names, name);
	free(names);
	free(name);
	return sum;
}

/* Every kind of core of a big.LITTLE machine, in order of appearance. */
static char *arm_model(const char *cpuinfo)
{
	unsigned implementer = 0, part;
	char *names = NULL;

	for (const char *line = cpuinfo; line && *line;) {
		if (sscanf(line, "CPU implementer : %x", &implementer) == 1)
			; /* the part follows */
		else if (sscanf(line, "CPU part : %x", &part) == 1)
			names = append_name(names, arm_name(implementer, part));
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
	return names;
}

char *identity_cpu_model(const char *cpuinfo)
{
	/* x86; POWER; RISC-V */
	static const char *const keys[] = {"model name", "cpu", "uarch"};
	char *model = NULL;

	for (size_t i = 0; i < COUNT(keys) && !model; i++) {
		model = files_field(cpuinfo, keys[i]);
		if (model && (!*model || strcmp(model, "unknown") == 0)) {
			free(model);
			model = NULL;
		}
	}
	return model ? model : arm_model(cpuinfo);
}

char *identity_microcode(const char *root, const char *cpuinfo)
{
	char *microcode = files_field(cpuinfo, "microcode");

	if (!microcode)
		microcode = files_line(
			root, "/sys/devices/system/cpu/cpu0/microcode/version");
	/* What hypervisors say that do not want to tell. */
	if (microcode &&
		(strcmp(microcode, "0xffffffff") == 0 || !*microcode)) {
		free(microcode);
		microcode = NULL;
	}
	return microcode;
}

bool identity_has_tsc(const char *cpuinfo, bool here)
{
	const char *counter = ARCH_COUNTER_NAME;
	char *flags;
	bool has;

	if (here)
		return counter && strcmp(counter, "tsc") == 0;
	flags = files_field(cpuinfo, "flags");
	has = files_has_word(flags, "tsc");
	free(flags);
	return has;
}

static char *name_of_signature(const char *text)
{
	for (size_t i = 0; i < COUNT(signatures); i++) {
		if (strcmp(signatures[i].text, text) == 0)
			return strdup(signatures[i].name);
	}
	for (const char *c = text; *c; c++) {
		if (!isprint((unsigned char)*c))
			return strdup("unknown");
	}
	return text_format("unknown (%s)", text);
}

static char *name_of_firmware(const char *root)
{
	char *vendor = files_line(root, "/sys/class/dmi/id/sys_vendor");
	char *product = files_line(root, "/sys/class/dmi/id/product_name");
	const char *name = NULL;

	for (size_t i = 0; i < COUNT(firmwares) && !name; i++) {
		const char *text = strcmp(firmwares[i].file, "sys_vendor") == 0
					   ? vendor
					   : product;

		if (text && strstr(text, firmwares[i].text))
			name = firmwares[i].name;
	}
	/* Both of these sell and name bare metal alike, but for one word. */
	if (!name && vendor && product && strstr(vendor, "Microsoft") &&
		strstr(product, "Virtual Machine"))
		name = "Hyper-V";
	if (!name && vendor && product && strstr(vendor, "Amazon EC2") &&
		!strstr(product, ".metal"))
		name = "KVM";
	free(vendor);
	free(product);
	return name ? strdup(name) : NULL;
}

static char *name_of_device_tree(const char *root)
{
	char *compatible =
		files_line(root, "/proc/device-tree/hypervisor/compatible");
	const char *name = NULL;

	if (compatible && strstr(compatible, "kvm"))
		name = "KVM";
	else if (compatible && strstr(compatible, "xen"))
		name = "Xen";
	else if (compatible && strstr(compatible, "vmware"))
		name = "VMware";
	else if (compatible)
		name = "unknown";
	free(compatible);
	/* The board that exists for virtual machines only. */
	compatible = files_line(root, "/proc/device-tree/compatible");
	if (!name && compatible && strstr(compatible, "linux,dummy-virt"))
		name = "unknown";
	free(compatible);
	return name ? strdup(name) : NULL;
}

char *identity_hypervisor(const char *root, const char *cpuinfo, bool here)
{
	char signature[13] = "";
	char *type = files_line(root, "/sys/hypervisor/type");
	char *flags = files_field(cpuinfo, "flags");
	bool x86 = identity_has_tsc(cpuinfo, here);
	bool flagged = files_has_word(flags, "hypervisor");
	char *name = NULL;

	free(flags);
	if (here)
		arch_hypervisor(signature);
	if (signature[0])
		name = name_of_signature(signature);
	else if (type && strcmp(type, "xen") == 0)
		name = strdup("Xen");
	/* An x86 CPU tells whether it is virtual; the rest is told by others.
	 */
	else if (flagged || !x86)
		name = name_of_device_tree(root);
	if (!name && (flagged || !x86))
		name = name_of_firmware(root);
	if (!name && flagged)
		name = strdup("unknown");
	free(type);
	return name;
}
