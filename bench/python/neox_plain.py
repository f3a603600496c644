#!/usr/bin/env python3
"""GPT-NeoX written plainly in PyTorch: what rgu's decode path and training are measured against.

Random weights of a Pythia shape. Key-value cache by concatenation, softmax and multinomial to sample,
log_softmax over all logits for log-probabilities. Prints one JSON object a line.

  OPENBLAS_CORETYPE=SkylakeX OMP_WAIT_POLICY=passive neox_plain.py decode --batch 1,16,128
  OPENBLAS_CORETYPE=SkylakeX OMP_WAIT_POLICY=passive neox_plain.py train --batch 16 --tokens 64

Name the kernel that the CPU has (SkylakeX: AVX-512, Haswell: AVX2): both programs must use the same BLAS.
"""

import argparse
import json
import math
import statistics
import time

import torch
import torch.nn.functional as F

SHAPES = {  # layers, hidden, heads
    "14m": (6, 128, 4),
    "70m": (6, 512, 8),
    "160m": (12, 768, 12),
    "410m": (24, 1024, 16),
}
VOCABULARY = 50304


class Attention(torch.nn.Module):
    def __init__(self, hidden, heads, positions, rank):
        super().__init__()
        self.heads, self.size = heads, hidden // heads
        self.rotary = self.size // 4
        self.query_key_value = torch.nn.Linear(hidden, 3 * hidden)
        self.dense = torch.nn.Linear(hidden, hidden)
        self.adapter = None
        if rank:
            self.lora_a = torch.nn.Linear(hidden, rank, bias=False)
            self.lora_b = torch.nn.Linear(rank, 3 * hidden, bias=False)
            self.adapter = 2.0
        frequencies = 10000 ** (-torch.arange(0, self.rotary, 2).float() / self.rotary)
        angles = torch.outer(torch.arange(positions).float(), frequencies)
        angles = torch.cat((angles, angles), dim=-1)
        self.register_buffer("cos", angles.cos())
        self.register_buffer("sin", angles.sin())
        mask = torch.ones(positions, positions, dtype=torch.bool).tril()
        self.register_buffer("mask", mask)

    def rotate(self, x, begin):
        turned, rest = x[..., : self.rotary], x[..., self.rotary :]
        end = begin + x.shape[-2]
        half = self.rotary // 2
        swapped = torch.cat((-turned[..., half:], turned[..., :half]), dim=-1)
        turned = turned * self.cos[begin:end] + swapped * self.sin[begin:end]
        return torch.cat((turned, rest), dim=-1)

    def forward(self, x, past):
        batch, tokens, hidden = x.shape
        mixed = self.query_key_value(x)
        if self.adapter:
            mixed = mixed + self.adapter * self.lora_b(self.lora_a(x))
        mixed = mixed.view(batch, tokens, self.heads, 3 * self.size).permute(0, 2, 1, 3)
        query, key, value = mixed.chunk(3, dim=-1)
        begin = 0 if past is None else past[0].shape[-2]
        query, key = self.rotate(query, begin), self.rotate(key, begin)
        if past is not None:
            key = torch.cat((past[0], key), dim=-2)
            value = torch.cat((past[1], value), dim=-2)
        scores = torch.matmul(query, key.transpose(-1, -2)) / math.sqrt(self.size)
        mask = self.mask[begin : begin + tokens, : begin + tokens]
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        context = torch.matmul(F.softmax(scores, dim=-1), value)
        context = context.permute(0, 2, 1, 3).reshape(batch, tokens, hidden)
        return self.dense(context), (key, value)


class Layer(torch.nn.Module):
    def __init__(self, hidden, heads, positions, rank):
        super().__init__()
        self.input_layernorm = torch.nn.LayerNorm(hidden)
        self.post_attention_layernorm = torch.nn.LayerNorm(hidden)
        self.attention = Attention(hidden, heads, positions, rank)
        self.h_to_4h = torch.nn.Linear(hidden, 4 * hidden)
        self.h_from_4h = torch.nn.Linear(4 * hidden, hidden)

    def forward(self, x, past):
        attended, present = self.attention(self.input_layernorm(x), past)
        fed = self.h_from_4h(F.gelu(self.h_to_4h(self.post_attention_layernorm(x))))
        return x + attended + fed, present


class NeoX(torch.nn.Module):
    def __init__(self, shape, positions, rank=0):
        super().__init__()
        layers, hidden, heads = SHAPES[shape]
        self.embed_in = torch.nn.Embedding(VOCABULARY, hidden)
        self.layers = torch.nn.ModuleList(Layer(hidden, heads, positions, rank) for _ in range(layers))
        self.final_layer_norm = torch.nn.LayerNorm(hidden)
        self.embed_out = torch.nn.Linear(hidden, VOCABULARY, bias=False)
        for name, parameter in self.named_parameters():
            if parameter.dim() == 2:
                torch.nn.init.normal_(parameter, std=0.02)
            if rank:
                parameter.requires_grad_("lora" in name)

    def forward(self, ids, past=None):
        x = self.embed_in(ids)
        present = []
        for number, layer in enumerate(self.layers):
            x, kept = layer(x, None if past is None else past[number])
            present.append(kept)
        return self.embed_out(self.final_layer_norm(x)), present


def report(arguments, seconds, made, **more):
    rates = [made / s for s in seconds]
    print(json.dumps({
        "program": "pytorch " + torch.__version__, "mode": arguments.mode, "shape": arguments.shape,
        "threads": arguments.threads, **more,
        "tokens_per_second_best": max(rates), "tokens_per_second_median": statistics.median(rates)}),
        flush=True)


@torch.no_grad()
def decode(model, batch, arguments):
    ids = torch.randint(VOCABULARY, (batch, arguments.prompt))
    logits, past = model(ids)
    log_probabilities = []
    begin = time.perf_counter()
    for _ in range(arguments.new):
        logits = logits[:, -1]
        token = torch.multinomial(F.softmax(logits, dim=-1), 1)
        log_probabilities.append(F.log_softmax(logits, dim=-1).gather(1, token))
        logits, past = model(token, past)
    return time.perf_counter() - begin


def run_decode(arguments):
    model = NeoX(arguments.shape, arguments.prompt + arguments.new)
    for batch in arguments.batch:
        seconds = [decode(model, batch, arguments) for _ in range(arguments.repeat + 1)][1:]
        report(arguments, seconds, batch * arguments.new, batch=batch, prompt=arguments.prompt,
               new=arguments.new)


def run_train(arguments):
    model = NeoX(arguments.shape, arguments.tokens, rank=arguments.rank)
    half = arguments.tokens // 2
    for batch in arguments.batch:
        ids = torch.randint(VOCABULARY, (batch, arguments.tokens + 1))
        mask = torch.zeros(batch, arguments.tokens)
        mask[:, half:] = 1
        seconds = []
        for _ in range(arguments.repeat + 1):
            begin = time.perf_counter()
            model.zero_grad(set_to_none=True)
            logits, _ = model(ids[:, :-1])
            chosen = F.log_softmax(logits, dim=-1).gather(2, ids[:, 1:].unsqueeze(2)).squeeze(2)
            loss = -(chosen * mask).sum() / mask.sum()
            loss.backward()
            seconds.append(time.perf_counter() - begin)
        report(arguments, seconds[1:], batch * arguments.tokens, batch=batch, tokens=arguments.tokens,
               rank=arguments.rank)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("mode", choices=["decode", "train"])
    parser.add_argument("--shape", choices=SHAPES, default="70m")
    parser.add_argument("--batch", type=lambda text: [int(part) for part in text.split(",")], default=[16])
    parser.add_argument("--prompt", type=int, default=32, help="tokens of the prompt (decode)")
    parser.add_argument("--new", type=int, default=64, help="new tokens (decode)")
    parser.add_argument("--tokens", type=int, default=64, help="tokens of a sequence (train)")
    parser.add_argument("--rank", type=int, default=16, help="of the adapters (train)")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=5)
    arguments = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(arguments.threads)
    {"decode": run_decode, "train": run_train}[arguments.mode](arguments)


if __name__ == "__main__":
    main()
