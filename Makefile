# Two commands for a person with ten minutes: `make crawl` and `make test`.

PYTHON ?= python3
BIN := .venv/bin
SITES ?=
ARGS ?=

PORT ?= 0

.PHONY: crawl desk scrapyd doctor test lint types imports tests test-lowest format results metadata model kinds tokens ablation fields docs release clean help

help:
	@echo "make crawl [SITES=…] [ARGS='-a since=2d -a limit=20']   crawl sites, or the demo newsroom"
	@echo "make desk [DATABASE=…] [ARGS=--open]                    look at the articles in a browser"
	@echo "make scrapyd [SITES=…] [PORT=6800] [ARGS=limit=20]  the same under a scrapyd with a password, on loopback"
	@echo "make doctor                                             what is wrong here, and what to do about it"
	@echo "make docs                                               the documentation as a site with a search, in build/docs"
	@echo "make test                                               lint, types, import contracts, tests, doctests"
	@echo "make test-lowest                                        some tests with the lowest Scrapy"

# The virtual environment with what a crawl needs, made again when what it is made from changes.
# setuptools warns of every editable install, in eight lines that look like a failure.
INSTALL := PYTHONWARNINGS=ignore $(BIN)/pip install --quiet --disable-pip-version-check --constraint requirements.txt
.venv/installed: pyproject.toml requirements.txt
	@$(PYTHON) -c 'import sys; sys.exit("newsextract needs Python 3.11 or newer, and %s is %d.%d: make PYTHON=python3.11" % (sys.executable, *sys.version_info[:2]) if sys.version_info < (3, 11) else 0)'
	@echo "Installing into .venv, which takes some minutes the first time"
	$(PYTHON) -m venv .venv
	@# pip of before 24 cannot resolve lxml[html-clean], which two of the reference tools want.
	$(INSTALL) --upgrade pip
	$(INSTALL) --editable '.[crawl]'
	@touch $@

# The same with an extra: `.venv/with-desk`, `.venv/with-dev`. Most come with `dev`: then there is nothing to fetch.
IN_DEV = $(shell sed -n 's/^    "newsextract\[\(.*\)\]",$$/\1/p' pyproject.toml | tr , ' ')
.venv/with-%: .venv/installed
	$(if $(filter $*,$(IN_DEV)),test .venv/with-dev -nt $< || )$(INSTALL) --editable '.[$*]'
	@touch $@

# Two that install into one environment at once would spoil it; the tests use all processors anyway.
.NOTPARALLEL:

crawl: .venv/installed
ifeq ($(strip $(SITES)),)
	@echo "No SITES given: crawling the demo newsroom on loopback. Yours: make crawl SITES=https://example.com"
	@SCRAPY_PROJECT=development $(BIN)/python -m demo $(if $(ARGS),-- $(BIN)/python -m scrapy crawl news -a sites={sites} $(ARGS))
else
	$(BIN)/scrapy crawl news -a sites='$(SITES)' $(ARGS)
endif

# Read only, on loopback unless ARGS say else; it runs until Ctrl-C. PORT=0 is a free port.
DATABASE ?= $(or $(NEWSEXTRACT_DATABASE),$(or $(NEWSEXTRACT_OUTPUT),output)/newsextract.db)
desk: .venv/with-desk
	$(BIN)/newsextract desk '$(DATABASE)' --port '$(PORT)' $(ARGS)

# Its password is new each time, or that of SCRAPYD_PASSWORD; it runs until Ctrl-C, or with ONCE=1 until the crawl ends.
LOOPBACK := setting=NEWSEXTRACT_PRIVATE_ADDRESSES=1 setting=DOWNLOAD_DELAY=0
scrapyd: .venv/with-scrapyd
ifeq ($(strip $(SITES)),)
	@PYTHON=$(BIN)/python $(BIN)/python -m demo -- deploy/scrapyd.sh {sites} $(or $(PORT:0=),6800) $(LOOPBACK) $(ARGS)
else
	@PYTHON=$(BIN)/python deploy/scrapyd.sh '$(SITES)' $(or $(PORT:0=),6800) $(ARGS)
endif

doctor: .venv/installed
	$(BIN)/newsextract doctor $(ARGS)

test: lint types imports tests

lint: .venv/with-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/with-dev
	$(BIN)/mypy

imports: .venv/with-dev
	$(BIN)/lint-imports

tests: .venv/with-dev
	@# The tests start hundreds of processes, which would compile every module if no byte code may be written.
	PYTHONDONTWRITEBYTECODE= $(BIN)/pytest --numprocesses auto --dist worksteal -rfEs

# With the lowest Scrapy, and all else from .venv: the add-on, the pace of hosts, pipelines, kills, days, and Ctrl-C.
LOWEST ?= 2.13.*
FOLDER := -c 'import sysconfig; print(sysconfig.get_path("purelib"))'
test-lowest: .venv/with-dev
	$(PYTHON) -m venv build/lowest
	build/lowest/bin/pip install --quiet --disable-pip-version-check 'scrapy==$(LOWEST)'
	$(BIN)/python $(FOLDER) > "$$(build/lowest/bin/python $(FOLDER))/all-else.pth"
	build/lowest/bin/python -m pytest -p no:cacheprovider --numprocesses auto \
	  tests/crawl/test_addon.py tests/crawl/test_throttle.py tests/crawl/test_pipelines.py tests/crawl/test_crashes.py \
	  tests/crawl/test_daily.py tests/tools/test_crawl.py

# The table of all extractors on the annotated corpora, which are not part of the project.
CORPORA ?= ../shared/corpora
results: .venv/with-dev
	$(BIN)/python -m benchmarks.results $(CORPORA)

# The tables of headlines, dates and authors.
metadata: .venv/with-dev
	$(BIN)/python -m benchmarks.results $(CORPORA) --metadata

# The weights and the model card of `auto`, from the same corpora.
model: .venv/with-train
	$(BIN)/python -m training $(CORPORA) --card docs/model-card.md

# The same for the classifier of pages.
kinds: .venv/with-train
	$(BIN)/python -m training.kinds $(CORPORA) --card docs/page-kinds.md

# The weights of `mss` with naive Bayes, and its figures on sites that it has not seen.
tokens: .venv/with-train
	$(BIN)/python -m training.tokens $(CORPORA)

# What its parts are worth.
ablation: .venv/with-train
	$(BIN)/python -m training $(CORPORA) --ablation docs/ablation.md

# The fields of an article in the docs and in the schema of the messages, after a change of newsextract/article.py.
fields: .venv/installed
	$(BIN)/python -m docs.generators.field_reference

# Wheel and sdist in dist/, checked and tried on the Pythons of this machine; nothing is published.
release: .venv/with-release
	$(BIN)/python -m release $(ARGS)

# Warnings are errors, a link inside that leads nowhere too. It is read from its files, without a server.
docs: .venv/with-docs
	$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going --builder html docs build/docs
	@echo "build/docs/index.html"

format: .venv/with-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf .venv build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
