"""Reads an adapter folder as the Python ecosystem does, without any code of this project: adapter_test.cpp
writes the folder and runs this. Exit status 77: there is no NumPy."""
import json
import pathlib
import struct
import sys

try:
    import numpy
except ImportError:
    print("skipped, because there is no NumPy")
    sys.exit(77)

HIDDEN, LAYERS, RANK = 16, 2, 3
MODULES = [("attention.query_key_value", 3 * HIDDEN), ("attention.dense", HIDDEN)]


def tensors_of(path):
    data = path.read_bytes()
    (size,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + size])
    assert header.pop("__metadata__") == {"format": "pt"}
    body = data[8 + size:]
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        assert entry["dtype"] == "F32"
        tensors[name] = numpy.frombuffer(body[begin:end], dtype="<f4").reshape(entry["shape"])
    covered = sorted(entry["data_offsets"] for entry in header.values())
    assert covered[0][0] == 0 and covered[-1][1] == len(body)
    assert all(first[1] == second[0] for first, second in zip(covered, covered[1:]))
    return tensors


def pattern(shape, tensor):
    count = int(numpy.prod(shape))
    return (((7 * numpy.arange(count) + 3 * tensor) % 13 - 6) / 8).astype("f4").reshape(shape)


def expected_tensors():
    expected = {}
    for layer in range(LAYERS):
        for module, out in MODULES:
            stem = f"base_model.model.gpt_neox.layers.{layer}.{module}"
            expected[stem + ".lora_A.weight"] = pattern((RANK, HIDDEN), len(expected))
            expected[stem + ".lora_B.weight"] = pattern((out, RANK), len(expected))
    expected["base_model.model.score_head.weight"] = pattern((1, HIDDEN), 100)
    expected["base_model.model.score_head.bias"] = numpy.array([0.5], dtype="f4")
    return expected


def check_config(config):
    # The fields of LoraConfig in PEFT 0.7.1; any other would be refused there.
    known = {"peft_type", "auto_mapping", "base_model_name_or_path", "revision", "task_type", "inference_mode", "r",
             "target_modules", "lora_alpha", "lora_dropout", "fan_in_fan_out", "bias", "modules_to_save",
             "init_lora_weights", "layers_to_transform", "layers_pattern", "rank_pattern", "alpha_pattern",
             "megatron_config", "megatron_core", "loftq_config"}
    assert set(config) <= known, set(config) - known
    assert config["peft_type"] == "LORA" and config["task_type"] == "CAUSAL_LM"
    assert config["r"] == RANK and type(config["r"]) is int
    assert config["lora_alpha"] == 6 and type(config["lora_alpha"]) is int
    assert config["lora_dropout"] == 0 and config["bias"] == "none"
    assert config["target_modules"] == ["query_key_value", "dense"]
    assert config["modules_to_save"] == ["score_head"]
    assert config["base_model_name_or_path"] == "some/model"
    assert config["fan_in_fan_out"] is False
    assert config["inference_mode"] is True and config["init_lora_weights"] is True
    assert config["rank_pattern"] == {} and config["alpha_pattern"] == {}
    assert config["layers_to_transform"] is None


def main():
    folder = pathlib.Path(sys.argv[1])
    check_config(json.loads((folder / "adapter_config.json").read_text(encoding="utf-8")))
    tensors = tensors_of(folder / "adapter_model.safetensors")
    expected = expected_tensors()
    assert set(tensors) == set(expected), set(tensors) ^ set(expected)
    for name, values in expected.items():
        assert tensors[name].shape == values.shape, name
        assert (tensors[name] == values).all(), name


if __name__ == "__main__":
    main()
