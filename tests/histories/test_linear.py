#!/usr/bin/env python3
"""The checker finds what cannot be, and takes what can."""
import math
import unittest

import spec
from linear import Call, linearize


def history(*rows):
    """Calls of (begin, end, op, args, answer)."""
    calls = []
    for begin, end, op, args, answer in rows:
        call = Call(op, args, begin)
        if answer is not None:
            call.done(answer, end)
        calls.append(call)
    return calls


class Linear(unittest.TestCase):
    def fits(self, *rows):
        return linearize(history(*rows), spec.NO_NAME, spec.name) is not None

    def test_one_after_the_other(self):
        self.assertTrue(self.fits((0, 1, "put", ("a",), ("moved", None, 1)), (2, 3, "read", (), ("is", "a", None, 1)),
                                  (4, 5, "remove", (), ("removed", "a")), (6, 7, "read", (), ("not_found",)),
                                  (8, 9, "restore", (), ("restored", "a")), (10, 11, "read", (), ("is", "a", None, 1))))

    def test_an_acknowledged_write_that_is_lost(self):
        self.assertFalse(self.fits((0, 1, "put", ("a",), ("moved", None, 1)), (2, 3, "read", (), ("not_found",))))

    def test_an_old_value_is_read(self):
        self.assertFalse(self.fits((0, 1, "put", ("a",), ("moved", None, 1)), (2, 3, "put", ("b",), ("moved", "a", 2)),
                                   (4, 5, "read", (), ("is", "a", None, 1))))

    def test_calls_that_overlap_have_either_order(self):
        both = ((0, 5, "put", ("a",), ("moved", "b", 2)), (1, 4, "put", ("b",), ("moved", None, 1)))
        self.assertTrue(self.fits(*both, (6, 7, "read", (), ("is", "a", None, 2))))
        self.assertFalse(self.fits(*both, (6, 7, "read", (), ("is", "b", None, 2))))

    def test_two_win_one_exchange(self):
        self.assertFalse(self.fits((0, 1, "put", ("a",), ("moved", None, 1)), (2, 9, "swap", ("a", "b"), ("moved", "a", 2)),
                                   (3, 8, "swap", ("a", "c"), ("moved", "a", 2))))

    def test_a_lost_answer_happened_or_not(self):
        lost = (0, math.inf, "put", ("a",), None)
        self.assertTrue(self.fits(lost, (2, 3, "read", (), ("not_found",))))
        self.assertTrue(self.fits(lost, (2, 3, "read", (), ("not_found",)), (4, 5, "read", (), ("is", "a", None, 1))))
        self.assertFalse(self.fits(lost, (2, 3, "read", (), ("is", "a", None, 1)), (4, 5, "read", (), ("not_found",))))

    def test_tokens(self):
        rows = ((0, 1, "make", (), ("made",)), (2, 3, "revoke", (), ("revoked",)), (4, 5, "see", (), ("is", True)))
        self.assertIsNone(linearize(history(*rows), False, spec.token))
        self.assertIsNotNone(linearize(history(*rows[:2]), False, spec.token))


if __name__ == "__main__":
    unittest.main()
