"""`rgu align` where LibTorch was left out: it says so."""

import unittest

from command_line import CommandLineTest


class Absent(CommandLineTest):
    def test_it_says_what_is_missing_and_how_to_have_it(self):
        for arguments in ([], ["demo"], ["resume", "run"], ["--model", "m", "--reward", "r", "--data", "d"]):
            self.refused("align", *arguments, says=["rgu align: ", "no LibTorch", "-DRGU_TORCH=ON"])
            self.assertEqual(list(self.folder.iterdir()), [])

    def test_help_says_it_too(self):
        self.assertIn("needs LibTorch", self.rgu("align", "--help").stdout)


if __name__ == "__main__":
    unittest.main()
