# Greets somebody by name, or the world.
greet() {
    name="$1"
    echo "Hello, ${name:-World}"
}
