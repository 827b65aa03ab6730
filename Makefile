# Every target runs one or two scripts; CMake does the building (see CMakePresets.json). `make help`
# lists the targets.

PREFIX       ?= /usr/local
DESTDIR      ?=
FUZZ_SECONDS ?= 60
MUTANTS      ?= 100
export FUZZ_SECONDS

.DEFAULT_GOAL := all
.PHONY: all demo docs wheel deb web test test-all test-spark asan fuzz torture coverage mutate bench format lint install uninstall clean help

all: ## build build/cleave, build/libcleave.a and build/libcleave.so
	@scripts/build release

demo: ## install what is missing, build, and train a spam filter on built-in data
	@scripts/setup
	@scripts/build --quiet release
	@scripts/demo

test: ## build plainly and with ASan+UBSan, run every test
	@scripts/setup --tests
	@scripts/build --quiet release asan
	@scripts/run-tests asan

test-all: export CLEAVE_SEED := $(or $(CLEAVE_SEED),$(shell date +%s))
test-all: ## make test with a new seed, 100 kills, then the tests at -O2 (the long ones too) and under ThreadSanitizer, all of torture, 100000 mutants, 10 s of each fuzz target
	@$(MAKE) --no-print-directory test
	@scripts/build --quiet check tsan
	@$(MAKE) --no-print-directory web
	@KILLS=100 scripts/run-tests asan -L kill
	@CLEAVE_LONG=1 scripts/run-tests check
	@scripts/run-tests tsan -LE 'scripts|torture|mpi'
	@CLEAVE_LONG=1 scripts/run-tests tsan -R unit/arrays
	@tests/mpi/kill build/cleave build/cleave-mpi 30 || [ $$? -eq 77 ]
	@tests/mpi/namespaces build/cleave build/cleave-mpi || [ $$? -eq 77 ]
	@$(MAKE) --no-print-directory torture
	@scripts/attack
	@$(MAKE) --no-print-directory fuzz FUZZ_SECONDS=10

test-spark: all ## rounds on a real Apache Spark, with workers killed; installs pyspark below build/, or says it was skipped
	@tests/spark/run build/cleave || test $$? -eq 77

asan: ## build the library, the command and the tests with ASan+UBSan in build/asan
	@scripts/build asan

fuzz: ## run each fuzz target for FUZZ_SECONDS (60); logs in build/fuzz-logs
	@scripts/setup --tools
	@scripts/build --quiet fuzz
	@scripts/fuzz

torture: ## make every allocation and every I/O call fail in turn, under ASan
	@scripts/setup
	@scripts/build --quiet asan
	@scripts/torture

coverage: ## run the fast suites and print covered lines and branches of src/ by module and file
	@scripts/setup --tools
	@scripts/build --quiet release coverage
	@scripts/coverage

mutate: ## mutation testing: change src/ at MUTANTS (100) random places, one at a time
	@test -d build/coverage/profiles || $(MAKE) --no-print-directory coverage
	@scripts/mutate --count $(MUTANTS)

bench: all ## run every benchmark in bench/
	@scripts/bench

docs: ## build the documentation site in build/docs/html
	@scripts/setup --docs
	@scripts/build --quiet release
	@scripts/docs

wheel: ## build and check the Python wheel and source distribution in build/python/dist
	@scripts/wheel

deb: ## build the Debian packages in build/deb; check them with lintian and in a minimal Debian system
	@scripts/setup --deb
	@scripts/deb

web: ## build the WebAssembly library, its npm package and the page in build/web
	@scripts/web

format: ## format the sources with clang-format-14
	@scripts/setup --tools
	@scripts/format

lint: ## clang-tidy-14 over src/
	@scripts/setup --tools
	@scripts/build --quiet release
	@scripts/lint

install: all ## install below PREFIX (/usr/local); DESTDIR is put before it
	@DESTDIR="$(DESTDIR)" cmake --install build --prefix "$(PREFIX)"

uninstall: ## remove the files of the last install from build/; DESTDIR is put before them
	@test -f build/install_manifest.txt || { echo "nothing was installed from build/" >&2; exit 1; }
	@test "$(origin PREFIX)" != "command line" || \
	    awk -v prefix="$(abspath $(PREFIX))/" 'index($$0, prefix) != 1 { exit 1 }' \
	        build/install_manifest.txt || \
	    { echo "the last install from build/ is not below PREFIX=$(PREFIX); nothing was removed" >&2; exit 1; }
	@xargs -d '\n' -I{} rm -f "$(DESTDIR){}" <build/install_manifest.txt

clean: ## remove build/
	@rm -rf build

help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1|/p' $(MAKEFILE_LIST) | \
	    while IFS='|' read -r target text; do printf '  make %-10s %s\n' "$$target" "$$text"; done
