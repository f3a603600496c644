"""Philox4x32-10 [Salmon2011] in Python's integers, and the draws made from its words."""

import math
from fractions import Fraction

import fixture

MASK32 = 0xFFFFFFFF
MASK64 = 0xFFFFFFFFFFFFFFFF

# Published with Random123: counter, key, result, all in hexadecimal words.
KNOWN_ANSWERS = [
    ("00000000 00000000 00000000 00000000", "00000000 00000000",
     "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff",
     "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0",
     "d16cfe09 94fdcceb 5001e420 24126ea1"),
]


def philox(counter, key):
    """Ten rounds of multiplying, swapping halves and mixing in a key that changes each round."""
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(10):
        p0 = 0xD2511F53 * c0
        p1 = 0xCD9E8D57 * c2
        c0, c1, c2, c3 = (p1 >> 32) ^ c1 ^ k0, p1 & MASK32, (p0 >> 32) ^ c3 ^ k1, p0 & MASK32
        k0 = (k0 + 0x9E3779B9) & MASK32
        k1 = (k1 + 0xBB67AE85) & MASK32
    return [c0, c1, c2, c3]


def check_known_answers():
    for counter, key, answer in KNOWN_ANSWERS:
        words = [[int(word, 16) for word in part.split()] for part in (counter, key, answer)]
        assert philox(words[0], words[1]) == words[2], counter


def block(seed, stream, trajectory, counter):
    """Two words of 64 bits: key = seed, counter words = (counter, trajectory, stream)."""
    words = philox([counter, trajectory, stream & MASK32, stream >> 32],
                   [seed & MASK32, seed >> 32])
    return [words[0] | words[1] << 32, words[2] | words[3] << 32]


class Stream:
    """Draws from one stream, word after word; the block number takes the place of the counter."""

    def __init__(self, seed, stream, position=0):
        self.seed, self.stream, self.position = seed, stream, position

    def bits(self):
        number, half = divmod(self.position, 2)
        self.position += 1
        return block(self.seed, self.stream, number >> 32, number & MASK32)[half]

    def uniform(self):
        return Fraction(self.bits() >> 11, 1 << 53)

    def below(self, bound):
        """Lemire's method [Lemire2019]."""
        while True:
            high, low = divmod(self.bits() * bound, MASK64 + 1)
            if low >= (MASK64 + 1 - bound) % bound:
                return high

    def exponential(self):
        return -math.log1p(-float(self.uniform()))

    def normal(self):
        """Box-Muller [BoxMuller1958]: the radius first, then the angle."""
        radius = math.sqrt(2 * self.exponential())
        return radius * math.cos(2 * math.pi * float(self.uniform()))


def blocks():
    places = [(0, 0, 0, 0), (1, 0, 0, 0), (1, 2, 3, 4), (MASK64, MASK64, MASK32, MASK32),
              (0x0123456789ABCDEF, 0xFEDCBA9876543210, 77, 1_000_000), (42, 1 << 40, 31, 5)]
    names = ("seed", "stream", "trajectory", "counter")
    return [{**dict(zip(names, place)), "words": block(*place)} for place in places]


def draws(seed, stream, position):
    def some(draw, count):
        source = Stream(seed, stream, position)
        return [draw(source) for _ in range(count)]

    # Above 2^63 about half of the words are redrawn.
    bounds = [1, 6, 1000, (1 << 63) + 1]
    return {
        "seed": seed, "stream": stream, "position": position,
        "bits": some(Stream.bits, 7),
        "uniform": some(Stream.uniform, 7),
        "exponential": some(Stream.exponential, 7),
        "normal": some(Stream.normal, 7),
        "below": [{"bound": bound, "values": some(lambda s, b=bound: s.below(b), 7)}
                  for bound in bounds],
    }


def compute():
    check_known_answers()
    # The third starts in the middle of the last block whose number has 32 bits.
    starts = [(0, 0, 0), (20240607, 5, 0), (9, 1 << 33, (1 << 33) - 3)]
    return {"blocks": blocks(), "streams": [draws(*start) for start in starts]}


if __name__ == "__main__":
    fixture.run(__file__, compute)
