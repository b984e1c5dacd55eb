"""The commands of the command line, by topic; everything heavy is imported inside."""
