"""A disk that is full from the N-th write on: said with code 4, and nothing half written is taken for whole.

RGU_TEST_WRITES says how many of N = 1 .. 200 are tried (all at night).
"""

import unittest

from command_line import DESCENT
from fault_case import WRITES, FaultCase, failing_writes

ENOUGH = min(10, WRITES - 3)  # runs that must have met the full disk
RUN = [*DESCENT, "--seeds", 20, "--threads", 1, "--set", "output.checkpoint_seconds=0", "--set",
       "stopping.iterations=40", "-q"]


class FullDisk(FaultCase):
    def solve_starved(self, *further):
        return self.starved(["solve", *RUN, *further, "--out"], look=lambda name: self.rgu("show", name),
                            go_on=lambda name: self.rgu("resume", name, "-q", "--threads", "1"))

    def test_solving_goes_on_once_there_is_space(self):
        self.assertGreater(self.solve_starved(), ENOUGH)

    def test_solving_with_events_goes_on_once_there_is_space(self):
        self.assertGreater(self.solve_starved("--tensorboard"), ENOUGH)

    def test_a_run_that_is_gone_on_with_may_starve_too(self):
        self.rgu(*map(str, ["solve", *RUN, "--out", "whole"]))
        first = [*RUN, "--set", "stopping.iterations=20"]
        for number in failing_writes():
            name = f"full-{number}"
            self.rgu(*map(str, ["solve", *first, "--out", name]))
            further = ["--set", "stopping.iterations=40", "-q", "--threads", "1"]
            failed = self.run_on_full_disk(number, "resume", name, *further)
            self.rgu("resume", name, *further)
            self.assert_same_run("whole", name)
            if not failed:
                break

    def test_converting_leaves_no_half_of_a_model(self):
        for problem, name in (("inventory", "model.rgum"), ("inventory", "model.json"), ("inventory", "model.csv")):
            for number in failing_writes():
                failed = self.run_on_full_disk(number, "convert", problem, name, "--force")
                self.assertEqual([path.name for path in self.folder.iterdir()], [] if failed else [name])
                if not failed:
                    break
            self.assertGreater(number, 1)
            (self.folder / name).unlink()

    def test_what_was_there_stays_as_it_was(self):
        self.rgu("convert", "inventory", "model.json")
        before = (self.folder / "model.json").read_bytes()
        self.assertTrue(self.run_on_full_disk(1, "convert", "exploration", "model.json", "--force"))
        self.assertEqual((self.folder / "model.json").read_bytes(), before)


if __name__ == "__main__":
    unittest.main()
