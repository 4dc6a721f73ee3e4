#!/usr/bin/env bash
# Measures a GPU in less than four minutes, from a release binary alone: no toolchain, no
# network, nothing but bash, coreutils, grep and sed.
#
#   benches/gpu.sh [--quick] [--adapter NAME] [--out FOLDER] BINARY [DATA]
#
# DATA is a file of positions; without it the project's sample is taken, found as sample.fen
# beside this script, beside BINARY, or in ../data; games for filters, sample.binpack, likewise.
# FOLDER (default: gpu-DATE) gets the text of each step, and summary.txt. --quick runs a small part
# of everything, as a smoke test. If GPU_BENCH names the executable that
# `cargo bench --bench gpu --no-run` built, that is run too: it knows the floor, a copy to the device.
#
# Exit status: 0 done, 1 a result was wrong, 2 something could not be measured.
set -euo pipefail
export LC_ALL=C

usage() { echo "usage: gpu.sh [--quick] [--adapter NAME] [--out FOLDER] BINARY [DATA]" >&2; exit 2; }
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
[ $# = 1 ] || [ $# = 2 ] || usage
bin=$(realpath "$1")
here=$(dirname "$(realpath "$0")")
sample() { # NAME: where it is
  local folder
  for folder in "$here" "$(dirname "$bin")" "$here/../data"; do
    [ ! -f "$folder/$1" ] || { echo "$folder/$1"; return; }
  done
  echo "gpu.sh: no $1 here" >&2
  return 1
}
data=${2:-$(sample sample.fen)}
games=$(sample sample.binpack)
out=${out:-gpu-$(date +%Y%m%d-%H%M%S)}
mkdir -p "$out"
if [ -n "$quick" ]; then
  sizes=64,16384 sweep=16384 patience=0.1 bytes=$((4 << 20)) knobs='chunk=65536 workgroup=32'
else
  sizes=1024,65536,1048576,4194304 sweep=4194304 patience=0.5 bytes=$((1 << 30))
  knobs='chunk=65536 chunk=524288 workers=4 workers=16 workgroup=32 workgroup=128'
fi

status=0
problem() { # STATUS TEXT: 1 is worse than 2
  [ "$status" = 1 ] || status=$1
  echo "$2" | tee -a "$out/summary.txt" >&2
}
# step NAME COMMAND...: output into NAME; at most what is left of four minutes.
step() {
  local name=$1 code=0
  shift
  echo "gpu.sh: $SECONDS s: $name" >&2
  timeout "$((SECONDS < 220 ? 230 - SECONDS : 10))" "$@" >"$out/$name" 2>&1 || code=$?
  [ "$code" = 0 ] && return
  problem $((code == 1 ? 1 : 2)) "$name: exit status $code, see $out/$name"
  return 1
}
say() { echo "$*" >>"$out/summary.txt"; }
show() { cat "$out/$1" >>"$out/summary.txt"; }

: >"$out/summary.txt"
step devices.txt "$bin" devices || exit 2
[ -n "$adapter" ] || adapter=$(sed -n 's/^GPU  //p' "$out/devices.txt" | head -n 1)
[ -n "$adapter" ] || { echo "gpu.sh: no GPU adapter here" >&2; exit 2; }
gpu=gpu:$adapter
say "$("$bin" --version) on $adapter, $(date -u '+%Y-%m-%d %H:%M UTC'), $(uname -srm), data: $data"
[ -z "$quick" ] || say "QUICK: the figures say nothing"
show devices.txt
! command -v nvidia-smi >/dev/null || ! step nvidia-smi.txt nvidia-smi --format=csv \
  --query-gpu=name,driver_version,clocks.max.sm,pcie.link.gen.max,pcie.link.width.max || show nvidia-smi.txt

! step verify.txt "$bin" verify "$data" --all-profiles --require-gpu --backend "$gpu" || show verify.txt
! step bench.txt "$bin" bench "$data" --backend "$gpu" --sizes "$sizes" --patience "$patience" || show bench.txt
[ -z "${GPU_BENCH:-}" ] || ! step criterion.txt "$GPU_BENCH" --bench --noplot || show criterion.txt

say "" && say "Knobs, batches of $sweep positions: millions of scores, of verdicts a second"
for knob in $knobs; do
  step "$knob.txt" "$bin" bench "$data" --backend "$gpu" --no-cpu --sizes "$sweep" \
    --patience "$patience" --gpu-options "$knob" || continue
  say "  $knob:" $(grep -iF "  $adapter" "$out/$knob.txt" | grep -v '^  GPU' | sed 's/.* //')
done

# Filters, in memory if there is room; the GPU filters games and chains itself.
work=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d -p "$out")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
"$bin" convert "$data" -o "$work/positions.fen" --to text --quiet
sed 's/ *[|;[].*//; s/$/ | 0 | 0.5/' "$work/positions.fen" >"$work/scored.txt"
"$bin" convert "$work/scored.txt" --from text -o "$work/bulletformat" --to bulletformat --quiet
"$bin" convert "$games" -o "$work/viriformat" --to viriformat --quiet
cp "$games" "$work/binpack"
say "" && say "Filters"
# filters NAME FORMAT FILE OPTIONS...: by the CPU, the GPU and what is chosen, in turns; the same output.
filters() {
  local name=$1 format=$2 file=$3 backend which
  shift 3
  for backend in cpu "$gpu" auto cpu "$gpu" auto; do
    which=${backend%%:*}
    step "filter-$name-$which.txt" "$bin" filter "$file" --from "$format" "$@" \
      -o "$work/$which" --force --backend "$backend" || continue
    say "  $name, $which:" $(grep -E '^  (time|decoded)' "$out/filter-$name-$which.txt")
    cmp -s "$work/cpu" "$work/$which" || problem 1 "WRONG: $backend keeps other records of $format than the CPU"
  done
}
for format in bulletformat viriformat binpack; do
  file=$work/$format
  goal=$([ $format = bulletformat ] && echo "$bytes" || echo $((bytes / 8)))
  while [ "$(stat -c %s "$file")" -lt "$goal" ]; do
    cat "$file" "$file" >"$work/twice" && mv "$work/twice" "$file"
  done
  filters "$format" "$format" "$file"
  [ $format = bulletformat ] || filters "$format-calm-legal" "$format" "$file" --preset calm --profile legal
  rm -f "$file" "$work/cpu" "$work/gpu" "$work/auto"
done

say "" && say "$SECONDS s in all; exit status $status"
cat "$out/summary.txt"
exit "$status"
