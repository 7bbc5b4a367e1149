"""Answers of other threads reach coroutines: in any order, with their errors, and without those that gave up."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from threading import Thread

from newsextract.crawl.futures import answer_of


def test_answers_that_arrive_together_reach_those_who_wait() -> None:
    futures: list[Future[int]] = [Future() for _ in range(50)]

    def resolve() -> None:
        for number, future in enumerate(futures):
            future.set_result(number)

    async def wait() -> list[int]:
        waiting = [answer_of(future) for future in futures]
        Thread(target=resolve).start()
        return [await each for each in waiting]

    assert asyncio.run(wait()) == list(range(50))


def test_an_answer_after_the_end_of_the_loop_is_dropped() -> None:
    late: Future[str] = Future()

    async def ask() -> None:
        answer_of(late)

    asyncio.run(ask())
    late.set_result("too late")
    assert late.result() == "too late"
