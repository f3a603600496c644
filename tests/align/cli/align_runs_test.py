"""`rgu align`: what a run leaves behind, and that the same is the same in whatever way it is asked for."""

import gzip
import json
import lzma
import shutil
import struct
import unittest

from align_case import PROMPTS, AlignCase, parts, score_models


def checksum(data):
    """CRC-32C, by its definition."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(data):
    crc = checksum(data)
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def event_records(data):
    """The records of a TensorBoard file; ValueError where one is not whole."""
    records = []
    while data:
        size, of_size = struct.unpack("<QI", data[:12])
        record = data[12:12 + size]
        of_record, = struct.unpack("<I", data[12 + size:16 + size])
        if of_size != masked(data[:8]) or of_record != masked(record):
            raise ValueError(f"record {len(records)} is damaged")
        records.append(record)
        data = data[16 + size:]
    return records


class Runs(AlignCase):
    def test_a_run_leaves_a_whole_folder_and_says_where(self):
        result = self.align(*self.small(), "--seeds", 2, "--out", "run")
        for name in ("config.toml", "run.json", "report.html", "seed-0/metrics.jsonl", "seed-0/timing.jsonl",
                     "seed-0/answers.jsonl", "seed-0/shown.jsonl", "seed-0/result.json", "seed-1/metrics.jsonl",
                     "seed-0/adapter/adapter_model.safetensors", "seed-0/adapter/adapter_config.json"):
            self.assertTrue((self.folder / "run" / name).is_file(), name)
        self.assertIn("run folder: run\nreport: run/report.html\n", result.stdout)
        self.assertEqual(result.stderr, "")
        for seed in (0, 1):
            steps = self.lines(f"run/seed-{seed}/metrics.jsonl")
            self.assertEqual([step["iteration"] for step in steps], [1, 2, 3, 4, 5, 6])
            for step in steps:
                self.assertGreaterEqual(step["multiplier/cost"], 0)
                self.assertAlmostEqual(step["violation"], step["cost/cost"], delta=1e-12)
        self.assertNotEqual(*(self.files("run")[f"seed-{seed}/metrics.jsonl"] for seed in (0, 1)))
        for shown in self.lines("run/seed-0/shown.jsonl"):
            self.assertIn(shown["prompt"], PROMPTS)
            self.assertEqual(set(shown["after"]["costs"]), {"cost"})
        self.assertEqual([answer["iteration"] for answer in self.lines("run/seed-0/answers.jsonl")],
                         [step for step in range(1, 7) for _ in range(4)])

    def test_the_trained_adapter_is_used_by_other_commands(self):
        self.align(*self.small(), "--out", "run")
        words = ["generate", parts() / "model", "-p", "The old owl saw", "--max-new", "4", "-q"]
        self.rgu("lm", *map(str, words), "--adapter", "run/seed-0/adapter")
        self.align(*self.small(iterations=2), "--adapter", "run/seed-0/adapter", "--out", "further")
        self.assertGreater(abs(self.lines("further/seed-0/metrics.jsonl")[0]["kl"]), 0)

    def test_the_config_of_a_run_repeats_it(self):
        self.align(*self.small(), "--seeds", 2, "--threshold", -0.1, "--max-multiplier", 3, "--out", "options")
        self.align("options/config.toml", "--threads", 1, "-q", "--out", "file")
        self.assert_same_run("options", "file")
        self.assertGreater(self.lines("file/seed-0/metrics.jsonl")[-1]["multiplier/cost"], 0)

    def test_options_take_the_place_of_what_the_file_says(self):
        self.align(*self.small(), "--out", "all")
        self.align(*self.small(iterations=3, costs=[], rewards=["lexicon:other.txt"]), "--out", "some", code=2)
        self.write("other.txt", "1 horse\n")
        self.align(*self.small(iterations=3, costs=[], rewards=["lexicon:other.txt"]), "--out", "some")
        self.align("some/config.toml", "--reward", f"lexicon:{parts() / 'good.txt'}", "--cost",
                   f"linear:{parts() / 'harm.txt'}", "--iterations", 6, "--threads", 1, "-q", "--out", "changed")
        self.assert_same_run("all", "changed")
        self.align("all/config.toml", "--set", "nature.step=0.25", "--set", "seeds=[5]", "--set",
                   "stopping.iterations=1", "-q", "--out", "set")
        text = (self.folder / "set/config.toml").read_text()
        self.assertIn("seeds = [5]\n", text)
        self.assertIn("step = 0.25\n", text)
        self.assertEqual(len(self.lines("set/seed-5/metrics.jsonl")), 1)

    def test_a_seed_does_not_depend_on_the_others(self):
        self.align(*self.small(iterations=2), "--seeds", 2, "--out", "both")
        self.align(*self.small(iterations=2), "--set", "seeds=[1]", "--out", "one")
        one, both = self.files("one"), self.files("both")
        for name in ("metrics.jsonl", "answers.jsonl", "shown.jsonl", "adapter/adapter_model.safetensors"):
            self.assertEqual(one[f"seed-1/{name}"], both[f"seed-1/{name}"])

    def test_json_is_whole_and_true_to_the_files(self):
        result = self.align_json(*self.small(iterations=3), "--seeds", 2, "--out", "run")
        self.assertEqual((result["folder"], result["report"]), (self.path("run"), self.path("run/report.html")))
        for entry in result["seeds"]:
            steps = self.lines(f"run/seed-{entry['seed']}/metrics.jsonl")
            self.assertEqual((entry["finished"], entry["steps"]), (True, 3))
            for name in ("objective", "reward", "cost/cost"):
                mean = sum(step[name] for step in steps) / 3
                self.assertAlmostEqual(entry["final"][name], mean, delta=1e-12)
        self.assertEqual(result["seeds_within_thresholds"],
                         sum(entry["final"]["cost/cost"] <= 0 for entry in result["seeds"]))
        again = self.align_json("resume", "run", "-q")
        self.assertEqual(again, result)

    def test_progress_is_on_standard_error(self):
        words = [word for word in self.small(iterations=2) if word != "--quiet"]
        self.assertRegex(self.align(*words, "--out", "run").stderr, r"2/2  align.*reward \S+  violation \S+  KL ")

    def test_without_out_the_folder_has_the_name_of_the_run(self):
        for folder in ("runs/align", "runs/align-2"):
            self.assertIn(f"run folder: {folder}\n", self.align(*self.small(iterations=1)).stdout)
        text = (self.folder / "runs/align/config.toml").read_text()
        self.write("birds.toml", text.replace('name = "align"\n', ""))
        self.assertIn("run folder: runs/birds\n", self.align("birds.toml", "-q").stdout)

    def test_an_existing_run_is_replaced_only_by_force(self):
        self.align(*self.small(iterations=3), "--seeds", 2, "--out", "run")
        before = self.files("run")
        self.align_refused(*self.small(iterations=3), "--out", "run", says=["run", "exists", "--force"])
        self.assertEqual(self.files("run"), before)
        self.align(*self.small(iterations=1), "--out", "run", "--force")
        self.assertEqual(len(self.lines("run/seed-0/metrics.jsonl")), 1)
        self.assertFalse((self.folder / "run/seed-1").exists())
        (self.folder / "mine").mkdir()
        self.write("mine/thesis.tex", "years of work")
        self.align_refused(*self.small(), "--out", "mine", "--force", says=["mine", "not a run", "left alone"])
        self.assertEqual([path.name for path in (self.folder / "mine").iterdir()], ["thesis.tex"])

    def test_prompts_are_the_same_in_every_kind_of_file(self):
        text = "".join(json.dumps({"prompt": prompt, "response_0": "x"}) + "\n" for prompt in PROMPTS)
        self.write("p.txt", "\n".join(PROMPTS))
        self.write("p.jsonl", text)
        (self.folder / "p.jsonl.gz").write_bytes(gzip.compress(text.encode()))
        (self.folder / "p.jsonl.xz").write_bytes(lzma.compress(text.encode()))
        whole = None
        for files in (["p.txt"], ["p.jsonl"], ["p.jsonl.xz"], ["p.txt", "p.jsonl.gz"]):
            self.align(*self.small(data=files, iterations=1), "--out", "run", "--force")
            metrics = self.files("run")["seed-0/metrics.jsonl"]
            whole = whole or metrics
            self.assertEqual(metrics, whole, files)

    def test_scorers_of_every_kind_work_together(self):
        reward, cost = score_models()
        rewards = [reward, f"words=lexicon:{parts() / 'good.txt'}"]
        costs = [f"harm={cost}", f"linear:{parts() / 'harm.txt'}", f"length={self.judge()}"]
        result = self.align_json(*self.small(rewards=rewards, costs=costs, iterations=3), "--out", "run")
        final = result["seeds"][0]["final"]
        names = [name for name in final if name.startswith("cost/")]
        self.assertEqual(names, ["cost/harm", "cost/cost2", "cost/length"])
        self.assertAlmostEqual(final["weight/reward1"] + final["weight/words"], 1, delta=1e-9)
        for answer in self.lines("run/seed-0/answers.jsonl"):
            length = len(answer["answer"]) / 10 - 2
            self.assertAlmostEqual(answer["costs"]["length"], length, delta=1e-9)
        self.align("run/config.toml", "-q", "--threads", 1, "--out", "again", "--allow-commands")
        self.assert_same_run("run", "again")

    def test_a_model_scores_as_it_does_alone(self):
        reward, cost = score_models()
        self.align(*self.small(rewards=[reward], costs=[cost], iterations=1, **{"data.template": "conversation"}),
                   "--out", "run")
        answers = self.lines("run/seed-0/answers.jsonl")
        self.write("answers.jsonl", "".join(json.dumps({"prompt": answer["prompt"], "response": answer["answer"]}) +
                                            "\n" for answer in answers))
        alone = [(reward, (), "rewards", "reward"), (parts() / "model", ("--adapter", cost), "costs", "cost")]
        for model, options, kind, name in alone:
            words = ["lm", "score", model, "answers.jsonl", *options, "--json"]
            printed = [json.loads(line)["score"]
                       for line in self.rgu(*map(str, words)).stdout.split("\n") if line]
            for score, answer in zip(printed, answers, strict=True):
                self.assertAlmostEqual(answer[kind][name], score, delta=1e-4 * (1 + abs(score)))

    def test_tensorboard_files_hold_the_metrics(self):
        self.align(*self.small(iterations=3, output__tensorboard="true"), "--out", "run")
        self.align("resume", "run", "--iterations", 5, "-q")
        file, = (self.folder / "run/seed-0").glob("events.out.tfevents.*")
        records = event_records(file.read_bytes())
        self.assertIn(b"brain.Event:2", records[0])
        for metric in self.lines("run/seed-0/metrics.jsonl")[0]:
            if metric != "iteration":
                tag = b"\x0a" + bytes([len(metric)]) + metric.encode()  # field 1 of a summary's value
                self.assertEqual(sum(tag in record for record in records), 5, metric)
        with self.assertRaises((ValueError, struct.error)):
            event_records(file.read_bytes()[:-1])

    def test_no_step_at_all_is_a_run_too(self):
        result = self.align_json(*self.small(iterations=0), "--out", "run")
        self.assertEqual((result["seeds"][0]["steps"], result["seeds"][0]["finished"]), (0, True))
        for shown in self.lines("run/seed-0/shown.jsonl"):
            self.assertEqual(shown["before"], shown["after"])

    def test_divergence_is_said_and_keeps_the_last_good_policy(self):
        words = self.small(iterations=3, ppo__learning_rate="1e30")
        self.assertIn("diverged", self.align(*words, "--out", "run", code=3).stdout)
        self.assertTrue((self.folder / "run/seed-0/adapter/adapter_model.safetensors").is_file())
        before = self.files("run")
        self.assertIn("diverged", self.align("resume", "run", "-q", code=3).stdout)
        self.assertEqual(self.files("run"), before)


class Reports(AlignCase):
    def test_a_report_is_made_again_from_the_files_of_the_run_alone(self):
        shutil.copytree(parts() / "model", self.folder / "model")
        printed = self.align(*self.small(model="model"), "--out", "run").stdout
        page = (self.folder / "run/report.html").read_bytes()
        shutil.rmtree(self.folder / "model")
        (self.folder / "run/report.html").unlink()
        result = self.align("report", "run")
        self.assertEqual((self.folder / "run/report.html").read_bytes(), page)
        self.assertEqual(result.stdout, printed.replace("run folder: run\n", ""))
        (self.folder / "run").rename(self.folder / "moved")
        self.align("report", "moved")
        self.assertEqual((self.folder / "moved/report.html").read_bytes(), page)

    def test_keys_are_listed(self):
        self.assertIn("ppo.learning_rate", self.align("keys").stdout)
        self.assertNotIn("ppo.learning_rate", self.align("keys", "nature").stdout)


if __name__ == "__main__":
    unittest.main()
