#!/usr/bin/env bash
# Rebuilds src/kces/report/static from the sources here and the versions in package-lock.json.
# With a folder as argument, writes there instead.
set -euo pipefail
target="${1:-$(dirname "$0")/../src/kces/report/static}"
mkdir -p "$target"
target="$(cd "$target" && pwd)"
cd "$(dirname "$0")"
npm ci --no-audit --no-fund --silent
node build.mjs "$target"
