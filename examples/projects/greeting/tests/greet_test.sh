# Run with `sh tests/greet_test.sh`. Ends with 0 when every greeting is right.
. ./greet.sh

check() {
    if [ "$1" = "$2" ]; then
        echo "ok: $2"
    else
        echo "FAILED: expected \"$2\", got \"$1\""
        exit 1
    fi
}

check "$(greet Ada)" "Hello, Ada!"
check "$(greet)" "Hello, World!"
