"""The rules of CONTRIBUTING.md on words that a program can check: private words, long functions.

Each row of PRIVATE_WORDS names a word that only Tenon once used, and the field's word for it.
"""
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[1]
TENON = ROOT / "tenon"
SOURCES = sorted(p for s in ("*.h", "*.hpp", "*.cc", "*.c", "*.inc", "*.td")
                 for p in TENON.rglob(s))
TESTS = sorted(TENON.rglob("*.mlir"))
MAX_FUNCTION_LINES = 80

# (private word as a regular expression, the field's word)
PRIVATE_WORDS = [
    (r"\bk(Most|Least|Fewest)[A-Z]\w*", "kMax... or kMin..."),
    (r"\b(made|built|computed) anew\b", "rematerialized"),
    (r"\b(places?|turns?|buffers?) in turns?\b|alternat\w* ?_?places?\b", "double buffering"),
    (r"IsSpread|SinkSpreads|\bspreads? (of|along|over) (a )?(constant|dimension)", "broadcast"),
    (r"\bguard tests?\b|\bguards that\b|\bguarded by a test\b", "codegen test"),
    (r"\brounds? point by point\b", "loop interchange"),
    (r"\bRounds(Plan|Carry|Value|Kernel)|\b(Plan|Fuse|Build)Rounds|rounds_(plan|kernel)",
     "loop interchange, interchanged loop"),
    (r"\b(every|each|next|previous|first|last|a|the|all|of|number of) rounds?\b(?! key)(?! up)"
     r"(?! to)|\brounds of (a|the|this) loop",
     "iteration, trip count"),
    (r"\bpacked words?\b|\bword_(emitter|plan|products)|\bWord(Plan|Product|Emitter)",
     "k-group, or 32-bit unit"),
    (r"(?<!affine_)(?<!Affine)\bstrips?\b(?! (its|the|all|shardings))(?!ped)",
     "micro-panel, cache block"),
    (r"\bcaller is one of them\b", "the caller participates"),
    (r"//.*\banew\b", "again"),
    (r"//.*\b(hand|hands|handed) on\b", "pass"),
    (r"//.*\b(goes|go|went) on\b", "continue"),
    (r"//.*\bgets? into\b", "join, enter"),
]
# Files in which `round` is the field's word: the rounds of ThreeFry and Philox.
ALLOWED = re.compile(r"rng|random_bits|threefry|philox", re.IGNORECASE)


@pytest.mark.parametrize("word, instead", PRIVATE_WORDS, ids=[i for _, i in PRIVATE_WORDS])
def test_no_private_words(word, instead):
    pattern = re.compile(word)
    wrong = []
    for path in SOURCES + TESTS:
        name = str(path.relative_to(ROOT))
        if ALLOWED.search(name):
            continue
        if pattern.search(path.name):
            wrong.append(f"{name}: the name of the file; say {instead}")
        for number, line in enumerate(path.read_text().splitlines(), 1):
            found = pattern.search(line)
            if found:
                wrong.append(f"{name}:{number}: '{found.group()}'; say {instead}")
    assert not wrong, "\n".join(wrong)


def is_function(statement):
    """Whether a statement of a namespace or class that ends in `{` begins a function."""
    if re.match(r"(namespace|class|struct|union|enum|extern)\b", statement):
        return False
    if re.match(r"template *<.*> *(class|struct|union)\b", statement):
        return False
    return "(" in statement


def functions(text):
    """(line number, number of lines, signature) of the functions in clang-formatted code.

    A function reaches from the line of its `{` to the `}` that is indented as its signature.
    """
    statement, begin, indent = [], None, None
    for number, line in enumerate(text.splitlines(), 1):
        if begin is not None:
            if line in (indent + "}", indent + "};"):
                if not re.search(r"= *\{$", " ".join(statement)):  # else an initializer
                    yield begin, number - begin + 1, " ".join(statement)
                statement, begin = [], None
            continue
        code = re.sub(r"//.*", "", line).rstrip()
        if not line.strip() or code.startswith("#"):
            statement = []
        if not code.strip() or code.startswith("#"):
            continue
        if not statement:
            indent = code[:len(code) - len(code.lstrip())]
        statement.append(code.strip())
        joined = " ".join(statement)
        if code.endswith("{") and (is_function(joined) or joined.endswith("= {")):
            begin = number
        elif re.search(r"[;{}]$|\b(public|private|protected):$", code):
            statement = []


def test_functions_are_at_most_80_lines_long():
    wrong = [f"{path.relative_to(ROOT)}:{number}: {lines} lines: {signature[:70]}"
             for path in SOURCES if path.suffix in (".cc", ".h", ".hpp", ".c")
             for number, lines, signature in functions(path.read_text())
             if lines > MAX_FUNCTION_LINES]
    assert not wrong, "\n".join(wrong)


def test_the_end_of_a_function_is_found():
    text = """
namespace tenon {
class A {
 public:
  A(int a)
      : a_(a),
        // The second one.
        b_(a) {
    b_ = 1;
  }
  int a() const { return a_; }
  Status Run(int first,
             int second) override {
    if (first) {
      return {};
    }
    return {};
  }
};
const Case kTable[] = {
    {1, [](int x) { return x; }},
};
int Main() {
  return 1;
}
}  // namespace tenon
"""
    found = [(number, lines) for number, lines, _ in functions(text)]
    assert found == [(8, 3), (13, 6), (23, 3)]
