/* identity.c: read the CPU's model, its microcode and the hypervisor. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "arch/arch.h"
#include "machine/system.h"
#include "util/array.h"

/*
 * AArch64 CPUs report numbers instead of names. The numbers are from Arm's
 * Technical Reference Manuals (MIDR_EL1) and Linux,
 * arch/arm64/include/asm/cputype.h.
 */
static const struct {
	unsigned implementer, part;
	const char *name;
} arm_parts[] = {
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
static const struct {
	const char *text, *name;
} cpuid_signatures[] = {
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

/*
 * Files and words in them that identify a virtual machine: first the device
 * tree, then the firmware (SMBIOS, type 1). The first match counts. Some
 * vendors use the same name for virtual machines and bare metal, and
 * distinguish them by a word in a second file.
 */
#define DEVICE_TREE "/proc/device-tree/"
#define VENDOR	    "/sys/class/dmi/id/sys_vendor"
#define PRODUCT	    "/sys/class/dmi/id/product_name"

static const struct hypervisor_sign {
	const char *file, *word, *name;
	/* word that it must have, or not have ('!'); or NULL */
	const char *product;
} hypervisor_signs[] = {
	{DEVICE_TREE "hypervisor/compatible", "kvm", "KVM", NULL},
	{DEVICE_TREE "hypervisor/compatible", "xen", "Xen", NULL},
	{DEVICE_TREE "hypervisor/compatible", "vmware", "VMware", NULL},
	{DEVICE_TREE "hypervisor/compatible", "", "unknown", NULL},
	/* Only virtual machines have this board. */
	{DEVICE_TREE "compatible", "linux,dummy-virt", "unknown", NULL},
	{PRODUCT, "KVM", "KVM", NULL},
	{PRODUCT, "Google Compute Engine", "KVM", NULL},
	{PRODUCT, "OpenStack", "KVM", NULL},
	{VENDOR, "QEMU", "QEMU", NULL},
	{VENDOR, "VMware", "VMware", NULL},
	{VENDOR, "innotek GmbH", "VirtualBox", NULL},
	{PRODUCT, "VirtualBox", "VirtualBox", NULL},
	{VENDOR, "Xen", "Xen", NULL},
	{VENDOR, "Parallels", "Parallels", NULL},
	{PRODUCT, "BHYVE", "bhyve", NULL},
	{PRODUCT, "Apple Virtualization", "Apple Virtualization", NULL},
	{VENDOR, "Microsoft", "Hyper-V", "Virtual Machine"},
	{VENDOR, "Amazon EC2", "KVM", "!.metal"},
};

static char *arm_name(struct files *files, unsigned implementer, unsigned part)
{
	for (size_t i = 0; i < N_OF(arm_parts); i++) {
		if (arm_parts[i].implementer == implementer &&
			arm_parts[i].part == part)
			return arena_strdup(&files->arena, arm_parts[i].name);
	}
	return arena_format(&files->arena, "implementer 0x%02x part 0x%03x",
		implementer, part);
}

/* Return the kinds of cores in the order of cpuinfo: "a + b" (big.LITTLE). */
static char *arm_model(struct files *files, const char *cpuinfo)
{
	unsigned implementer = 0, part;
	char *names = NULL;

	for (const char *line = cpuinfo; line && *line;) {
		if (sscanf(line, "CPU implementer : %x", &implementer) == 1) {
			;
		} else if (sscanf(line, "CPU part : %x", &part) == 1) {
			char *name = arm_name(files, implementer, part);

			if (!names)
				names = name;
			else if (name && !strstr(names, name))
				names = arena_format(
					&files->arena, "%s + %s", names, name);
		}
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
	return names;
}

char *identity_cpu_model(struct files *files, const char *cpuinfo)
{
	/* x86; POWER; RISC-V */
	static const char *const keys[] = {"model name", "cpu", "uarch"};

	for (size_t i = 0; i < N_OF(keys); i++) {
		char *model = files_field(files, cpuinfo, keys[i]);

		if (model && *model && strcmp(model, "unknown") != 0)
			return model;
	}
	return arm_model(files, cpuinfo);
}

char *identity_microcode(struct files *files, const char *cpuinfo)
{
	char *microcode = files_field(files, cpuinfo, "microcode");

	if (!microcode)
		microcode = files_line(files_read(files,
			"/sys/devices/system/cpu/cpu0/microcode/version"));
	/* Hypervisors report 0xffffffff if they hide the version. */
	if (microcode && (strcmp(microcode, "0xffffffff") == 0 || !*microcode))
		return NULL;
	return microcode;
}

bool identity_has_tsc(struct files *files, const char *cpuinfo, bool here)
{
	const char *counter = ARCH_COUNTER_NAME;

	if (here)
		return counter && strcmp(counter, "tsc") == 0;
	return files_has_word(files_field(files, cpuinfo, "flags"), "tsc");
}

static char *name_of_signature(struct files *files, const char *text)
{
	for (size_t i = 0; i < N_OF(cpuid_signatures); i++) {
		if (strcmp(cpuid_signatures[i].text, text) == 0)
			return arena_strdup(
				&files->arena, cpuid_signatures[i].name);
	}
	for (const char *c = text; *c; c++) {
		if (!isprint((unsigned char)*c))
			return arena_strdup(&files->arena, "unknown");
	}
	return arena_format(&files->arena, "unknown (%s)", text);
}

static bool hypervisor_sign_matches(
	struct files *files, const struct hypervisor_sign *sign)
{
	const char *text = files_line(files_read(files, "%s", sign->file));
	const char *product;
	bool without;

	if (!text || !strstr(text, sign->word) || !sign->product)
		return text && strstr(text, sign->word);
	product = files_line(files_read(files, PRODUCT));
	without = *sign->product == '!';
	return product && !strstr(product, sign->product + without) == without;
}

char *identity_hypervisor(struct files *files, const char *cpuinfo, bool here)
{
	char signature[13] = "";
	const char *type =
		files_line(files_read(files, "/sys/hypervisor/type"));
	bool flagged = files_has_word(
		files_field(files, cpuinfo, "flags"), "hypervisor");
	const char *name = flagged ? "unknown" : NULL;

	if (here)
		arch_hypervisor(signature);
	if (signature[0])
		return name_of_signature(files, signature);
	if (type && strcmp(type, "xen") == 0)
		return arena_strdup(&files->arena, "Xen");
	/* x86 CPUs report a hypervisor; on others, only firmware does. */
	if (flagged || !identity_has_tsc(files, cpuinfo, here)) {
		for (size_t i = N_OF(hypervisor_signs); i > 0; i--) {
			if (hypervisor_sign_matches(
				    files, &hypervisor_signs[i - 1]))
				name = hypervisor_signs[i - 1].name;
		}
	}
	return arena_strdup(&files->arena, name);
}
