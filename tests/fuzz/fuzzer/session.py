"""The parent's side of a worker: statuses of seeds and programs, crashes and hangs included."""
import pathlib
import pickle
import sys
import tempfile

import isolated_worker
import plugin_env


class Session:
    """Asks a worker, which is replaced when it dies and after --restart-every questions."""

    def __init__(self, options, evaluate_every=1):
        self._folder = tempfile.TemporaryDirectory()
        self._stage = pathlib.Path(self._folder.name) / "stage"
        self._options, self._asked = options, 0
        command = [sys.executable, "-m", "fuzzer.worker", "--plugin", str(options.plugin),
                   "--stage", str(self._stage), "--evaluate-every", str(evaluate_every),
                   "--kind", options.kind, "--cpu-every", str(options.cpu_every),
                   "--memory", str(options.memory)]
        if options.evaluator.exists():
            command += ["--evaluator", str(options.evaluator)]
        if options.without_cpu:
            command.append("--without-cpu")
        env = plugin_env.child(options.plugin, path=[plugin_env.ROOT / "tests" / "fuzz",
                                                     plugin_env.ROOT / "scripts"])
        self._worker = isolated_worker.Worker(command, env, options.timeout)

    def ask(self, question):
        """A dictionary with status, message and ops."""
        self._asked += 1
        if self._asked % self._options.restart_every == 0:
            self._worker.close()
        result = {"ops": 0, **self._worker.ask(question)}
        if result["status"] in ("CRASH", "TIMEOUT"):
            stage = self._stage.read_text()
            # Crashes of the built-in CPU are not judged.
            result["status"] = "skipped" if stage.startswith("cpu") else result["status"].lower()
            result["message"] = f"in {stage}: {result['message']}"
        return result

    def ask_program(self, program):
        path = pathlib.Path(self._folder.name) / "program.pickle"
        path.write_bytes(pickle.dumps(program))
        result = self.ask(f"file {path}")
        return result["status"], " ".join(result["message"].split())

    def close(self):
        self._worker.close()
