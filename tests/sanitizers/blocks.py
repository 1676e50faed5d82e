"""Which tests run under which sanitizer: in blocks, each for about a minute or two."""

from __future__ import annotations

from dataclasses import dataclass

from sanitizers.cores import ADDRESS, ROOT, THREAD, Finished, Sanitizer, run_watched


@dataclass(frozen=True)
class Block:
    """A module of Python and its arguments, run with a core that a sanitizer watches."""

    sanitizer: Sanitizer
    module: str
    arguments: tuple[str, ...]

    def run(self) -> Finished:
        command = ["-m", "sanitizers.run", self.sanitizer.core, self.module, *self.arguments]
        return run_watched(self.sanitizer, command, capture_output=True)


def tests(*arguments: str, sanitizer: Sanitizer = ADDRESS) -> Block:
    """Tests by files and names. Their output goes past pytest, so that a finding is seen when the process ends."""
    options = ("-q", "--capture=sys", "-p", "no:cacheprovider", "-p", "no:faulthandler")
    return Block(sanitizer, "pytest", (*options, *arguments))


NOT_TIMED = ("-k", "not deadline and not ctrl_c and not time_limit")
"""Everything is slower here, so that tests of time limits say nothing."""
REAL_FORESTS = "tests/engines/test_search_on_real_forests.py"
OUTPUT = ROOT / "build" / "sanitize"
BLOCKS = {
    "search": tests("tests/engines", "--ignore", REAL_FORESTS),
    "search, real forests": tests(REAL_FORESTS, *NOT_TIMED),
    "search, conformance": tests(
        "tests/conformance/test_search_engine.py",
        "tests/conformance/test_random_forests_against_brute_force.py",
        "tests/conformance/test_orders_of_weakening.py",
    ),
    "diagrams, conformance": tests("tests/conformance/test_diagram_engine.py"),
    "universes": tests(
        "tests/conformance/test_compiled_forests.py",
        "tests/conformance/test_exhaustive_universes.py",
        "tests/conformance/test_propositions.py",
    ),
    "sums": tests("tests/conformance/test_sums_and_sets_of_values.py", "tests/ensemble"),
    "properties": tests("tests/properties", *NOT_TIMED),
    "changes": tests(
        "tests/questions/test_counterfactuals.py",
        "tests/questions/test_robustness.py",
        "tests/questions/test_reasons_and_contrasts.py",
        *NOT_TIMED,
    ),
    "records": Block(ADDRESS, "records", ("write", str(OUTPUT / "records.jsonl"), "--questions", "480")),
    "traces": Block(ADDRESS, "traces", ("--seed", "0", "--count", "300", "--out", str(OUTPUT / "traces"))),
    "two threads": tests(
        "tests/sanitizers/test_two_threads.py",
        "tests/batch/test_run.py",
        "-k",
        "one_thread or one_by_one or two_threads or generators",
        sanitizer=THREAD,
    ),
}
