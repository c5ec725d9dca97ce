"""What a sharded program communicates, and why."""
import os
import tempfile

_FORMATS = ("text", "html", "json")


def explain_sharding(lowered, format="text"):
    """Returns a report on the communication of a sharded program, as a string.

        lowered = jax.jit(f, in_shardings=...).lower(x)
        print(explain_sharding(lowered))
        pathlib.Path("report.html").write_text(explain_sharding(lowered, "html"))

    `lowered` is what `jax.jit(f).lower(...)` returns for devices of Tenon. The report has the
    sharding of each argument and result, and for each collective the bytes that a device receives
    (on average), the mesh axes, how often a loop runs it, the source line, and which operand of
    which operation had to be moved from which sharding to which. "html" is a page with a picture
    per device, "json" is for programs. Compiles the program. Raises ValueError for another format
    or another platform.
    """
    if format not in _FORMATS:
        raise ValueError(f"explain_sharding: the format {format!r} is not known; "
                         f"use one of {', '.join(_FORMATS)}")
    suffix = {"text": ".txt"}.get(format, "." + format)
    with tempfile.TemporaryDirectory(prefix="tenon-explain-") as folder:
        path = os.path.join(folder, "report" + suffix)
        try:
            lowered.compile(compiler_options={"tenon_explain_sharding": path})
        except Exception as error:
            if "No such compile option" in str(error):
                raise ValueError("explain_sharding: the program is lowered for a platform that is "
                                 "not Tenon; lower it for devices of Tenon") from error
            raise
        with open(path, encoding="utf-8") as file:
            return file.read()
