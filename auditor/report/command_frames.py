"""What stands around the changes of a script of commands: its beginning, and what begins and ends the part of a host."""

from __future__ import annotations

SHELL_BEGIN = """\
#!/bin/sh
{comments}
# Copy it to each host and run it there: sh FILE NAME{stage_argument}. NAME is the host as the parts below call it. It stops at the
# first change whose value is neither the one that the plan saw nor the wanted one, and at the first that does not read back as wanted.
# The undo of a change stands below it, as comments; its functions are those at the beginning of this file.
set -eu
LC_ALL=C export LC_ALL

host=${{1:-}}
stage=${{2:-}}

# Prints one field of what esxcli answers, by its structured name: field NAME COMMAND...
field() {{
  name=$1
  shift
  esxcli --formatter=keyvalue "$@" | sed -n "s/^[^=]*\\\\.$name\\\\.[^.=]*=//p"
}}

# Prints these fields of each record that esxcli lists, a line each with | between: records 'NAME...' COMMAND...
records() {{
  names=$1
  shift
  esxcli --formatter=keyvalue "$@" | awk -v names="$names" '
    {{
      at = index($0, "="); count = split(substr($0, 1, at - 1), part, "."); record = ""
      for (i = 1; i < count - 1; i++) record = record "." part[i]
      if (!(record in seen)) {{ seen[record] = 1; order[++records] = record }}
      text = substr($0, at + 1); gsub(/^ +| +$/, "", text); value[record, part[count - 1]] = text
    }}
    END {{
      wanted = split(names, name, " ")
      for (r = 1; r <= records; r++) {{
        line = value[order[r], name[1]]
        for (i = 2; i <= wanted; i++) line = line "|" value[order[r], name[i]]
        print line
      }}
    }}'
}}

# Prints the second field of the records whose first one is NAME: chosen NAME
chosen() {{ awk -F'|' -v name="$1" '$1 == name {{ print $2 }}'; }}

# Whether a change is still to be made; ends where the value is a third one: due NUMBER SEEN WANTED NOW
due() {{
  case $4 in
    "$2") return 0 ;;
    "$3") printf 'change %s: already as wanted\\n' "$1"; return 1 ;;
  esac
  printf 'change %s: STALE, it reads "%s" and the plan saw "%s": nothing more is done\\n' "$1" "$4" "$2" >&2
  exit 1
}}

# Ends where a change does not read back as wanted: made NUMBER WANTED NOW
made() {{
  [ "$3" = "$2" ] && printf 'change %s: made\\n' "$1" && return 0
  printf 'change %s: UNVERIFIED, it reads "%s" and not "%s": nothing more is done\\n' "$1" "$3" "$2" >&2
  exit 1
}}

# Whether a part is the one that was asked for: part HOST STAGE
part() {{ [ "$host" = "$1" ] && [ "${{stage:-$2}}" = "$2" ]; }}
"""

SHELL_CHECK = """
case $host in
  {hosts}) ;;
  *) echo 'usage: sh FILE NAME{stage_argument}; this file has a part for each of the hosts named below' >&2; exit 2 ;;
esac
"""

SHELL_STAGES = """\
case $stage in
  {stages}) ;;
  *) echo 'give the stage: finish one on every host before the next' >&2; exit 2 ;;
esac
"""

POWERSHELL_BEGIN = """\
{comments}
# Connect-VIServer to the vCenters first. It stops at the first change whose value is neither the one that the plan saw nor the wanted one,
# and at the first one that does not read back as wanted. The undo of a change stands below it, as comments; before it is run, $server,
# $vmhost and $esxcli have to be those of its host, as the part of the host sets them.
{parameters}$ErrorActionPreference = 'Stop'

# The connected vCenter of that instance UUID; the only one that is connected, where the plan does not know the UUID.
function Get-VCenter($name, $uuid) {{
    $found = @($global:DefaultVIServers | Where-Object {{ -not $uuid -or $_.InstanceUuid -eq $uuid }})
    if ($found.Count -ne 1) {{ throw "$($found.Count) connected vCenters may be ${{name}}: Connect-VIServer to it, and to no other" }}
    $found[0]
}}

# A value as the plan writes it.
function Get-Text($value) {{
    if ($null -eq $value) {{ return 'absent' }}
    if ("$value" -in 'true', 'false') {{ return "$value".ToLower() }}
    "$value"
}}

# Whether a change is still to be made; stops where the value is a third one.
function Test-Due($number, $seen, $wanted, $now) {{
    $text = Get-Text $now
    if ($text -ceq $seen) {{ return $true }}
    if ($text -ceq $wanted) {{ Write-Host "change ${{number}}: already as wanted"; return $false }}
    throw "change ${{number}}: STALE, it reads '$text' and the plan saw '$seen': nothing more is done"
}}

# Stops where a change does not read back as wanted.
function Confirm-Made($number, $wanted, $now) {{
    $text = Get-Text $now
    if ($text -cne $wanted) {{ throw "change ${{number}}: UNVERIFIED, it reads '$text' and not '$wanted': nothing more is done" }}
    Write-Host "change ${{number}}: made"
}}

# A host by its id, which has to have the name that the plan knows it by.
function Get-PlannedHost($id, $name) {{
    $found = Get-VMHost -Server $server | Where-Object {{ if ($id) {{ $_.Id -ceq $id }} else {{ $_.Name -ceq $name }} }}
    if (@($found).Count -ne 1 -or $found.Name -cne $name) {{ throw "$server has no host $name $id" }}
    $found
}}
"""

POWERSHELL_STAGE = "param([Parameter(Mandatory)][ValidateSet({stages})][int]$Stage)\n"
