"""All cases: the type table (operation by element type) and the forms of each operation."""
from . import elementwise, structural
from .case import file_text


def type_rows():
    yield from elementwise.rows()
    yield from structural.rows()


def type_files(only=()):
    """(operation, text) of the type table."""
    for op, cases in type_rows():
        if not only or op in only:
            yield op, file_text("", list(cases))


def form_files():
    return ()
