#!/bin/sh
# Makes what a release consists of, in dist/release: the wheel, built twice to one digest; the locks; the list of packages (CycloneDX); digests.
# Usage: make release; with MINISIGN_KEY=FILE the digests are signed as well. Nothing is published.
set -eu
cd "$(dirname "$0")/.."
python=$(pwd)/.venv/bin/python
out=dist/release
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
digest() { "$python" -c 'import hashlib, sys; print(hashlib.sha256(open(sys.argv[1], "rb").read()).hexdigest())' "$1"; }

# A copy of what is committed, each time in another folder: neither a path nor a file that lies about may reach the wheel.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
for number in first second; do
    mkdir -p "$work/$number/source"
    git archive HEAD | tar -x -C "$work/$number/source"
    "$python" -m build --wheel --no-isolation --outdir "$work/$number/dist" "$work/$number/source" >/dev/null
done
wheel=$(cd "$work/first/dist" && ls ./*.whl)
if [ "$(digest "$work/first/dist/$wheel")" != "$(digest "$work/second/dist/$wheel")" ]; then
    echo "error: two builds of $wheel differ; nothing was released" >&2
    exit 1
fi

rm -rf "$out"
mkdir -p "$out"
cp "$work/first/dist/$wheel" requirements.lock requirements-build.lock "$out"
cp "${SBOM:-dist/auditor.cdx.json}" "$out"
(cd "$out" && for file in *; do echo "$(digest "$file")  $file"; done >"$work/SHA256SUMS")
mv "$work/SHA256SUMS" "$out/SHA256SUMS"
if [ -n "${MINISIGN_KEY:-}" ]; then
    minisign -S -s "$MINISIGN_KEY" -m "$out/SHA256SUMS" -t "auditor $wheel"
else
    echo "not signed: MINISIGN_KEY names no key of minisign; SHA256SUMS says which files belong together, and not who made them" >&2
fi
cat "$out/SHA256SUMS"
