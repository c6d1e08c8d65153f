"""Runs code in a child process of its own and brings back what it recorded."""
