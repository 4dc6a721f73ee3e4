#!/bin/sh
# Cargo's RUSTC_WRAPPER (build.sh): shakmaty without its attack tables of 700 KB. pgn-reader asks for
# them, and cargo has no way to say no; without them shakmaty computes attacks.
rustc=$1 && shift
case " $* " in
*' --crate-name shakmaty '*)
    for word; do
        shift
        [ "$word" = 'feature="magics"' ] && word='feature="std"'
        set -- "$@" "$word"
    done
    ;;
esac
exec "$rustc" "$@"
