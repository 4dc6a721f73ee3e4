#!/usr/bin/env bash
# The public face, item by item, from what `cargo doc --no-deps` has written: to be
# compared with tests/public.txt, so that a change to it is seen. Items that are hidden
# from the documentation are not part of it.
#
#   bash tests/public.sh > tests/public.txt     to take a change over
set -euo pipefail
cd "$(dirname "$0")/../target/doc/swaplist"
export LC_ALL=C

members='id="(variant|structfield|associatedconstant|tymethod|method)\.[A-Za-z0-9_.]+"'

grep -oE 'href="([a-z_]+/)*(struct|enum|trait|fn|constant|type|macro|static)\.[^"]+"' all.html |
    cut -d'"' -f2 | sort -u | while read -r page; do
    own=$(sed -zE 's/id="(trait-implementations|synthetic-implementations|blanket-implementations|foreign-impls|implementors)".*//' "$page")
    name=${page##*/} module=${page%"${page##*/}"}
    open=''
    if grep -qE '(enum|struct)' <<<"${name%%.*}" && grep -q 'non-exhaustive"' <<<"$own"; then open=' (non-exhaustive)'; fi
    item=${name#*.}
    echo "${name%%.*} ${module//\//::}${item%.html}$open"
    grep -oE "$members" <<<"$own" | cut -d'"' -f2 | grep -v 'fields$' | sort -u | sed 's/^/    /' || true
done
