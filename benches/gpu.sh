#!/usr/bin/env bash
# Measures a GPU completely, in one run of less than eight
# minutes, from a release binary alone: no toolchain, no network, nothing but bash
# and coreutils.
#
#   benches/gpu.sh [--quick] [--adapter NAME] [--out FOLDER] BINARY [DATA]
#
# DATA is a file of positions of any format; without it the project's sample is
# taken, found as sample.fen beside this script, beside BINARY, or in ../data; for games and chains
# sample.binpack of the same places.
# FOLDER (default: gpu-DATE) gets everything as text and JSON, and summary.txt.
# --quick runs a small part of everything, as a smoke test.
#
# Exit status: 0 done, 1 a result was wrong, 2 something could not be measured.
set -euo pipefail
export LC_ALL=C

usage() {
  echo "usage: gpu.sh [--quick] [--adapter NAME] [--out FOLDER] BINARY [DATA]" >&2
  exit 2
}

quick='' adapter='' out=''
while [ $# -gt 0 ]; do
  case $1 in
    --quick) quick=yes ;;
    --adapter) [ $# -gt 1 ] || usage; adapter=$2; shift ;;
    --out) [ $# -gt 1 ] || usage; out=$2; shift ;;
    -*) usage ;;
    *) break ;;
  esac
  shift
done
{ [ $# -ge 1 ] && [ $# -le 2 ]; } || usage
bin=$(realpath "$1")
[ -x "$bin" ] || { echo "gpu.sh: '$1' cannot be run" >&2; exit 2; }
data=${2:-}
here=$(dirname "$(realpath "$0")")
for sample in "$here/sample.fen" "$(dirname "$bin")/sample.fen" "$here/../data/sample.fen"; do
  [ -n "$data" ] || [ ! -f "$sample" ] || data=$sample
done
[ -f "$data" ] || { echo "gpu.sh: no data; name a file of positions" >&2; exit 2; }
data=$(realpath "$data")
out=${out:-gpu-$(date +%Y%m%d-%H%M%S)}
mkdir -p "$out"

# Time limit in seconds; later steps are skipped after it.
budget=450
if [ -n "$quick" ]; then
  sizes=1,1k,16k positions=5000 patience=1 bulk=$((8 << 20)) tries=1
  chunks='1k 64k' workers='1 2' workgroups='32 64' lists='4' sweep=16k
else
  sizes=1,16,256,1k,4k,16k,64k,256k,1M,4M,16M positions=200000 patience=2
  bulk=1000000000 tries=3
  chunks='16k 64k 128k 256k 1M 4M' workers='1 2 4 8 16' workgroups='32 64 128 256'
  lists='1 2 4 8' sweep=4M
fi

status=0
worse() { [ "$status" = 1 ] || status=$1; }
wrong() { status=1; }

# step LIMIT NAME COMMAND...: stdout into NAME, stderr into NAME.err; 1 if it failed.
step() {
  local limit=$1 name=$2 code=0
  shift 2
  local left=$((budget - SECONDS))
  if [ "$left" -lt 5 ]; then
    echo "$name: left out, the time is over" | tee -a "$out/problems.txt" >&2
    worse 2
    return 1
  fi
  [ "$limit" -le "$left" ] || limit=$left
  echo "gpu.sh: $SECONDS s: $name" >&2
  timeout "$limit" "$@" >"$out/$name" 2>"$out/$name.err" || code=$?
  [ -s "$out/$name.err" ] || rm -f "$out/$name.err"
  [ "$code" != 0 ] || return 0
  echo "$name: exit status $code" | tee -a "$out/problems.txt" >&2
  # The command's own answer: a result was wrong.
  if [ "$code" = 1 ]; then wrong; else worse 2; fi
  return 1
}

# first_gpu FILE: the name of the first GPU in `devices --json`.
first_gpu() {
  local line found=''
  while IFS= read -r line; do
    [[ $line != *'"gpus":'* ]] || found=yes
    if [ -n "$found" ] && [[ $line =~ ^\ *\"name\":\ \"(.*)\",?$ ]]; then
      echo "${BASH_REMATCH[1]}"
      return
    fi
  done <"$1"
}

# rate PART WHAT FILE: the last figure of a row of a part's table in `bench`'s text, in
# millions a second: WHAT is gpu, whose row is the one after memcpy, or words of a name.
rate() {
  local line before='' found=''
  while read -r line; do
    [[ $line != "$1 ("* ]] || found=yes
    if [ -n "$found" ]; then
      if [[ $line == *"$2"* ]] || [[ $2 == gpu && $before == memcpy* ]]; then
        line=${line##* }
        echo "${line//,/}"
        return
      fi
    fi
    before=$line
  done <"$3"
}

# A decimal fraction in thousandths; those too small to be written out are 0.
thousandths() {
  local whole fraction
  case $1 in *e-*) echo 0; return ;; *[!0-9.]* | '') echo 0; return ;; esac
  whole=${1%%.*} fraction=''
  case $1 in *.*) fraction=${1#*.} ;; esac
  fraction=${fraction}000
  echo $((10#${whole:-0} * 1000 + 10#${fraction:0:3}))
}

# A number of thousandths with two decimals.
decimal() { printf '%d.%02d' $(($1 / 1000)) $(($1 % 1000 / 10)); }

say() { echo "$*" >>"$out/summary.txt"; }

### The device

: >"$out/summary.txt"
step 60 devices.json "$bin" devices --json || exit 2
step 60 devices.txt "$bin" devices || exit 2
if [ -z "$adapter" ]; then
  adapter=$(first_gpu "$out/devices.json")
fi
[ -n "$adapter" ] || { echo "gpu.sh: no GPU adapter here" >&2; exit 2; }
gpu=gpu:$adapter
software=no
in_this=''
while IFS= read -r line; do
  case $line in
    "GPU  "*) in_this='' ; [[ ${line,,} == *"${adapter,,}"* ]] && in_this=yes ;;
    *type*software*) [ -z "$in_this" ] || software=yes ;;
  esac
done <"$out/devices.txt"

say "swaplist on $adapter, $(date -u '+%Y-%m-%d %H:%M UTC')"
[ -z "$quick" ] || say "QUICK: small sizes, the figures say nothing"
[ "$software" = no ] || say "SOFTWARE ADAPTER: it computes on the CPU, nothing here is about a GPU"
say "$("$bin" --version), $(uname -srm), data: $(basename "$data")"
say ""
cat "$out/devices.txt" >>"$out/summary.txt"
smi=''
if command -v nvidia-smi >/dev/null; then
  fields=name,driver_version,clocks.max.sm,memory.total,pcie.link.gen.max,pcie.link.width.max,power.limit
  if step 20 nvidia-smi.csv nvidia-smi --query-gpu=$fields --format=csv; then
    smi=yes
    cat "$out/nvidia-smi.csv" >>"$out/summary.txt"
  fi
fi

### Data made by the binary itself

work=$out/work
rm -rf "$work"
mkdir -p "$work"
shm=/dev/shm/swaplist-gpu-$$
sampler=''
cleanup() {
  [ -z "$sampler" ] || kill "$sampler" 2>/dev/null || true
  rm -rf "$work" "$shm"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

from=()
case $data in *.fen | *.epd | *.txt) from=(--from text) ;; esac
# The writer may be cut short by head: it takes that for a success.
"$bin" convert "$data" "${from[@]}" --to text --quiet | head -n "$positions" >"$work/lines"
while IFS= read -r line; do
  line=${line%% |*}
  echo "${line%% \[*} | 0 | 0.5"
done <"$work/lines" >"$work/positions.txt"
"$bin" convert "$work/positions.txt" --from text -o "$work/positions.data" --to bulletformat --quiet

### Right or wrong

say ""
if step 150 verify.txt "$bin" verify "$work/positions.txt" --from text --all-profiles \
  --require-gpu --backend "$gpu" --json; then
  say "verify: all profiles equal on $adapter and every path of the CPU"
else
  say "verify: DIFFERS OR FAILED, see verify.txt and verify.txt.err"
fi

### Scores and verdicts by batch size, kernels, floors, the CPU beside it

sampling() { # NAME: how busy the device is from now on
  [ -n "$smi" ] || return 0
  nvidia-smi --query-gpu=utilization.gpu --format=csv,noheader,nounits -lms 200 \
    >"$out/$1" 2>/dev/null &
  sampler=$!
}

sampled() { # NAME: the highest and the mean of what was not idle
  [ -n "$sampler" ] || return 0
  kill "$sampler" 2>/dev/null || true
  wait "$sampler" 2>/dev/null || true
  sampler=''
  local value sum=0 count=0 most=0
  while IFS= read -r value; do
    [[ $value =~ ^[0-9]+$ ]] || continue
    [ "$value" -gt 0 ] || continue
    sum=$((sum + value)) count=$((count + 1))
    [ "$value" -le "$most" ] || most=$value
  done <"$out/$1"
  [ "$count" = 0 ] || say "nvidia-smi while $2: busy $((sum / count)) % on average, $most % at most"
}

if step 200 bench.txt "$bin" bench "$work/positions.txt" --from text --backend "$gpu" \
  --sizes "$sizes" --patience "$patience" --parts scores,verdicts \
  --json="$out/bench.json" --plot "$out/bench.html" --force; then
  say ""
  cat "$out/bench.txt" >>"$out/summary.txt"
fi
step 60 files.txt "$bin" bench "$work/positions.data" --from bulletformat --backend cpu \
  --patience "$patience" --parts files --json="$out/files.json" --force &&
  cat "$out/files.txt" >>"$out/summary.txt" || true

### The engine's knobs

best=0 best_knobs='none'
sweep() { # KNOBS: scores and verdicts with them
  local name
  name=sweep-$(printf '%s' "$1" | tr -c 'a-z0-9A-Z\n' _)
  step 30 "$name.txt" "$bin" bench "$work/positions.txt" --from text --backend "$gpu" --no-cpu \
    --sizes "$sweep" --patience "$patience" --parts scores,verdicts \
    --json="$out/$name.json" --force --gpu-options "$1" || return 0
  local scores verdicts kernels
  scores=$(rate scores gpu "$out/$name.txt")
  verdicts=$(rate verdicts gpu "$out/$name.txt")
  kernels=$(rate verdicts 'kernels alone' "$out/$name.txt")
  say "  $(printf '%-34s %10s %10s %14s' "$1" "$scores" "$verdicts" "${kernels:--}")"
  if [ "$(thousandths "$verdicts")" -gt "$best" ]; then
    best=$(thousandths "$verdicts") best_knobs=$1
  fi
}

say ""
say "Knobs, batches of $sweep: millions a second, scores, verdicts, and the verdicts' kernels alone"
for chunk in $chunks; do
  for n in $workers; do sweep "chunk=$chunk,workers=$n"; done
done
for size in $workgroups; do sweep "workgroup=$size"; done
for list in $lists; do sweep "list=$list"; done
say "  the most verdicts: $(decimal "$best") million a second with $best_knobs"

### Filters of large files in memory

# A folder with room for a file, its copy and the output.
room=$(df --output=avail -B 1 /dev/shm 2>/dev/null | tail -n 1) || room=0
[ "${room//[!0-9]/}" ] && [ "${room//[!0-9]/}" -gt $((4 * bulk)) ] || shm=$work/bulk
mkdir -p "$shm"

best_of() { # NAME COMMAND...: the best time of several, in microseconds
  local name=$1 i start took least=''
  shift
  for ((i = 0; i < tries; i++)); do
    rm -f "$shm/out.data"
    start=$(date +%s%N)
    timeout 60 "$@" >"$out/$name" 2>&1 || return 1
    took=$((($(date +%s%N) - start) / 1000))
    [ -n "$least" ] && [ "$least" -le "$took" ] || least=$took
  done
  [ -s "$out/$name" ] || rm -f "$out/$name"
  echo "$least"
}

cat_to_null() { cat "$1" >/dev/null; }
export -f cat_to_null

row() { # NAME MICROSECONDS FLOOR
  say "  $(printf '%-34s %9d us %8s M records/s %7s x' "$1" "$2" \
    "$(decimal $((records * 1000 / ($2 > 0 ? $2 : 1))))" \
    "$(decimal $(($2 * 1000 / ($3 > 0 ? $3 : 1))))")"
}

# filters FORMAT FILE BYTES: a file repeated to that size, filtered by each backend. The GPU
# decodes these formats itself.
filters() {
  local format=$1 bytes=$3 length took backend name json cat_time cp_time
  cp "$2" "$shm/in.data"
  length=$(stat -c %s "$shm/in.data")
  while [ "$length" -lt "$bytes" ]; do
    cat "$shm/in.data" "$shm/in.data" >"$shm/twice" || break
    mv "$shm/twice" "$shm/in.data"
    length=$((length * 2))
  done
  records=$("$bin" convert "$2" --from "$format" --to "$format" -o /dev/null --json |
    sed -n 's/^  "records": \([0-9]*\),\?$/\1/p') || records=''
  if ! [[ $records =~ ^[0-9]+$ ]]; then
    say "Filtering $format: not measured, $2 has no count of records"
    worse 2
    return 0
  fi
  records=$((records * (length / $(stat -c %s "$2"))))
  say ""
  say "Filtering $records records of $format ($length bytes in ${shm%/*}), best of $tries:"
  cat_time=$(best_of cat.err bash -c 'cat_to_null "$1"' _ "$shm/in.data") || return 0
  cp_time=$(best_of cp.err cp "$shm/in.data" "$shm/out.data") || return 0
  row "cat >/dev/null" "$cat_time" "$cat_time"
  row "cp" "$cp_time" "$cp_time"
  for backend in cpu "$gpu" auto; do
    name=$format-${backend%%:*}
    common=(filter "$shm/in.data" --from "$format" --backend "$backend" --json)
    if [ $((budget - SECONDS)) -lt 30 ]; then
      say "  --backend ${backend%%:*} left out, the time is over"
      worse 2
      continue
    fi
    echo "gpu.sh: $SECONDS s: filter, $name" >&2
    json=$out/filter-$name.json
    if took=$(best_of "filter-$name-null.json" "$bin" "${common[@]}" -o /dev/null); then
      row "filter --backend ${backend%%:*} -o /dev/null" "$took" "$cat_time"
    else
      say "  filter --backend ${backend%%:*} -o /dev/null failed, see filter-$name-null.json"
      worse 2
    fi
    if took=$(best_of "filter-$name.json" "$bin" "${common[@]}" -o "$shm/out.data" --force); then
      row "filter --backend ${backend%%:*} to a file" "$took" "$cp_time"
      cksum <"$shm/out.data" >"$out/filter-$name.cksum"
      [[ $(<"$json") != *'"decoded_on_gpu": 0'* ]] || [[ $backend != gpu* ]] || say "  (not decoded on the GPU)"
    else
      say "  filter --backend ${backend%%:*} to a file failed, see filter-$name.json"
      worse 2
    fi
  done
  for name in gpu auto; do
    [ -f "$out/filter-$format-$name.cksum" ] && [ -f "$out/filter-$format-cpu.cksum" ] || continue
    if [ "$(<"$out/filter-$format-$name.cksum")" != "$(<"$out/filter-$format-cpu.cksum")" ]; then
      say "  WRONG: --backend $name keeps other records than the CPU"
      wrong
    fi
  done
}

sampling util-filter.txt
filters bulletformat "$work/positions.data" "$bulk"
for games in "$here/sample.binpack" "$(dirname "$bin")/sample.binpack" "$here/../data/sample.binpack"; do
  [ -f "$games" ] || continue
  "$bin" convert "$games" -o "$work/games.viriformat" --to viriformat --quiet
  filters binpack "$games" $((bulk / 8))
  filters viriformat "$work/games.viriformat" $((bulk / 8))
  break
done
sampled util-filter.txt filtering

### Against the targets

say ""
say "Targets:"
of_copy=''
if [ -f "$out/bench.txt" ]; then
  while read -r line; do # the verdicts' comes last
    [[ ! $line =~ comes\ to\ ([0-9.]+)\ of\ what\ the\ copy ]] || of_copy=${BASH_REMATCH[1]}
  done <"$out/bench.txt"
fi
if [ -n "$of_copy" ]; then
  met=missed
  [ "$(thousandths "$of_copy")" -lt 700 ] || met=met
  say "  verdicts/s from host memory, of what the copy to the device allows: $of_copy (0.70 wanted): $met"
else
  say "  not measured"
fi
[ "$software" = no ] || say "  (on a software adapter: these say nothing about a GPU)"
say ""
say "$SECONDS s in all; exit status $status"
cat "$out/summary.txt"
exit "$status"
