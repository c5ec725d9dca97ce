#!/usr/bin/env python3
"""Creates a suite's virtual environment: bench/environment.py REQUIREMENTS VENV.

Does nothing if the environment already has what REQUIREMENTS lists.
"""
import pathlib
import shutil
import subprocess
import sys


def create(requirements, venv):
    stamp = venv / "requirements.txt"
    if stamp.exists() and stamp.read_text() == requirements.read_text():
        return
    print(f"installing {requirements} into {venv}", flush=True)
    subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    subprocess.run([venv / "bin" / "python", "-m", "pip", "install", "-q", "-r", requirements],
                   check=True)
    shutil.copyfile(requirements, stamp)


if __name__ == "__main__":
    create(*map(pathlib.Path, sys.argv[1:3]))
