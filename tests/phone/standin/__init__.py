"""Phones to test with: an adb daemon of our own over a private file tree with arm64 programs (qemu-user)."""
