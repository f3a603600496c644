#!/usr/bin/python3
"""One outer step of alignment written plainly in PyTorch: what rgu's is measured against.

16 prompts x 8 answers to learn from and as many to evaluate, scored by two models of random weights,
then PPO with a low-rank adapter: the same as bench_align_step, with the same JSON lines. What is not
plain here is what a careful author does: states that need no logits get none.

  OPENBLAS_CORETYPE=SkylakeX OMP_WAIT_POLICY=passive ppo_plain.py --steps 3

Name the kernel that the CPU has (SkylakeX: AVX-512, Haswell: AVX2): both programs must use the same BLAS.
"""

import argparse
import json
import resource
import time

import torch
import torch.nn.functional as F

import neox_plain

PROMPTS, ANSWERS = 16, 8
SAMPLED_AT_ONCE, SCORED_AT_ONCE = 128, 16
EPOCHS, RATE, CLIP, VALUE_CLIP, VALUE_WEIGHT, TRACE = 4, 1e-5, 0.2, 0.2, 0.1, 0.95
KL_COEFFICIENT, GRADIENT_CLIP, MULTIPLIER = 0.2, 1.0, 1.0
neox_plain.SHAPES["demo"] = (2, 64, 4)


def states_of(model, ids, past=None):
    """What the output head reads, (B, T, hidden), and the cache."""
    x = model.embed_in(ids)
    present = []
    for number, layer in enumerate(model.layers):
        x, kept = layer(x, None if past is None else past[number])
        present.append(kept)
    return model.final_layer_norm(x), present


class Scorer(torch.nn.Module):
    def __init__(self, size, positions):
        super().__init__()
        self.model = neox_plain.NeoX(size, positions)
        self.head = torch.nn.Linear(self.model.embed_in.embedding_dim, 1)
        self.model.embed_out = None

    @torch.no_grad()
    def scores(self, sequences):
        end = torch.zeros(len(sequences), 1, dtype=torch.long)
        ids = torch.cat((sequences, end), dim=1)
        parts = [self.head(states_of(self.model, part)[0][:, -1]) for part in ids.split(SCORED_AT_ONCE)]
        return torch.cat(parts).squeeze(1)


class AdapterOff:
    """The reference policy."""

    def __init__(self, model):
        self.attentions = [layer.attention for layer in model.layers]

    def __enter__(self):
        self.scaling = [attention.adapter for attention in self.attentions]
        for attention in self.attentions:
            attention.adapter = None

    def __exit__(self, *_):
        for attention, scaling in zip(self.attentions, self.scaling):
            attention.adapter = scaling


@torch.no_grad()
def sampled(model, prompts, answer_tokens):
    """Answers at temperature 1, none of which ends early."""
    made = []
    for ids in prompts.split(SAMPLED_AT_ONCE):
        states, past = states_of(model, ids)
        tokens = []
        for step in range(answer_tokens):
            logits = model.embed_out(states[:, -1])
            tokens.append(torch.multinomial(F.softmax(logits, dim=-1), 1))
            if step + 1 < answer_tokens:
                states, past = states_of(model, tokens[-1], past)
        made.append(torch.cat(tokens, dim=1))
    return torch.cat(made)


class Ppo:
    def __init__(self, arguments):
        self.arguments = arguments
        positions = arguments.prompt_tokens + arguments.answers_tokens
        self.model = neox_plain.NeoX(arguments.size, positions, rank=16)
        for layer in self.model.layers:
            torch.nn.init.zeros_(layer.attention.lora_b.weight)
        self.value_head = torch.nn.Linear(self.model.embed_in.embedding_dim, 1)
        torch.nn.init.zeros_(self.value_head.weight)
        torch.nn.init.zeros_(self.value_head.bias)
        self.trained = [p for p in self.model.parameters() if p.requires_grad]
        self.trained += list(self.value_head.parameters())
        self.optimizer = torch.optim.AdamW(self.trained, lr=RATE, weight_decay=0)

    def log_softmax(self, states):
        return F.log_softmax(self.model.embed_out(states), dim=-1)

    def answer_states(self, sequences):
        """The states that answer tokens were chosen in, (B, answer tokens, hidden)."""
        states, _ = states_of(self.model, sequences[:, :-1])
        return states[:, self.arguments.prompt_tokens - 1 :]

    def chosen(self, log_probabilities, sequences):
        targets = sequences[:, self.arguments.prompt_tokens :]
        return log_probabilities.gather(2, targets.unsqueeze(2)).squeeze(2)

    @torch.no_grad()
    def measured(self, sequences):
        """Log-probabilities, entropy, values and the reference's log-probabilities."""
        rows = []
        for part in sequences.split(self.arguments.minibatch):
            states = self.answer_states(part)
            own = self.log_softmax(states)
            entropy = -(own.exp() * own).sum(-1)
            with AdapterOff(self.model):
                reference = self.chosen(self.log_softmax(self.answer_states(part)), part)
            rows.append((self.chosen(own, part), entropy, self.value_head(states).squeeze(2), reference))
        return [torch.cat(column) for column in zip(*rows)]

    def advantages(self, scores, old, values, reference):
        rewards = -KL_COEFFICIENT * (old - reference)
        rewards[:, -1] += scores
        found = torch.zeros_like(rewards)
        last = next_value = torch.zeros(len(rewards))
        for t in reversed(range(rewards.shape[1])):
            last = rewards[:, t] + next_value - values[:, t] + TRACE * last
            next_value = values[:, t]
            found[:, t] = last
        whitened = (found - found.mean()) / (found.var() + 1e-8).sqrt()
        return whitened, found + values

    def loss(self, sequences, old, values, advantages, returns):
        states = self.answer_states(sequences)
        ratio = (self.chosen(self.log_softmax(states), sequences) - old).exp()
        policy = torch.max(-advantages * ratio, -advantages * ratio.clamp(1 - CLIP, 1 + CLIP)).mean()
        fresh = self.value_head(states).squeeze(2)
        near = torch.max(torch.min(fresh, values + VALUE_CLIP), values - VALUE_CLIP)
        value = 0.5 * torch.max((fresh - returns) ** 2, (near - returns) ** 2).mean()
        return policy + VALUE_WEIGHT * value

    def update(self, sequences, scores):
        old, entropy, values, reference = self.measured(sequences)
        advantages, returns = self.advantages(scores, old, values, reference)
        losses = []
        for _ in range(EPOCHS):
            for chosen in torch.randperm(len(sequences)).split(self.arguments.minibatch):
                self.optimizer.zero_grad(set_to_none=True)
                loss = self.loss(*(x[chosen] for x in (sequences, old, values, advantages, returns)))
                loss.backward()
                torch.nn.utils.clip_grad_norm_(self.trained, GRADIENT_CLIP)
                self.optimizer.step()
                losses.append(loss.item())
        return {"learned_tokens": old.numel(), "optimizer_steps": len(losses),
                "loss": sum(losses) / len(losses), "kl": (old - reference).sum(1).mean().item(),
                "entropy": entropy.mean().item()}


def one_step(ppo, scorers, prompts):
    begin = time.perf_counter()
    every = prompts.repeat_interleave(ANSWERS, dim=0)
    sequences = torch.cat((every, sampled(ppo.model, every, ppo.arguments.answers_tokens)), dim=1)
    seconds = {"sampling": time.perf_counter() - begin}
    begin = time.perf_counter()
    reward, cost = (scorer.scores(sequences) for scorer in scorers)
    seconds["scoring"] = time.perf_counter() - begin
    begin = time.perf_counter()
    mixed = (reward - MULTIPLIER * cost) / (1 + MULTIPLIER)
    learned = PROMPTS * ANSWERS
    numbers = ppo.update(sequences[:learned], mixed[:learned])
    seconds["update"] = time.perf_counter() - begin
    return {**seconds, "total": sum(seconds.values()), "sampled_answers": len(sequences), **numbers}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", choices=neox_plain.SHAPES, default="70m")
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--answers-tokens", type=int, default=64)
    parser.add_argument("--prompt-tokens", type=int, default=32)
    parser.add_argument("--minibatch", type=int, default=16)
    arguments = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(arguments.threads)
    if arguments.size == "demo":
        neox_plain.VOCABULARY = 768
    ppo = Ppo(arguments)
    positions = arguments.prompt_tokens + arguments.answers_tokens + 1
    scorers = [Scorer("demo" if arguments.size == "demo" else "14m", positions) for _ in range(2)]
    # Half to learn from, half to evaluate.
    prompts = torch.randint(1, neox_plain.VOCABULARY, (2 * PROMPTS, arguments.prompt_tokens))
    for step in range(arguments.steps):
        numbers = one_step(ppo, scorers, prompts)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps({"program": "pytorch " + torch.__version__, "size": arguments.size,
                          "threads": arguments.threads, "step": step, **numbers, "peak_mb": round(peak)}),
              flush=True)


if __name__ == "__main__":
    main()
