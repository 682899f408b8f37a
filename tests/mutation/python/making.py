"""Makes mistakes in a module of Python, one at a time: mutmut's operators and some of ours, in one text that holds all of them.

mutmut puts a function in the place of each function: it calls the original, or the copy with the mistake whose name stands in the
environment. So a module is imported once, and its mistakes are switched on one after the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import libcst
from libcst.metadata import MetadataWrapper
from mutmut.mutation.file_mutation import Mutation, MutationVisitor, combine_mutations_to_source, group_by_top_level_node
from mutmut.mutation.mutators import OPERATORS_TYPE, mutation_operators, operator_arg_removal, operator_string
from mutmut.mutation.pragma_handling import IgnoredCode
from mutmut.utils.format_utils import mangled_name_from_mutant_name

MOST_LETTERS = 60
"""So much of the text before and after is shown."""


@dataclass(frozen=True, slots=True)
class PythonMutant:
    """One mistake.

    Attributes:
        name: of the copy that has it, with the module: what mutmut's trampoline looks for.
        function: that it is in, as mutmut names it, with the module.
        what: the function, the text as it is and as it would be; each mistake of a module has another.
    """

    name: str
    function: str
    what: str


@dataclass(frozen=True, slots=True)
class Mutated:
    """A module with all its mistakes, none of them switched on."""

    code: str
    mutants: tuple[PythonMutant, ...]


def mutants_of_module(module: str, text: str) -> Mutated:
    """Every mistake that is made in the functions of a module."""
    wrapper = MetadataWrapper(libcst.parse_module(text).visit(_Undecorated()))
    visitor = _Visitor([*_OPERATORS, *_OURS], IgnoredCode(set(), set(), set()))
    tree = wrapper.visit(visitor)
    file = combine_mutations_to_source(tree, visitor.mutations)
    known = Counter[str]()
    mutants = []
    for name, mutation in zip(file.mutant_names, _in_order(tree, visitor.mutations), strict=True):
        function = mangled_name_from_mutant_name(name)
        what = f"{function.removeprefix('x_').removeprefix('xǁ').replace('ǁ', '.')}: {_shown(tree, mutation)}"
        known[what] += 1
        mutants.append(PythonMutant(f"{module}.{name}", f"{module}.{function}", what if known[what] == 1 else f"{what} ({known[what]})"))
    return Mutated(file.code, tuple(mutants))


class _Undecorated(libcst.CSTTransformer):  # type: ignore[misc]  # libcst is not read by mypy
    """Puts `name = decorator(name)` after a function in the place of its decorator: mutmut makes no mistake in what has one.

    Two decorators it knows, and two cannot be given so: what they make takes the function that stands before.
    """

    def leave_FunctionDef(  # noqa: N802  the name is libcst's
        self, original_node: libcst.FunctionDef, updated_node: libcst.FunctionDef
    ) -> libcst.FunctionDef | libcst.FlattenSentinel[libcst.BaseStatement]:
        if not original_node.decorators or any(_name(one.decorator) in _LEFT_ALONE for one in original_node.decorators):
            return updated_node
        made: libcst.BaseExpression = original_node.name
        for one in reversed(original_node.decorators):
            made = libcst.Call(one.decorator, [libcst.Arg(made)])
        given = libcst.SimpleStatementLine([libcst.Assign([libcst.AssignTarget(original_node.name)], made)])
        return libcst.FlattenSentinel([updated_node.with_changes(decorators=[]), given])


_LEFT_ALONE = frozenset({"staticmethod", "classmethod", "overload", "setter"})


class _Visitor(MutationVisitor):  # type: ignore[misc]  # mutmut is not read by mypy
    """Makes no mistake in the wording of errors and gaps."""

    def on_visit(self, node: libcst.CSTNode) -> bool:
        if isinstance(node, libcst.Raise) or (isinstance(node, libcst.Call) and _is_wording(node.func)):
            return False
        return bool(super().on_visit(node))


def _is_wording(function: libcst.BaseExpression) -> bool:
    """Whether all arguments of a call become the text of an error or a gap: `ParseErrors.add` takes three parts of a sentence."""
    if isinstance(function, libcst.Attribute) and function.attr.value == "add":
        return _name(function.value) == "parse_errors"
    return _name(function).endswith(("Gap", "Error", "ParseErrors"))


def _name(node: libcst.BaseExpression) -> str:
    return node.attr.value if isinstance(node, libcst.Attribute) else node.value if isinstance(node, libcst.Name) else ""


def _in_order(tree: libcst.Module, mutations: list[Mutation]) -> Iterator[Mutation]:
    """The mistakes in the order in which mutmut names their copies: by function, as these follow each other."""
    grouped = group_by_top_level_node(mutations)
    for statement in tree.body:
        inner = statement.body.body if isinstance(statement, libcst.ClassDef) and isinstance(statement.body, libcst.IndentedBlock) else ()
        for function in (statement, *inner):
            if isinstance(function, libcst.FunctionDef):
                yield from grouped.get(function, ())


def _shown(tree: libcst.Module, mutation: Mutation) -> str:
    """The text as it is and as it would be, as far as they differ and some letters around."""
    was, would = (" ".join(tree.code_for_node(node).split()) for node in (mutation.original_node, mutation.mutated_node))
    if was == would:
        return f"{was[:MOST_LETTERS]} is {would[:MOST_LETTERS]}"
    start = next((at for at, (one, other) in enumerate(zip(was, would, strict=False)) if one != other), min(len(was), len(would)))
    start = max(0, start - MOST_LETTERS // 2)
    lead = "…" if start else ""
    return f"`{lead}{was[start : start + MOST_LETTERS]}` is `{lead}{would[start : start + MOST_LETTERS]}`"


def _strings(node: libcst.BaseString) -> Iterable[libcst.BaseString]:
    """Another word, and not the same in other letters: that is alike in SQL."""
    return list(operator_string(node))[:1]


def _arguments(node: libcst.Call) -> Iterator[libcst.Call]:
    """None in the place of an argument, and one that has a name left out: without one that has none hardly a call succeeds."""
    for made in operator_arg_removal(node):
        missing = [argument for argument in node.args if all(argument is not other for other in made.args)]
        if len(made.args) == len(node.args) or all(argument.keyword is not None for argument in missing):
            yield made


def _condition(node: libcst.If | libcst.CompIf) -> Iterator[libcst.CSTNode]:
    """The other way round, where mutmut has nothing to turn."""
    if not isinstance(node.test, (libcst.Comparison, libcst.UnaryOperation)):
        test = node.test.with_changes(lpar=[libcst.LeftParen()], rpar=[libcst.RightParen()])
        yield node.with_changes(test=libcst.UnaryOperation(libcst.Not(), test), **_spaced(node))


def _filter(node: libcst.CompFor) -> Iterator[libcst.CSTNode]:
    """A filter of a comprehension left out."""
    for at in range(len(node.ifs)):
        yield node.with_changes(ifs=[*node.ifs[:at], *node.ifs[at + 1 :]])


def _returned(node: libcst.Return) -> Iterator[libcst.CSTNode]:
    """None, where something is returned."""
    if node.value is not None and _name(node.value) != "None":
        yield node.with_changes(value=libcst.Name("None"), whitespace_after_return=libcst.SimpleWhitespace(" "))


def _either(node: libcst.BooleanOperation) -> Iterator[libcst.CSTNode]:
    """A conjunct or an alternative left out."""
    for side in (node.left, node.right):
        yield side.with_changes(lpar=[libcst.LeftParen(), *side.lpar], rpar=[*side.rpar, libcst.RightParen()])


def _spaced(node: libcst.If | libcst.CompIf) -> dict[str, libcst.SimpleWhitespace]:
    name = "whitespace_before_test"
    return {name: libcst.SimpleWhitespace(" ")}


_REPLACED = {operator_string: _strings, operator_arg_removal: _arguments}
_OPERATORS: OPERATORS_TYPE = [(kind, _REPLACED.get(operator, operator)) for kind, operator in mutation_operators]
_OURS: OPERATORS_TYPE = [
    (libcst.If, _condition),
    (libcst.CompIf, _condition),
    (libcst.CompFor, _filter),
    (libcst.Return, _returned),
    (libcst.BooleanOperation, _either),
]
