# The .mlir tests beside the code (tenon/**/test/) run as those in tests/ do.
import os

lit_config.load_config(config, os.path.join(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tests", "lit.cfg.py"))
config.name = "tenon"
config.test_source_root = os.path.dirname(os.path.abspath(__file__))
config.test_exec_root = os.path.join(config.test_exec_root, "tenon")
