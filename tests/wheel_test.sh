#!/bin/sh
# Builds the wheel, installs it where the source cannot be seen, and runs it: what users install is what is tested.
# Usage: tests/wheel_test.sh PYTHON (an environment that has the dependencies)
set -eu
python=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
here=$(pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$python" -m build --wheel --no-isolation --outdir "$work/dist" "$here" >/dev/null
"$python" -m pip install --quiet --no-deps --no-index --target "$work/site" "$work"/dist/*.whl

cd "$work"
mkdir state
# -P and PYTHONPATH: the installed copy, not the source tree that the environment was built from.
run() { PYTHONPATH="$work/site" XDG_STATE_HOME="$work/state" "$python" -P -c 'import sys; from auditor.cli import run; sys.exit(run(sys.argv[1:]))' "$@"; }

where=$(PYTHONPATH="$work/site" "$python" -P -c 'import auditor; print(auditor.__file__)')
case "$where" in "$work"/site/*) ;; *) echo "tested the wrong copy: $where" >&2; exit 1 ;; esac

run --version
run rules test vvol/pe-dsnro-headroom  # the demo loads all of them, and `make rules` tries their examples
code=0
run demo --scenario eternus-vaai --reporter html:report.html --reporter json:report.json --reporter sarif:report.sarif || code=$?
[ "$code" -eq 1 ] || [ "$code" -eq 2 ] || { echo "demo ended with $code" >&2; exit 1; }
grep -q "vaai/eternus-dx-s1-firmware" report.html
grep -q "vaai/eternus-dx-s1-firmware" report.sarif
grep -q '"schema_version": *2' report.json
run endpoints new acme
test -f auditor-acme/auditor_acme/rules/acme/volume-ceiling.yaml
run init
grep -q '"urn:auditor:fleet:1"' fleet.schema.json

# The page for library users, checked as strictly as a user can, against the types that are installed.
awk '/^```python/ {inside = 1; next} /^```/ {inside = 0} inside' "$here/docs/library.md" > library.py
grep -q "AuditRequest" library.py
PYTHONPATH="$work/site" "$python" -P -m mypy --strict --cache-dir "$work/mypy" library.py
echo "wheel: 1 passed, 0 failed"
