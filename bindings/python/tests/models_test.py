#!/usr/bin/env python3
"""Models of the host: what they are told, and what comes of what they say."""

import gc
import threading
import unittest
import unittest.mock
import weakref

from support import WEATHER

import conclave


class Models(unittest.TestCase):
    QUESTION = "How many days had rain?"

    @staticmethod
    def reply(request):
        code = {"sql": "SELECT count(*) FROM seattle_weather WHERE weather = 'rain'",
                "python": "result = int((load()['weather'] == 'rain').sum())"}[request.language]
        return f'```json\n{{"reading": "Days with rain", "assumptions": []}}\n```\n```{request.language}\n{code}\n```'

    def test_a_second_author_joins_the_panel(self):
        with conclave.Engine() as engine:
            engine.add_model("local-7b", self.reply, family="local")
            insight = engine.ask(WEATHER, self.QUESTION)
        self.assertEqual(insight.answer, 641)
        self.assertEqual({voice.lineage for voice in insight.voices if voice.counts}, {"offline", "local"})

    def test_a_name_is_given_once(self):
        with conclave.Engine() as engine:
            engine.add_model("local-7b", self.reply)
            with self.assertRaises(conclave.AlreadyExists) as caught:
                engine.add_model("local-7b", self.reply)
            self.assertEqual(caught.exception.code, "ALREADY_EXISTS")

    def test_what_a_model_raises_is_its_reason(self):
        def broken(_):
            raise RuntimeError("no credits left")
        with conclave.Engine() as engine:
            engine.add_model("broken", broken)
            insight = engine.ask(WEATHER, self.QUESTION)
        self.assertEqual(insight.answer, 641)
        self.assertEqual(sum("no credits left" in voice.why_not for voice in insight.voices), 2)

    def test_an_exception_without_words_is_a_reason_as_well(self):
        class Speechless(Exception):
            def __str__(self):
                raise ValueError("no words")

        def broken(_):
            raise Speechless()
        with conclave.Engine() as engine:
            engine.add_model("broken", broken)
            voices = engine.ask(WEATHER, self.QUESTION).voices
        self.assertEqual(sum("Speechless: (its message could not be written)" in voice.why_not for voice in voices), 2)

    def test_a_process_that_may_have_no_more_threads_is_a_reason(self):
        start = threading.Thread.start

        def refuse(thread):
            if thread.name == "conclave-model":
                raise RuntimeError("can't start new thread")
            start(thread)
        with conclave.Engine() as engine, unittest.mock.patch.object(threading.Thread, "start", refuse):
            engine.add_model("local-7b", self.reply)
            voices = engine.ask(WEATHER, self.QUESTION).voices
        self.assertEqual(sum("can't start new thread" in voice.why_not for voice in voices), 2)

    def test_a_model_is_told_the_rules_the_tables_and_the_language(self):
        requests = []

        def model(request):
            requests.append(request)
            return {"text": "Let me see \ud83d\n" + self.reply(request), "model": "local-7b-q4", "truncated": False}
        with conclave.Engine() as engine:
            engine.add_model("local-7b", model)
            self.assertEqual([voice.counts for voice in engine.ask(WEATHER, self.QUESTION).voices], [True] * 4)
        self.assertEqual({request.language for request in requests}, {"sql", "python"})
        for request in requests:
            self.assertIn(f"tagged {request.language}", request.instructions)
            self.assertIn("fenced blocks", request.instructions)
            for part in (self.QUESTION, "seattle_weather", "precipitation"):
                self.assertIn(part, request.prompt)
            self.assertGreater(request["deadline_ms"], 0)

    def test_a_model_may_decline(self):
        with conclave.Engine() as engine:
            engine.add_model("shy", lambda _: '```json\n{"reading": "?", "decline": "no such column"}\n```')
            insight = engine.ask(WEATHER, self.QUESTION)
        self.assertEqual(sum("no such column" in voice.why_not for voice in insight.voices), 2)

    def test_what_a_model_returns_that_is_no_reply_is_its_reason(self):
        async def waits(_):
            return ""
        for function, reason in ((lambda _: None, "returned None: a reply is the text of the completion as str, or a mapping"),
                                 (lambda _: 7, "returned int 7: a reply is the text"),
                                 (lambda _: b"SELECT 1", "returned bytes b'SELECT 1': a reply is the text"),
                                 (lambda _: [{"text": "x"}], "returned list [{'text': 'x'}]: a reply is the text"),
                                 (lambda _: {"text": {1, 2}}, "set is not JSON"), (lambda _: waits(_), "is async")):
            with conclave.Engine() as engine:
                engine.add_model("odd", function)
                insight = engine.ask(WEATHER, self.QUESTION)
            self.assertEqual([reason in voice.why_not for voice in insight.voices], [False, False, True, True], insight.voices)

    def test_what_is_no_function_is_no_model(self):
        async def waits(_):
            return ""
        with conclave.Engine() as engine:
            for wrong in (waits, "gpt", None):
                with self.assertRaisesRegex(TypeError, "function: .* is no function that returns the text"):
                    engine.add_model("odd", wrong)

    def test_a_model_that_says_nonsense_has_no_vote(self):
        for nonsense in ("", "I cannot help with that.", {"text": 7}, {"words": "x"}, "```sql\nDROP TABLE x\n```" * 2):
            with conclave.Engine() as engine:
                engine.add_model("odd", lambda _, said=nonsense: said)
                insight = engine.ask(WEATHER, self.QUESTION)
            self.assertEqual(insight.answer, 641, nonsense)
            self.assertEqual([voice.counts for voice in insight.voices], [True, True, False, False], nonsense)

    def test_the_function_may_be_dropped_and_is_freed_with_the_engine(self):
        class Model:
            def __call__(self, request):
                return Models.reply(request)
        model = Model()
        alive = weakref.ref(model)
        engine = conclave.Engine()
        engine.add_model("short-lived", model)
        del model
        gc.collect()
        self.assertEqual(engine.ask(WEATHER, self.QUESTION).answer, 641)
        engine.close()
        gc.collect()
        self.assertIsNone(alive())


if __name__ == "__main__":
    unittest.main()
