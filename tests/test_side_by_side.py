"""Work by threads of a pool: in order, with a tool of its own for each thread, and with the cores shared between them."""

import threading
from time import monotonic, sleep

import pytest

import pucker
from pucker.byexample.shared_cores import PRODUCTS, one_thread_a_product, sharing_cores
from pucker.byexample.side_by_side import by_workers, side_by_side


@pytest.fixture(autouse=True)
def _four_threads():
    calls, products = pucker.threads(), PRODUCTS.get()
    pucker.threads(4)
    PRODUCTS.put(2)
    yield
    pucker.threads(calls)
    PRODUCTS.put(products)


def threads_now() -> tuple[int, int]:
    return pucker.threads(), PRODUCTS.get()


def test_products_take_one_thread_inside_and_as_many_as_before_outside():
    with one_thread_a_product():
        assert PRODUCTS.get() == 1
    assert PRODUCTS.get() == 2


def test_calls_have_the_threads_that_workers_leave():
    with sharing_cores() as share:
        for workers, threads in ((1, 4), (2, 2), (3, 1), (9, 1), (0, 4)):
            share(workers)
            assert pucker.threads() == threads
    assert pucker.threads() == 4


def test_the_last_of_several_pools_gives_back_what_the_first_found():
    first, second = sharing_cores(), sharing_cores()
    first.__enter__()(2)
    second.__enter__()(4)
    first.__exit__(None, None, None)
    assert threads_now() == (1, 1)
    second.__exit__(None, None, None)
    assert threads_now() == (4, 2)


@pytest.mark.parametrize(
    "by", [lambda work: side_by_side(lambda: None, work, [0]), lambda work: by_workers(work, [1], 1)]
)
def test_an_error_gives_back_the_threads(by):
    def fail(*_given):
        raise RuntimeError(f"{PRODUCTS.get()} thread")

    with pytest.raises(RuntimeError, match="1 thread"):
        by(fail)
    assert threads_now() == (4, 2)


def test_what_is_found_is_in_order_and_each_thread_has_its_own_tool():
    found = side_by_side(threading.get_ident, lambda tool, item: (tool, threading.get_ident(), item), range(40))
    assert [item for _, _, item in found] == list(range(40))
    assert all(tool == thread for tool, thread, _ in found)


def test_the_longest_begin_first():
    begun = []

    def work(k):
        begun.append((k, pucker.threads()))
        return 10 * k

    assert by_workers(work, [3, 5, 4], 1) == [0, 10, 20]
    assert begun == [(1, 4), (2, 4), (0, 4)]


def test_threads_of_what_is_done_go_to_the_others():
    together = threading.Barrier(2)

    def work(k):
        together.wait(60.0)
        shared = pucker.threads()
        together.wait(60.0)
        end = monotonic() + 60.0
        while k == 1 and pucker.threads() == shared and monotonic() < end:
            sleep(0.001)
        return shared, pucker.threads() if k == 1 else None

    assert by_workers(work, [1, 1], 2) == [(2, None), (2, 4)]


def test_what_waits_does_not_begin_after_an_error_and_what_has_begun_is_told():
    begun, told = [], threading.Event()

    def work(k):
        begun.append(k)
        if k == 0:
            raise RuntimeError("the first failed")
        assert told.wait(60.0)

    with pytest.raises(RuntimeError, match="the first failed"):
        by_workers(work, [9, 8, 7, 6], 2, stop=told.set)
    assert 3 not in begun
    assert pucker.threads() == 4


def test_nothing_is_done_of_nothing():
    assert by_workers(lambda k: k, [], 2) == []
