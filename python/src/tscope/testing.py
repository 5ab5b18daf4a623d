"""For tests of trainings (docs/python.md)."""
