# SPDX-License-Identifier: GPL-2.0
#
# madretry. "make help" lists what can be made.
#
# Everything that is downloaded or built goes into $(BUILD).

BUILD ?= $(CURDIR)/build
ifneq ($(words $(BUILD)),1)
$(error BUILD is '$(BUILD)', and the kernel cannot be built below a path with blanks; give another with BUILD=)
endif
override BUILD := $(abspath $(BUILD))
export BUILD

PREFIX ?= /usr/local
DESTDIR ?=
DEMO_SECONDS ?= 30
export PREFIX DESTDIR DEMO_SECONDS

MAKEFLAGS += --no-print-directory

# Debian packages, by what needs them.
PACKAGES := \
	bison flex gcc-12 libc6-dev libelf-dev libssl-dev make patch \
	dwarves kmod xz-utils \
	bpftool clang libbpf-dev libjson-c-dev libncurses-dev llvm \
	libcmocka-dev libibumad-dev libibverbs-dev librdmacm-dev uthash-dev \
	busybox-static cpio procps qemu-system-x86 zstd \
	bpftrace ibverbs-providers ibverbs-utils infiniband-diags opensm \
	rdma-core rdmacm-utils \
	expect gawk iproute2 jq mandoc pkg-config shellcheck sparse tmux

help:
	@echo 'make demo         watch real retries in madretry-top, in a virtual machine'
	@echo 'make test         run all tests'
	@echo 'make bench        measure what tracing and the kernel change cost'
	@echo 'make all          build the modules, the tools and the tests'
	@echo 'make modules      build the drop-in kernel modules'
	@echo 'make tools        build the tools'
	@echo 'make install      install the tools and their man pages (PREFIX, DESTDIR)'
	@echo 'make check-abi    compare the exported symbols with the distribution'\''s'
	@echo 'make series       write the kernel change as a mail-ready series'
	@echo 'make lint         check style: checkpatch, sparse, shellcheck, mandoc'
	@echo 'make packages     install the Debian packages that all of this needs'
	@echo 'make clean        remove what was built, keep what was downloaded'
	@echo 'make distclean    remove the build folder'
	@echo
	@echo 'Folders: BUILD=$(BUILD)'
	@echo '         PREFIX=$(PREFIX) DESTDIR=$(DESTDIR)'

# Nothing is asked of the package manager when nothing is missing, so that a
# second run needs neither root nor a network.
packages:
	@missing=$$(dpkg-query -W -f='$${Package} $${db:Status-Status}\n' $(PACKAGES) 2>/dev/null | \
		awk -v want='$(PACKAGES)' '$$2 == "installed" { have[$$1] = 1 } \
		END { n = split(want, p); for (i = 1; i <= n; i++) if (!(p[i] in have)) printf " %s", p[i] }'); \
	[ -z "$$missing" ] && exit 0; \
	if [ "$$(id -u)" -ne 0 ]; then \
		echo "packages: not root; install these first:$$missing" >&2; exit 1; fi; \
	echo "packages: installing$$missing" >&2; \
	apt-get update -qq && \
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$missing > "$(BUILD)/packages.log" 2>&1 || \
		{ tail -n 5 "$(BUILD)/packages.log" >&2; echo "packages: apt-get failed, see $(BUILD)/packages.log" >&2; exit 1; }

$(BUILD):
	@mkdir -p $@

kernel: packages
	@kernel/scripts/fetch.sh

modules: kernel
	@echo "modules: building, about a minute the first time" >&2
	@kernel/scripts/tree.sh
	@kernel/scripts/build-modules.sh > "$(BUILD)/modules.log" 2>&1 || \
		{ tail -n 30 "$(BUILD)/modules.log" >&2; exit 1; }

tools: packages
	@$(MAKE) -s -C tools

load: packages
	@$(MAKE) -s -C selftests/load

unit: tools
	@$(MAKE) -s -C selftests/unit
	@$(MAKE) -s -C selftests/tools

fabric: modules
	@$(MAKE) -s -C selftests/fabric

mad: modules
	@$(MAKE) -s -C selftests/mad

# The guest's module folders are made from what has been built before.
vm: modules mad fabric
	@selftests/vm/prepare

all: modules tools load unit mad fabric vm

demo: tools load fabric vm
	@selftests/demo/run

test: all
	@selftests/run $(TESTS)

bench: tools load fabric vm
	@selftests/bench/run

check-abi: modules
	@kernel/scripts/check-abi.sh

series: kernel
	@kernel/scripts/series.sh

lint: kernel
	@kernel/scripts/lint.sh

install: tools
	@$(MAKE) -s -C tools install

clean:
	rm -rf $(addprefix $(BUILD)/,kernel/tree modules vm load bpf tools unit mad fabric test-results series *.log)

distclean:
	rm -rf $(BUILD)

packages kernel: | $(BUILD)

.PHONY: help packages kernel modules tools load unit mad fabric vm all demo test \
	bench check-abi series lint install clean distclean
