"""What is measured, not tested: see README.md."""
