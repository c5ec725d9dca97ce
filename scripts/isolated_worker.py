"""A worker process that answers requests. It is replaced when a request crashes or hangs it."""
import collections
import json
import os
import subprocess
import sys
import threading
import time

_ANSWER = "ANSWER "


def serve(answer, **hello):
    """The worker's side: answers each line of stdin with `answer(line)`, a dictionary.

    An exception becomes status ERROR with its message. The parent reads `hello` first.
    """
    print(_ANSWER + json.dumps(hello), flush=True)
    for line in sys.stdin:
        start = time.perf_counter()
        try:
            result = answer(line.rstrip("\n"))
        except Exception as error:
            result = {"status": "ERROR", "message": str(error) or repr(error)}
        result["seconds"] = round(time.perf_counter() - start, 4)
        print("\n" + _ANSWER + json.dumps(result), flush=True)
    os._exit(0)  # skips the interpreter's exit, which leftovers of a test may hang


class Worker:
    """The parent's side. Starts the process on the first request, and again after a crash."""

    def __init__(self, command, env, timeout):
        self._command, self._env, self._timeout = command, env, timeout
        self._process, self._hello = None, None

    def hello(self):
        """The worker's first message."""
        if self._process is None:
            self._start()
        return self._hello

    def ask(self, question):
        """The worker's answer, or status CRASH or TIMEOUT with its last output."""
        self.hello()
        timed_out = threading.Event()

        def stop():
            timed_out.set()
            self._process.kill()

        timer = threading.Timer(self._timeout, stop)
        timer.start()
        try:
            self._process.stdin.write(question + "\n")
            self._process.stdin.flush()
            answer = self._read()
        except BrokenPipeError:
            answer = None
        finally:
            timer.cancel()
        if answer is not None:
            return answer
        status = self._process.wait()
        self._process = None
        return {"status": "TIMEOUT" if timed_out.is_set() else "CRASH",
                "message": f"exit status {status}: {self._last_words()}"}

    def close(self):
        if self._process:
            self._process.stdin.close()
            self._process.wait()
            self._process = None

    def _start(self):
        self._process = subprocess.Popen(
            self._command, env=self._env, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, errors="replace")
        self._stderr = collections.deque(maxlen=15)
        self._reader = threading.Thread(
            target=self._stderr.extend, args=(self._process.stderr,), daemon=True)
        self._reader.start()
        self._hello = self._read()
        if self._hello is None:
            self._process.wait()
            raise RuntimeError(f"the worker does not start: {self._last_words()}")

    def _read(self):
        for line in self._process.stdout:
            if line.startswith(_ANSWER):
                return json.loads(line[len(_ANSWER):])
        return None

    def _last_words(self):
        self._reader.join(1)
        return " | ".join(line.strip() for line in self._stderr)[-2000:]
