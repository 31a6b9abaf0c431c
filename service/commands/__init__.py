"""The commands of `accordion`, one a module; each module has it as `command`."""
