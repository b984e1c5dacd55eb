"""What the commands do; `companion.cli` only says which there are."""
