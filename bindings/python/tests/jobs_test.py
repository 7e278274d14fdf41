#!/usr/bin/env python3
"""Jobs, waited for, awaited, watched and cancelled."""

import asyncio
import gc
import os
import unittest
import weakref

from support import FOREVER, WEATHER

import conclave
from conclave import _callbacks


class Jobs(unittest.TestCase):
    def setUp(self):
        self.engine = conclave.Engine()
        self.addCleanup(self.engine.close)

    def forever(self, **options):
        return self.engine.submit_program(WEATHER, FOREVER, language="python", **options)

    def test_programs_and_profiles_are_jobs_as_well(self):
        seen = []
        with self.engine.submit_program(WEATHER, "SELECT max(wind) FROM seattle_weather", on_event=seen.append) as program, \
                self.engine.submit_profile([WEATHER, {"path": WEATHER, "name": "rain"}], deadline_ms=60_000) as profile:
            self.assertEqual(program.wait(60)["answer"]["value"], 9.5)
            self.assertEqual([table["rows"] for table in profile.wait(60)], [1461, 1461])
        self.assertIn("run", {event["phase"] for event in seen})
        with self.assertRaises(conclave.NotFound):
            self.engine.submit_profile("/nonexistent.csv").wait(60)
        with self.engine.submit_program(WEATHER, "SELECT nonsense FROM seattle_weather") as program:
            self.assertEqual(program.wait(60)["answer"]["kind"], "error")

    def test_events_can_be_iterated(self):
        with self.engine.submit(WEATHER, "How many rows are there?") as job:
            phases = [event["phase"] for event in job]
            self.assertEqual(phases[0], "read")
            self.assertEqual(phases[-1], "done")
            self.assertTrue(job.done())
            self.assertEqual(job.wait().answer, 1461)

    def test_jobs_can_be_awaited(self):
        async def both():
            jobs = [self.engine.submit(WEATHER, question) for question in ("How many rows are there?", "maximum wind")]
            return [await job for job in jobs]
        first, second = asyncio.run(both())
        self.assertEqual((first.answer, second.answer), (1461, 9.5))

    def test_events_can_be_iterated_while_the_loop_goes_on(self):
        async def watch(job):
            return [event["phase"] async for event in job]

        async def beside():
            long = self.forever()
            watching = asyncio.ensure_future(watch(long))
            short = self.engine.submit(WEATHER, "How many rows are there?")
            phases = await watch(short)
            self.assertEqual((phases[0], phases[-1]), ("read", "done"))
            self.assertEqual((await short).answer, 1461)
            self.assertEqual(await watch(short), [])
            self.assertFalse(watching.done())
            long.cancel()
            self.assertEqual((await watching)[0], "read")
            with self.assertRaises(conclave.Cancelled):
                await long
            first = self.engine.submit(WEATHER, "How many rows are there?")
            async for event in first:
                break
            self.assertEqual((event["phase"], (await first).answer), ("read", 1461))
            first.close()
        asyncio.run(beside())
        gc.collect()
        before = len(os.listdir("/proc/self/fd"))
        asyncio.run(beside())
        gc.collect()
        self.assertEqual(len(os.listdir("/proc/self/fd")), before)

    def test_a_task_that_is_cancelled_between_events_cancels_the_job(self):
        async def watch(job):
            async for _ in job:
                pass

        async def give_up():
            job = self.forever()
            with self.assertRaises(asyncio.TimeoutError):
                await asyncio.wait_for(watch(job), 0.5)
            with self.assertRaises(conclave.Cancelled):
                await job
        asyncio.run(give_up())

    def test_wait_for_cancels_the_job_unless_it_is_shielded(self):
        async def cancelled(job):
            with self.assertRaises(asyncio.TimeoutError):
                await asyncio.wait_for(job, 0.2)
            with self.assertRaises(conclave.Cancelled):
                await job

        async def shielded(job):
            waiting = asyncio.ensure_future(job)
            with self.assertRaises(asyncio.TimeoutError):
                await asyncio.wait_for(asyncio.shield(waiting), 0.2)
            self.assertFalse(job.done())
            job.cancel()
            with self.assertRaises(conclave.Cancelled):
                await waiting

        for hurry in (cancelled, shielded):
            with self.forever() as job:
                asyncio.run(hurry(job))

    def test_many_may_await_one_job(self):
        async def twice(job):
            return await asyncio.gather(job._wait_async(), job._wait_async())
        with self.engine.submit(WEATHER, "How many rows are there?") as job:
            self.assertEqual([insight.answer for insight in asyncio.run(twice(job))], [1461, 1461])

    def test_wait_has_a_timeout_and_cancel_ends(self):
        with self.forever() as job:
            with self.assertRaises(conclave.DeadlineExceeded) as caught:
                job.wait(0.05)
            self.assertIsInstance(caught.exception, TimeoutError)
            self.assertFalse(job.done())
            job.cancel()
            with self.assertRaises(conclave.Cancelled):
                job.wait(60)
        with self.assertRaises(conclave.FailedPrecondition):
            job.wait()

    def test_a_timeout_of_a_call_without_a_job_says_that_the_job_was_cancelled(self):
        for call in (lambda: self.engine.run(WEATHER, FOREVER, language="python", timeout=0.1),
                     lambda: self.engine.ask(WEATHER, "How many rows are there?", timeout=0),
                     lambda: self.engine.profile(WEATHER, timeout=0),
                     lambda: conclave.ask(WEATHER, "How many rows are there?", timeout=0)):
            with self.assertRaises(conclave.DeadlineExceeded) as caught:
                call()
            self.assertRegex(str(caught.exception), r"no result after 0(\.1)? s \(timeout\), and the job was cancelled")

    def test_timeouts_that_are_none(self):
        job = self.forever()
        for wrong in (-1, -0.001, float("nan"), -float("inf")):
            for call in (job.wait, lambda timeout: self.engine.ask("/nonexistent.csv", "?", timeout=timeout)):
                with self.assertRaises(ValueError) as caught:
                    call(wrong)
                self.assertIn(f"timeout: {wrong!r} is no length of time", str(caught.exception))
                self.assertIsInstance(caught.exception, conclave.InvalidArgument)
        with self.assertRaisesRegex(TypeError, "timeout: '5' is not a number of seconds"):
            job.wait("5")
        self.assertFalse(job.done())
        job.close()
        for endless in (float("inf"), 1e300, None):
            self.assertEqual(self.engine.ask(WEATHER, "How many rows are there?", timeout=endless).answer, 1461)

    def test_an_event_callback_that_raises_cancels_and_is_raised(self):
        def angry(event):
            raise KeyError(event["phase"])
        with self.assertRaises(KeyError):
            self.engine.ask(WEATHER, "How many rows are there?", on_event=angry)

    def test_dropping_the_last_reference_ends_a_job(self):
        job = self.forever()
        ended = weakref.ref(job)
        del job
        gc.collect()
        self.assertIsNone(ended())

    def test_nothing_piles_up(self):
        self.engine.ask(WEATHER, "How many rows are there?")
        before = (len(_callbacks._entries), len(os.listdir("/proc/self/fd")))
        for _ in range(5):
            self.engine.ask(WEATHER, "How many rows are there?")
        gc.collect()
        self.assertEqual((len(_callbacks._entries), len(os.listdir("/proc/self/fd"))), before)


if __name__ == "__main__":
    unittest.main()
