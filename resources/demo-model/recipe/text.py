# SPDX-License-Identifier: Apache-2.0
"""The tokenizer of the captions, and the task of the text encoder's own first training: to tell what a caption says."""

import collections
import io
import math
import re
from pathlib import Path

import sentencepiece
import torch
import torch.nn.functional as F
from sentencepiece import sentencepiece_model_pb2
from torch import nn

import captions
import draw
import files
import world


def train_tokenizer(path: Path) -> None:
    """Writes a unigram model whose pieces are the grammar's words, with their frequencies, and the characters of ASCII for all other text.

    SentencePiece's own training cuts frequent words of so small a language into pieces, so only its normaliser is taken (case and
    compatibility forms folded)."""
    model, sentences = io.BytesIO(), captions.corpus(11, 20000)
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(sentences), model_writer=model, vocab_size=400, model_type="unigram", hard_vocab_limit=False,
        normalization_rule_name="nmt_nfkc_cf", character_coverage=1.0, pad_id=0, eos_id=1, bos_id=2, unk_id=3, num_threads=1, minloglevel=2,
    )  # fmt: skip
    proto = sentencepiece_model_pb2.ModelProto.FromString(model.getvalue())
    words = collections.Counter(re.findall(r"[a-z]+|[^a-z ]", " ".join(sentences).lower()))
    letters = sorted({chr(c).lower() for c in range(33, 127)})
    pieces = {"\u2581" + w: math.log(n / words.total()) for w, n in words.items() if w.isalpha()}
    lowest = min(pieces.values())
    pieces |= {w: lowest for w in re.findall(r"(?<=-)[a-z]+", " ".join(sentences))}  # the second half of "medium-sized" follows no space
    pieces |= {c: math.log(words[c] / words.total()) if not c.isalpha() and words[c] else lowest - 4 for c in letters}
    pieces["\u2581"] = lowest - 4
    del proto.pieces[4:]
    for piece, score in sorted(pieces.items(), key=lambda p: (-p[1], p[0])):
        proto.pieces.add(piece=piece, score=score)
    proto.trainer_spec.vocab_size = len(proto.pieces)
    with files.whole(path) as part:
        part.write_bytes(proto.SerializeToString())


class Tokenizer:
    def __init__(self, path: Path):
        try:
            self.model = sentencepiece.SentencePieceProcessor(model_file=str(path))
        except RuntimeError as error:
            raise files.damaged(path, error) from None

    def __len__(self):
        return self.model.get_piece_size()

    def __call__(self, texts: list[str], text_len: int):
        """-> tokens int64 [B,n] padded with 0, lengths [B]. The last token of each is </s>. n is a multiple of 16, so that few shapes occur."""
        ids = [self.model.encode(t)[: text_len - 1] + [1] for t in texts]
        longest = max(map(len, ids))
        tokens = torch.zeros(len(ids), min(text_len, (longest + 15) // 16 * 16), dtype=torch.int64)
        for row, i in zip(tokens, ids):
            row[: len(i)] = torch.tensor(i)
        return tokens, torch.tensor([len(i) for i in ids])


_BACKGROUNDS = ("gradient", *draw.SCENES)
_COLOURS, _SIZES = tuple(draw.COLOURS), tuple(world.SIZES)
_MOTIONS = tuple(m for m in world.MOTIONS if m != "float") + tuple(world.DIRECTIONS)
_PLACES = ("", *world.PLACES)
FIELDS = (len(draw.SHAPES), len(_COLOURS), len(_SIZES), len(_MOTIONS), len(_PLACES))


def answers(scene: world.Scene, caption: str) -> list[int]:
    """The right answers: background, its two colours, then shape, colour, size, motion and place of the objects from left to right. -1: there
    is no answer, as for an empty caption or a free sentence."""
    if not caption or caption.rstrip(".") in captions.FREE:
        return [-1] * len(Probe.CLASSES)
    out = [_BACKGROUNDS.index(scene.background)]
    out += [_COLOURS.index(c) for c in scene.colours] or [-1, -1]
    order = sorted(scene.objects, key=lambda o: _PLACES.index(o.place))
    for k in range(3):
        if k >= len(order):
            out += [-1] * 5
            continue
        o = order[k]
        out += [draw.SHAPES.index(o.shape), _COLOURS.index(o.colour), _SIZES.index(o.size), _MOTIONS.index(o.direction or o.motion), _PLACES.index(o.place)]
    return out


class Probe(nn.Module):
    """Learned questions about the text features, only in training: the text encoder's first training has one, guide.Guide another from then on."""

    CLASSES = (len(_BACKGROUNDS), len(_COLOURS), len(_COLOURS), *FIELDS * 3)

    def __init__(self, dim: int):
        super().__init__()
        self.questions = nn.Parameter(torch.randn(len(self.CLASSES), dim))
        self.k, self.v = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.heads = nn.ModuleList(nn.Linear(dim, c) for c in self.CLASSES)

    def loss(self, features, lengths, answer):
        """-> cross-entropy, the share of right answers"""
        mask = torch.where(torch.arange(features.shape[1], device=features.device) < lengths[:, None], 0.0, -1e9)[:, None]
        score = self.questions @ self.k(features).transpose(1, 2) * features.shape[-1] ** -0.5 + mask
        seen = score.softmax(-1) @ self.v(features)
        total, right = 0.0, 0.0
        for i, head in enumerate(self.heads):
            y, known = head(seen[:, i]).float(), (answer[:, i] >= 0).sum()
            total = total + F.cross_entropy(y, answer[:, i], ignore_index=-1, reduction="sum") / known.clamp(min=1)
            right = right + (y.argmax(-1) == answer[:, i]).sum()
        return total / len(self.heads), right / (answer >= 0).sum().clamp(min=1)
