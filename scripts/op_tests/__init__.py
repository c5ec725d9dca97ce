"""Self-checking StableHLO programs for every operation; see scripts/make_op_tests.py."""
