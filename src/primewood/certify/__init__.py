"""Certificates: proofs that anyone can check. `check.py` is the checker; it imports nothing from this package."""
