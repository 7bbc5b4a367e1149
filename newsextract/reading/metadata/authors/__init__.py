"""Read authors: find bylines, split them into names, tell persons from organisations."""
