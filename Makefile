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

# Debian packages: what modules and tools are built with, and what tests, demo
# and lint need besides.
BUILD_PACKAGES := \
	bison dwarves flex gcc-12 kmod libc6-dev libelf-dev libssl-dev make patch \
	xz-utils \
	bpftool clang libbpf-dev libcap-ng-dev libibumad-dev libjson-c-dev \
	libmicrohttpd-dev libncurses-dev libnl-3-dev llvm \
	pkg-config uthash-dev
TEST_PACKAGES := \
	libcmocka-dev libibverbs-dev librdmacm-dev \
	bc busybox-static cpio procps qemu-system-x86 zstd \
	bpftrace ibverbs-providers ibverbs-utils infiniband-diags opensm \
	rdma-core rdmacm-utils \
	curl expect gawk iproute2 jq libxml2-utils linux-perf mandoc python3 \
	python3-jsonschema python3-prometheus-client shellcheck sparse systemd \
	tmux trace-cmd

help:
	@echo 'make demo         watch real retries in madretry-top, in a virtual machine (DEMO_SECONDS)'
	@echo 'make demo-apm     watch connections fail over and back, in a virtual machine'
	@echo 'make test         run the tests of selftests/tests.list (TESTS: those that contain one of these words)'
	@echo 'make test-debug   run those of the kernel modules on a kernel with KASAN, lockdep and kmemleak (TESTS)'
	@echo 'make bench        measure what tracing and the kernel change cost'
	@echo 'make all          build the modules, the tools and the tests'
	@echo 'make modules      build the drop-in kernel modules'
	@echo 'make tools        build the tools'
	@echo 'make install      install the tools, with man pages and what belongs to them (PREFIX, DESTDIR)'
	@echo 'make check-abi    compare the exported symbols with the distribution'\''s'
	@echo 'make series       write the kernel change as a mail-ready series'
	@echo 'make lint         check style: checkpatch, sparse, shellcheck, mandoc'
	@echo 'make packages     install the Debian packages that all of this needs'
	@echo 'make clean        remove what was built, keep what was downloaded'
	@echo 'make distclean    remove the build folder'
	@echo
	@echo 'Variables: DEMO_SECONDS=$(DEMO_SECONDS) (10 or more), TESTS, e.g. TESTS="mad/ apm/"'
	@echo 'Folders: BUILD=$(BUILD)'
	@echo '         PREFIX=$(PREFIX) DESTDIR=$(DESTDIR)'

build-packages:
	@BUILD="$(BUILD)" kernel/scripts/packages.sh $(BUILD_PACKAGES)

packages: build-packages
	@BUILD="$(BUILD)" kernel/scripts/packages.sh $(TEST_PACKAGES)

$(BUILD):
	@mkdir -p $@

kernel: build-packages
	@kernel/scripts/fetch.sh

modules: kernel
	@[ -e "$(BUILD)/modules/ib_core.ko" ] || \
		echo "modules: building, about a minute the first time" >&2
	@kernel/scripts/tree.sh
	@kernel/scripts/build-modules.sh > "$(BUILD)/modules.log" 2>&1 || \
		{ tail -n 30 "$(BUILD)/modules.log" >&2; exit 1; }

tools: build-packages
	@$(MAKE) -s -C tools

load: packages
	@$(MAKE) -s -C selftests/load

unit: tools packages
	@$(MAKE) -s -C selftests/unit
	@$(MAKE) -s -C selftests/tools

fabric: modules packages
	@$(MAKE) -s -C selftests/fabric

mad: modules packages
	@$(MAKE) -s -C selftests/mad

apm: modules packages
	@$(MAKE) -s -C selftests/apm

# The real readers of what madretry-export says, for its tests
monitoring: packages
	@selftests/tools/unpack.sh "$(BUILD)/monitoring" prometheus prometheus-node-exporter

# The guest's module folders are made from what has been built before.
vm: packages modules mad fabric
	@selftests/vm/prepare

all: modules tools load unit mad fabric apm vm monitoring

demo: tools load fabric vm
	@selftests/demo/run

demo-apm: tools fabric apm vm
	@selftests/demo/run-apm

test: all
	@selftests/run $(TESTS)

# The debug kernel has a build folder of its own, below the other.
test-debug: all
	@kernel/scripts/debug-kernel.sh
	@$(MAKE) BUILD=$(BUILD)/debug mad fabric apm fault vm
	@BUILD=$(BUILD)/debug selftests/run --debug $(TESTS)

fault:
	@$(MAKE) -s -C selftests/debug

bench: tools load fabric vm
	@$(MAKE) -s -C selftests/bench
	@selftests/bench/run

check-abi: modules
	@kernel/scripts/check-abi.sh

series: kernel
	@kernel/scripts/series.sh

lint: packages kernel
	@kernel/scripts/lint.sh

install: tools
	@$(MAKE) -s -C tools install

clean:
	rm -rf $(addprefix $(BUILD)/,kernel/tree modules vm load bpf tools unit mad fabric apm bench test-results series *.log \
		$(addprefix debug/,kernel/tree modules vm mad fabric apm fault test-results))

distclean:
	rm -rf $(BUILD)

build-packages packages kernel: | $(BUILD)

.PHONY: help build-packages packages kernel modules tools load unit mad fabric apm monitoring vm all \
	demo demo-apm test test-debug fault bench check-abi series lint install clean distclean
