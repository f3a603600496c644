"""Every method against its golden runs."""

import json
import unittest

from golden import CASES, TOLERANCE, TOLERANCES, differences, expected_file, run


class GoldenRuns(unittest.TestCase):
    def test_every_method_does_what_it_did(self):
        for name in CASES:
            with self.subTest(name):
                expected = json.loads(expected_file(name).read_text())
                found = list(differences(expected, run(name), TOLERANCES.get(name, TOLERANCE)))
                self.assertEqual(found[:5], [], f"{len(found)} numbers differ; tests/golden/update, if that is meant")

    def test_there_is_no_golden_run_without_a_case(self):
        kept = {path.stem for path in expected_file("x").parent.glob("*.json")}
        self.assertEqual(kept, set(CASES))

    def test_a_number_beyond_the_tolerance_is_found(self):
        self.assertEqual(list(differences({"a": [1.0]}, {"a": [1.0 + 1e-12]})), [])
        self.assertEqual(list(differences({"a": [1.0]}, {"a": [1.0 + 1e-8]})), [".a[0] is 1.00000001, was 1.0"])
        self.assertEqual(len(list(differences({"a": 1, "b": "x"}, {"b": "y", "c": 1}))), 3)


if __name__ == "__main__":
    unittest.main()
