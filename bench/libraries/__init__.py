"""Programs that use libraries on JAX, by domain; bench/run_wide.py --suite libraries runs them."""
