"""The SQL of the modes with a key: combined inside the window, then with the table's row. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jdbc_sink.statements import RANK, Terms


def repeated_key(terms: Terms, keys: Sequence[str]) -> str:
    """Answers with a row if two rows have one key."""
    names = terms.names(keys)
    return f"SELECT 1 FROM {terms.source} GROUP BY {names} HAVING count(*) > 1 LIMIT 1"


def _ranked(terms: Terms, keys: Sequence[str], order_by: str | None, function: str) -> str:
    """The rows with `rank()` or `row_number()` inside their key, the greatest `order_by` first."""
    order = ""
    if order_by is not None:
        order = f" ORDER BY {terms.ordered('', order_by)} DESC NULLS LAST"
    over = f"OVER (PARTITION BY {terms.names(keys)}{order})"
    return f"(SELECT *, {function} {over} AS {RANK} FROM {terms.source}) AS ranked"


def ambiguous_key(
    terms: Terms, keys: Sequence[str], order_by: str | None, columns: Sequence[str]
) -> str:
    """Answers with a key whose newest rows differ in `columns`."""
    source = f"{terms.source} WHERE true"
    if order_by is not None:
        source = f"{_ranked(terms, keys, order_by, 'rank()')} WHERE {RANK} = 1"
    different = terms.names(dict.fromkeys((*keys, *columns)))
    names = terms.names(keys)
    return (
        f"SELECT {names} FROM (SELECT DISTINCT {different} FROM {source}) AS rows_of_key"
        f" GROUP BY {names} HAVING count(*) > 1 LIMIT 1"
    )


def upsert(terms: Terms, keys: Sequence[str], order_by: str | None) -> str:
    """Insert, or overwrite a row that is not newer."""
    source = terms.source
    where = "true"
    if terms.repeats:
        source = _ranked(terms, keys, order_by, "row_number()")
        where = f"{RANK} = 1"
    names = terms.names(terms.columns)
    others = {name: f"excluded.{terms.quote(name)}" for name in terms.columns if name not in keys}
    condition = "" if order_by is None else f" WHERE {_not_older(terms, order_by)}"
    return (
        f"INSERT INTO {terms.table} AS target ({names}) SELECT {names} FROM {source} WHERE {where}"
        f"{_on_conflict(terms, keys, others)}{condition if others else ''}"
    )


def accumulate(
    terms: Terms,
    keys: Sequence[str],
    combine: Mapping[str, str],
    order_by: str | None,
) -> str:
    """Combine the window's rows of each key, then each with the table's."""
    source = terms.source
    if "last" in combine.values():
        source = _ranked(terms, keys, order_by, "row_number()")
    selected = ", ".join(_combined(terms, column, combine.get(column)) for column in terms.columns)
    merged = {column: _merged(terms, column, how, order_by) for column, how in combine.items()}
    return (
        f"INSERT INTO {terms.table} AS target ({terms.names(terms.columns)})"
        f" SELECT {selected} FROM {source} WHERE true GROUP BY {terms.names(keys)}"
        f"{_on_conflict(terms, keys, merged)}"
    )


def _combined(terms: Terms, column: str, how: str | None) -> str:
    name = terms.quote(column)
    if how is None:
        return name
    kind = terms.kinds[column]
    if how == "sum":
        value = terms.types.total(name, kind)
    elif how == "last":
        value = f"max(CASE WHEN {RANK} = 1 THEN {name} END)"
    else:
        value = f"{how}({terms.types.ordered(name, kind)})"
    return f"{value} AS {name}"


def _merged(terms: Terms, column: str, how: str, order_by: str | None) -> str:
    old, new = f"target.{terms.quote(column)}", f"excluded.{terms.quote(column)}"
    if how == "last":
        if order_by is None:
            return new
        return f"CASE WHEN {_not_older(terms, order_by)} THEN {new} ELSE {old} END"
    if how == "sum":
        value = terms.types.plus(old, new, terms.kinds[column])
    else:
        sign = "<" if how == "min" else ">"
        wins = f"{terms.ordered('excluded', column)} {sign} {terms.ordered('target', column)}"
        value = f"CASE WHEN {wins} THEN {new} ELSE {old} END"
    return f"CASE WHEN {old} IS NULL THEN {new} WHEN {new} IS NULL THEN {old} ELSE {value} END"


def _not_older(terms: Terms, order_by: str) -> str:
    # So the outcome does not depend on where windows begin and end.
    old, new = terms.ordered("target", order_by), terms.ordered("excluded", order_by)
    return f"({old} IS NULL OR {new} >= {old})"


def _on_conflict(terms: Terms, keys: Sequence[str], values: Mapping[str, str]) -> str:
    if not values:
        return f" ON CONFLICT ({terms.names(keys)}) DO NOTHING"
    updates = ", ".join(f"{terms.quote(column)} = {value}" for column, value in values.items())
    return f" ON CONFLICT ({terms.names(keys)}) DO UPDATE SET {updates}"
