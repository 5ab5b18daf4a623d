"""Callbacks and trackers for frameworks, a module for each; a module imports its framework, and nothing here imports the module."""
