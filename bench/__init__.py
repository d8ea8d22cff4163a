"""Measurements of pucker next to what else a user could take: ``python -m bench [NAME ...]``.

A benchmark is a module with a `TITLE`, a function `measure` that returns its samples, all of them, as what JSON can hold,
and a function `page` that makes the text of its documentation page from them and from nothing else.
"""
