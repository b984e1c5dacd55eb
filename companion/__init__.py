"""What people touch: the command line, the page, and where results are kept."""
