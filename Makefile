# The front door. Every target sets up what it needs on a fresh Debian 12 and installs nothing the second time.
SHELL := /bin/bash
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

PREFIX ?= /usr/local
DESTDIR ?=

export CCACHE_DIR ?= $(if $(XDG_CACHE_HOME),$(XDG_CACHE_HOME),$(HOME)/.cache)/ydl/ccache
# Results are shared between clones: paths below the clone do not count.
export CCACHE_BASEDIR := $(CURDIR)
export CCACHE_NOHASHDIR := 1
VERSION = $(shell sed -n 's/^project.ydl VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
JOBS := $(shell nproc)
APT := tools/setup/apt.sh
PYENV := tools/setup/python_env.sh
# CMake asks for it too; here its progress is seen.
KRB5 := tools/setup/krb5.sh > /dev/null

.PHONY: help wheel build dev demo test test-quick test-unit test-needs test-kinds test-soak test-attack test-outage chaos check bench picture screens fuzz tsan install package clean

help:
	@echo 'make demo        train MNIST on this machine: MXNet, 2 workers, 2 servers'
	@echo 'make build       build/bin/ydl, the static binary'
	@echo 'make test-quick  unit, process and conformance tests: the minute after an edit'
	@echo 'make test        everything that can be tested, with the 20 slowest at its end'
	@echo 'make test-kinds  examples and small jobs on other clusters: Hadoop 3.3.6, Kerberos'
	@echo 'make test-soak   many jobs in a row, with kills at random moments'
	@echo 'make test-attack the master of a job, attacked for ATTACK_SECONDS (default 300)'
	@echo 'make test-outage ResourceManager and NameNode are away for three minutes'
	@echo 'make chaos       SCHEDULES (default 20) of faults around real trainings, from SEED on'
	@echo 'make check       format, tidy, layers, orphan tests, links, names and words in documents'
	@echo 'make bench       side-by-side benchmarks'
	@echo 'make picture     docs/picture.svg: a real training, recorded on a terminal; root'
	@echo 'make screens     docs/screens.md: screens as text; root'
	@echo 'make fuzz        every fuzz target for FUZZ_SECONDS (default 30) each'
	@echo 'make tsan        the unit and process tests under ThreadSanitizer'
	@echo 'make install     to PREFIX (default /usr/local)'
	@echo 'make wheel       dist/ydl_jobs-VERSION-….whl: the Python package with the binary'
	@echo 'make package     dist/ydl-VERSION-linux-x86_64.tar.gz'

build:
	@$(APT) build
	@$(KRB5)
	@cmake --preset release > build-release.log 2>&1 || { cat build-release.log; rm -f build-release.log; exit 1; }
	@rm -f build-release.log
	cmake --build --preset release --target ydl
	@mkdir -p build/bin
	@cmp -s build/release/bin/ydl build/bin/ydl || install -m 755 build/release/bin/ydl build/bin/ydl
	@ln -sf ydl build/bin/ydl-mx

dev:
	@$(APT) build test
	@$(KRB5)
	@cmake --preset dev > /dev/null
	cmake --build --preset dev

demo: build
	@$(APT) python data $(if $(filter yarn,$(CLUSTER)),hadoop)
	@tools/demo.sh

test: build dev test-needs
	cmake --build --preset release --target chaos_tests
	@tools/test.sh

# Only what these labels need is built: after an edit of a header the rest is most of the time.
test-quick:
	@$(APT) build test
	@$(KRB5)
	@cmake --preset dev > /dev/null
	cmake --build --preset dev --target quick
	ctest --preset dev -j$(JOBS) -L 'unit|process|conformance|wire'

# Downloads come before the tests, which have limits of time; so does the native example, which tests of two groups use.
test-needs:
	@$(APT) build test data hadoop kdc podman
	@for name in torch tensorflow jax mxnet wheel notebook uv; do $(PYENV) $$name > /dev/null || exit 1; done
	@for release in 3.4.1 3.3.6; do tools/setup/hadoop.sh $$release > /dev/null || exit 1; done
	@$(MAKE) --silent -C examples/mxnet-native > /dev/null

test-kinds: build dev test-needs
	@python=$$($(PYENV) test) && for kind in '--secure' '--version 3.3.6' '--version 3.3.6 --secure'; do \
	  echo "== testing/cluster up --nodes 3 --yarn $$kind"; \
	  YDL=build/bin/ydl $$python/bin/python -m pytest --kind="$$kind" $(addprefix tests/cluster/test_yarn_,kinds.py examples.py images.py docker.py environments.py) || exit 1; \
	done
	@python=$$($(PYENV) test) && YDL=build/bin/ydl $$python/bin/python -m pytest --kind='--https-policy LENIENT' tests/cluster/test_yarn_https.py
	@python=$$($(PYENV) test) && for release in 3.4.1 3.3.6; do \
	  YDL=build/bin/ydl $$python/bin/python -m pytest --rare --kind="--version $$release" $(addprefix tests/cluster/test_yarn_,takeover.py takeover_frameworks.py elastic.py) || exit 1; \
	done
	@python=$$($(PYENV) test) && YDL=build/bin/ydl $$python/bin/python -m pytest tests/cluster --rare -k '3.3.6 and (aes or 3des or rc4)'

SOAK_LOCAL ?= 500
SOAK_CLUSTER ?= 50
SOAK_SEED ?= 1
test-soak: build test-needs
	@python=$$($(PYENV) test) && YDL=build/bin/ydl $$python/bin/python -m pytest tests/soak \
	  --local-jobs=$(SOAK_LOCAL) --cluster-jobs=$(SOAK_CLUSTER) --seed=$(SOAK_SEED)

ATTACK_SECONDS ?= 300
test-attack: build
	@$(APT) test hadoop
	@python=$$($(PYENV) test) && YDL=build/bin/ydl $$python/bin/python -m pytest -s tests/attack --seconds=$(ATTACK_SECONDS)

SCHEDULES ?= 20
SEED ?= 1
LONGER ?= 3
chaos: build test-needs
	@python=$$($(PYENV) test) && YDL=build/bin/ydl $$python/bin/python -m pytest -s --schedules=$(SCHEDULES) --seed=$(SEED) --longer=$(LONGER) tests/chaos/test_schedules.py

test-outage: build test-needs
	@python=$$($(PYENV) test) && YDL=build/bin/ydl $$python/bin/python -m pytest tests/chaos/test_outage.py

test-unit: dev
	ctest --preset dev -j$(JOBS) -L unit

check: dev
	tools/check.sh

bench: build
	@$(APT) bench hadoop
	bench/run.sh

picture: build
	$$($(PYENV) test)/bin/python tools/picture.py

screens: build
	WRITE_SCREENS=1 YDL=build/bin/ydl $$($(PYENV) test)/bin/python -m pytest -q tests/cli/test_screens.py

FUZZ_SECONDS ?= 30
fuzz:
	@$(APT) build
	@$(KRB5)
	cmake --preset fuzz > /dev/null && cmake --build --preset fuzz
	tools/fuzz.sh $(FUZZ_SECONDS)

tsan:
	@$(APT) build test
	@$(KRB5)
	cmake --preset tsan > /dev/null && cmake --build --preset tsan
	ctest --preset tsan -j$(JOBS) -L 'unit|process|conformance'

install: build
	tools/install.sh "$(DESTDIR)$(PREFIX)"

package: build
	rm -rf dist/ydl-$(VERSION)
	tools/install.sh dist/ydl-$(VERSION)
	cp LICENSE README.md CHANGELOG.md dist/ydl-$(VERSION)/
	tar -C dist --owner=0 --group=0 --sort=name -czf dist/ydl-$(VERSION)-linux-x86_64.tar.gz ydl-$(VERSION)
	rm -rf dist/ydl-$(VERSION)
	@ls -l dist/ydl-$(VERSION)-linux-x86_64.tar.gz

wheel: build
	@$(APT) python
	tools/wheel.sh build/bin/ydl dist

clean:
	rm -rf build dist
