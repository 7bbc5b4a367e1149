#!/usr/bin/env bash
# `make scrapyd`: a scrapyd with a password on loopback, the project deployed to it and one crawl, until Ctrl-C.
# Usage: deploy/scrapyd.sh SITES [PORT] [NAME=VALUE ...]   with arguments of the spider, and `setting=NAME=VALUE`.
# It runs in $NEWSEXTRACT_OUTPUT/scrapyd; with ONCE=1 it ends with the crawl.
set -euo pipefail
bin=$(cd "$(dirname "${PYTHON:-.venv/bin/python}")" && pwd)
project=$(cd "$(dirname "$0")/.." && pwd)
sites=$1 port=${2:-6800}
shift $(($# < 2 ? $# : 2))
[ ! -f "$sites" ] || sites=$(realpath "$sites")
export NEWSEXTRACT_OUTPUT=$(realpath -m "${NEWSEXTRACT_OUTPUT:-output}")
export SCRAPYD_USERNAME=${SCRAPYD_USERNAME:-newsextract} SCRAPYD_HTTP_PORT=$port
export SCRAPYD_PASSWORD=${SCRAPYD_PASSWORD:-$("$bin/python" -c 'import secrets; print(secrets.token_hex(12))')}
export PYTHONWARNINGS='ignore:pkg_resources is deprecated:UserWarning'

folder=$NEWSEXTRACT_OUTPUT/scrapyd url=http://127.0.0.1:$port
mkdir -p "$folder"
cd "$folder"
# scrapyd reads it last, and no scrapy.cfg of a folder above.
cp "$project/scrapyd.conf" scrapy.cfg

"$bin/scrapyd" --pidfile= > scrapyd.log 2>&1 &
server=$!
trap 'kill $server 2>/dev/null || true' EXIT
trap 'exit 0' INT TERM
ask() { curl --silent --fail --user "$SCRAPYD_USERNAME:$SCRAPYD_PASSWORD" "$@"; }
for _ in $(seq 100); do ask "$url/daemonstatus.json" > /dev/null && break; sleep 0.2; done
ask "$url/daemonstatus.json" > /dev/null || { tail -n 8 scrapyd.log >&2; echo "scrapyd did not start at $url" >&2; exit 1; }
echo "scrapyd   $url/  user $SCRAPYD_USERNAME, password $SCRAPYD_PASSWORD"

egg=$folder/newsextract.egg
(cd "$project" && PATH=$bin:$PATH scrapyd-deploy --build-egg "$egg") > build.log 2>&1 \
    || { tail -n 8 build.log >&2; echo "the project's egg could not be built" >&2; exit 1; }
ask "$url/addversion.json" -F project=newsextract -F version="$(date +%s)" -F egg=@"$egg" > /dev/null
arguments=()
for each in "$@"; do arguments+=(--data-urlencode "$each"); done
job=$(ask "$url/schedule.json" -d project=newsextract -d spider=news --data-urlencode "sites=$sites" "${arguments[@]}" \
    | sed -n 's/.*"jobid": "\([^"]*\)".*/\1/p')
[ -n "$job" ] || { echo "scrapyd refused the job: see $folder/scrapyd.log" >&2; exit 1; }
echo "deployed  $egg; job $job"
until ask "$url/status.json?job=$job" | grep -q finished; do sleep 1; done
tail -n 3 "$folder/logs/newsextract/news/$job.log"
echo "articles  $NEWSEXTRACT_OUTPUT/articles/$job.jsonl and $NEWSEXTRACT_OUTPUT/newsextract.db"
[ -z "${ONCE:-}" ] || exit 0
echo "Ctrl-C stops scrapyd. Another crawl:  curl --user $SCRAPYD_USERNAME $url/schedule.json -d project=newsextract -d spider=news -d sites=…"
wait $server
