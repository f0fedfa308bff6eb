# SPDX-License-Identifier: Apache-2.0
"""Trainings begin from the fixed latent, end when they are told to, and go on from what they left."""

import contextlib
import io
import pathlib
import shutil
import tempfile
import unittest
from unittest import mock

from recipe import ROOT, np, one, there  # must come first, since it finds the recipe's modules

import latent
import world


@unittest.skipUnless(there("torch", "safetensors"), "needs PyTorch, as the training does (recipe/requirements.txt)")
class Start(unittest.TestCase):
    def test_the_computed_encoder_gives_the_fixed_latent(self):
        import start
        import torch
        import vae

        torch.set_num_threads(1)
        fixed = latent.Latent.load(ROOT / "latent.npz")
        net = vae.Vae(16, fixed.tables["std"])
        start.encoder(net, fixed, clips=12)
        video = world.render(world.sample(np.random.default_rng(8)), 9, 80, 128)
        with torch.no_grad():
            found = net.encode(torch.from_numpy(video.transpose(3, 0, 1, 2) * 2 - 1)[None])[0].numpy()
        expected = fixed.encode(video)
        self.assertLess(np.sqrt(np.mean((found - expected) ** 2)), 0.01 * expected.std())

    def test_a_layout_changes_nothing_but_the_order_of_sums(self):
        import torch
        import vae

        torch.set_num_threads(1)
        torch.manual_seed(3)
        net = vae.Vae(16, np.ones(16, np.float32))
        video, z = torch.randn(2, 3, 9, 16, 24), torch.randn(2, 16, 3, 4, 6)

        def results():
            net.zero_grad()
            out = net.encode(video), net.decode(z), net.encode(video[:, :, :1])
            sum(x.square().mean() for x in out).backward()
            return *(x.detach() for x in out), *(p.grad for p in net.parameters() if p.grad is not None)

        right = results()
        with mock.patch.object(vae, "CHANNELS_LAST", True):
            found = results()
            y = vae.laid(torch.randn(2, 8, 4, 6))
            stacked = vae.over_time(y.reshape(1, 2, 8, 4, 6), vae.Causal(8, 8), 2, zeros=2)
        self.assertTrue(stacked.is_contiguous(memory_format=torch.channels_last))
        for a, b in zip(right, found, strict=True):
            self.assertLess((a - b).norm(), 1e-5 * a.norm() + 1e-12)


@unittest.skipUnless(there("torch", "safetensors", "PIL"), "needs PyTorch, as the training does (recipe/requirements.txt)")
class Near(unittest.TestCase):
    def returned(self, **more):
        """Samples a clip with a transformer that knows the right latents."""
        import near
        import torch
        from transformer import Sizes

        fixed = latent.Latent.load(ROOT / "latent.npz")
        seen = self.seen = []

        class Knowing:
            sizes = Sizes()

            def eval(self):
                return self

            def __call__(self, x, t, text, lengths):
                sigma = t[0, 0] / 1000
                seen.append(sigma.item())
                return (x - right[-1]) / sigma

        right = []
        render = world.render

        def rendered(scene, frames):
            video = render(scene, frames)
            right.append(torch.from_numpy(fixed.encode(video))[None])
            return video

        ends = contextlib.ExitStack()
        self.addCleanup(ends.close)
        ends.enter_context(mock.patch.object(near.world, "render", rendered))
        encoder = mock.MagicMock()
        encoder.eval.return_value = encoder
        return near.Returned(Knowing(), encoder, fixed, lambda texts, length: (texts, None), **more), right

    def test_a_transformer_that_knows_brings_the_clip_back(self):
        import near

        returned, right = self.returned()
        scene, z = returned._new(np.random.default_rng(3))
        self.assertLess(np.abs(z - right[0][0].numpy()).max(), 1e-4)
        self.assertEqual(z.shape, (16, 9, 18, 32))
        self.assertTrue(near.NOISE[0] < self.seen[0] < near.NOISE[1])
        self.assertEqual(self.seen, sorted(self.seen, reverse=True))

    def test_each_is_used_again(self):
        returned, right = self.returned(again=5, keep=6)
        rng = np.random.default_rng(4)
        for _ in range(60):
            returned.draw(rng)
        self.assertTrue(8 < len(right) < 25, len(right))
        self.assertEqual(len(returned.kept), 6)

    def test_the_right_picture_counts_around_objects(self):
        returned, _ = self.returned()
        scene = one(motion="float", direction="right", x=0.1)
        worth = returned.worth(scene, 33)
        self.assertEqual(worth.shape, (33, 144, 256))
        x, y, radius, _ = (a.astype(int) for a in world.path(scene.objects[0], np.arange(33) / world.FPS, 144, 256))
        for f in (0, 32):
            self.assertEqual(worth[f, y[f], x[f]], 1)
            self.assertEqual(worth[f, y[f], x[f] - 2 * radius[f]] if f else worth[f, y[f], x[f] + 3 * radius[f]], 0.25)
        scene.background = "night sky"
        self.assertEqual(set(np.unique(returned.worth(scene, 1))), {0, 1})


class Steps:
    """Stands in for train.Stopper and ends a loop after so many questions; 0 ends it before its first step."""

    def __init__(self, often, deadline=None):
        self.left, self.asked = often, often == 0

    def __bool__(self):
        self.left -= 1
        return self.left <= 0

    def cooling(self, share):
        return 1.0


@unittest.skipUnless(there("torch", "safetensors", "sentencepiece", "google.protobuf"), "needs what the training does (recipe/requirements.txt)")
class Stopping(unittest.TestCase):
    def setUp(self):
        import train

        ends = contextlib.ExitStack()
        self.addCleanup(ends.close)
        ends.enter_context(mock.patch.object(train.signal, "signal"))
        ends.enter_context(mock.patch.object(train.time, "monotonic", lambda: self.now))
        self.train, self.now = train, 1000.0

    def test_minutes_do_not_count_what_moved_their_begin(self):
        stop = self.train.Stopper(10)
        self.now += 120  # compiling takes that long
        stop.begin += 120
        self.assertEqual(stop.cooling(0.5), 1)
        self.now += 450
        self.assertAlmostEqual(stop.cooling(0.5), 0.5)
        self.assertFalse(stop)
        self.now += 151
        self.assertTrue(stop)
        self.assertEqual(stop.cooling(0.5), 0)

    def test_the_rate_has_fallen_by_the_deadline_whatever_came_before(self):
        stop = self.train.Stopper(1e6, self.now + 450)
        self.now += 150  # compiling takes that long, and 300 s are left for the schedule
        stop.begin += 150
        self.assertEqual(stop.cooling(0.5), 1)
        self.now += 225
        self.assertAlmostEqual(stop.cooling(0.5), 0.5)
        self.now += 74
        self.assertFalse(stop)
        self.assertLess(stop.cooling(0.5), 0.01)
        self.now += 2
        self.assertTrue(stop)

    def test_a_deadline_that_is_over_ends_it(self):
        stop = self.train.Stopper(5, self.now + 60)
        self.now += 90
        stop.begin += 90
        self.now += 2
        self.assertTrue(stop)


@unittest.skipUnless(there("torch", "safetensors", "sentencepiece", "google.protobuf"), "needs what the training does (recipe/requirements.txt)")
class Training(unittest.TestCase):
    """Trains the smallest plan a few steps at a time, in a folder with only the fixed latent and the tokenizer."""

    def setUp(self):
        import export
        import torch
        import train

        torch.set_num_threads(1)
        self.export, self.train, self.torch, self.latent = export, train, torch, latent.Latent.load(ROOT / "latent.npz")
        ends = contextlib.ExitStack()
        self.addCleanup(ends.close)
        folder = pathlib.Path(ends.enter_context(tempfile.TemporaryDirectory()))
        self.model, self.work = folder / "model", folder / "work"
        for name in ("recipe/latent.npz", "google/umt5-xxl/spiece.model"):
            (self.model / name).parent.mkdir(parents=True)
            shutil.copy(ROOT.parent / name, self.model / name)
        ends.enter_context(mock.patch.object(train, "Stopper", Steps))
        ends.enter_context(mock.patch("shutil.which", return_value=None))  # without a compiler, because compiling takes minutes
        ends.enter_context(mock.patch.object(train.start, "encoder"))
        ends.enter_context(contextlib.redirect_stdout(io.StringIO()))

    def transformer(self, steps):
        self.train.train_transformer(self.model, self.work, "smoke", steps, workers=0)
        return self.train.load(self.work / "transformer-smoke.pt")

    def decoder(self, steps):
        self.train.train_vae(self.model, self.work, "decoder", steps)
        return self.train.load(self.work / "vae-decoder.pt")

    def exported(self, plan=None):
        return self.export.write(self.model, self.export.checkpoints(self.work, plan), self.latent)

    def contents(self, folder):
        return {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()}

    def same(self, a, b, part):
        self.assertEqual(a[part].keys(), b[part].keys())
        for name, value in a[part].items():
            self.assertTrue(self.torch.equal(value, b[part][name]), name)

    def test_the_transformer_goes_on_from_its_exported_weights_alone(self):
        trained = self.transformer(3)
        self.assertEqual(trained["done"]["step"], 3)
        self.exported("smoke")
        found = self.export.read_transformer(self.model, self.train.PLANS["smoke"]["sizes"])
        names = [(part, name) for part in ("transformer", "text") for name in trained[part]]
        for (part, name), mean in zip(names, trained["average"], strict=True):
            self.assertTrue(self.torch.equal(mean.bfloat16().float(), found[part][name]), name)
        shutil.rmtree(self.work)
        loaded = self.transformer(0)
        self.assertEqual(loaded["done"], trained["done"])
        self.same(loaded, found, "transformer")
        self.same(loaded, found, "text")
        (self.work / "transformer-smoke.pt").unlink()
        self.assertEqual(self.transformer(2)["done"]["step"], 5)

    def test_what_is_known_of_a_continued_clip_is_clean_and_not_learned(self):
        import torch
        import train

        known, ends = torch.tensor([5, 0, 3]).repeat(200), torch.tensor([False, False, True]).repeat(200)
        sigma, learned = train.noise_levels(600, 9, ends, known, "cpu")
        for first, last in ((5, 9), (3, 8)):
            mine = known == first
            self.assertTrue((sigma[mine, :first] == 0).all() and not learned[mine, :first].any())
            self.assertTrue((sigma[mine, first:last] > 0).all() and learned[mine, first:last].all())
        free = learned[known == 0]
        self.assertTrue(free.all(1).any() and not free.all())  # most from nothing, some behind a beginning of any length

    def test_a_third_of_the_clips_are_continued(self):
        import data

        def continued(rng, count, **more):
            """Which of so many clips begin later in their scene."""
            kind, starts = data.Kind("clip", 32, 32, 33, 1, 1.0, **more), []
            blank = lambda scene, frames, height, width, start: starts.append(start) or np.zeros((frames, height, width, 3), np.float32)
            with mock.patch.object(data.world, "render", blank):
                drawn = [data.clip(rng, self.latent, kind) for _ in range(count)]
            for start, (z, _, _, known, *_) in zip(starts, drawn, strict=True):
                self.assertEqual(start > 0, known > 0)
                self.assertLess(known, z.shape[1])
            return [start > 0 for start in starts]

        self.assertAlmostEqual(np.mean(continued(np.random.default_rng(5), 200)), data.LATER, delta=0.1)
        for share in (0, 1):
            self.assertEqual(continued(np.random.default_rng(6), 20, later=share), [bool(share)] * 20)

    def test_a_training_that_keeps_changes_nothing_but_continued_clips(self):
        plan = mock.patch.dict(self.train.PLANS, {"smoke": self.train.PLANS["smoke"] | {"keeps": True}})
        with plan, self.assertRaisesRegex(SystemExit, "needs exported weights"):
            self.transformer(1)
        self.transformer(2)
        self.exported("smoke")
        before = self.export.read_transformer(self.model, self.train.PLANS["smoke"]["sizes"])
        shutil.rmtree(self.work)
        with plan:
            kept = self.transformer(4)  # none of its clips are continued
            self.assertEqual(kept["done"]["step"], 6)
            self.same(kept, before, "text")
            self.same({"transformer": kept["teacher"]}, before, "transformer")
            for name, tensor in kept["transformer"].items():
                self.assertLess((tensor - before["transformer"][name]).norm(), 1e-3 * tensor.norm() + 1e-9, name)
            self.train.save(self.work / "transformer-smoke.pt", kept | {"average": [2 * mean for mean in kept["average"]]})
            self.exported("smoke")
            self.same(self.transformer(1), kept, "teacher")  # still that of the beginning

    def test_what_follows_a_known_beginning_is_not_the_teachers(self):
        def still(noisy, times, features, lengths, tap=None):
            found = self.torch.zeros_like(noisy, requires_grad=True)
            return found if tap is None else (found, None)

        model = mock.Mock(side_effect=still)
        model.sizes.layers = 6

        def loss(*known):
            self.torch.manual_seed(1)
            count = len(known)
            z, classes = self.torch.randn(count, 16, 9, 4, 4), self.torch.zeros(count, 9, 4, 2)
            ends, known = self.torch.zeros(count, dtype=self.torch.bool), self.torch.tensor(known)
            return self.train.transformer_loss(model, mock.Mock(), None, still, z, None, None, ends, known, None, classes, None)[0].item()

        self.assertEqual(loss(0, 0), 0)
        self.assertGreater(loss(0, 3), 0.1)
        self.assertGreater(loss(3, 3), 1.5 * loss(0, 3))

    def test_the_decoder_goes_on_from_its_exported_weights_alone(self):
        trained = self.decoder(1)
        self.assertEqual(trained["done"]["step"], 1)
        self.exported()
        shutil.rmtree(self.work)
        loaded = self.decoder(0)
        self.assertEqual(loaded["done"], trained["done"])
        self.same(loaded, self.export.read_vae(self.model), "vae")
        self.assertEqual(self.decoder(1)["done"]["step"], 2)

    def test_the_decoder_learns_from_what_the_transformer_left(self):
        import data
        import near

        self.transformer(1)
        self.exported("smoke")
        with (
            mock.patch.object(near, "Sizes", lambda: self.train.PLANS["smoke"]["sizes"]),
            mock.patch.object(data, "RETURNED", 1.0),
            mock.patch.object(near.Returned, "draw", autospec=True, side_effect=near.Returned.draw) as draw,
        ):
            trained = self.decoder(2)
        self.assertEqual(trained["done"]["step"], 2)
        self.assertGreaterEqual(draw.call_count, 2)

    def test_an_export_replaces_nothing_that_is_further_along_and_nothing_beyond_its_limit(self):
        later = self.transformer(1)
        self.exported("smoke")
        before = self.contents(self.model)
        self.train.save(self.work / "transformer-smoke.pt", later | {"done": later["done"] | {"step": 0}})
        self.assertIn("further along", self.exported("smoke")[0])
        self.assertEqual(self.contents(self.model), before)
        self.train.save(self.work / "transformer-smoke.pt", later | {"done": later["done"] | {"step": 2}})
        with mock.patch.object(self.export, "LIMIT", 1000), self.assertRaisesRegex(SystemExit, "nothing replaced"):
            self.exported("smoke")
        self.assertEqual(self.contents(self.model), before)
        for work, plan in ((self.work, "gpu"), (self.model, None)):
            with self.assertRaisesRegex(SystemExit, "`train"):
                self.export.checkpoints(work, plan)

    def test_a_share_of_what_was_learned_is_exported(self):
        before = self.transformer(1)
        self.exported("smoke")
        sizes = self.train.PLANS["smoke"]["sizes"]
        first = self.export.read_transformer(self.model, sizes)["transformer"]
        after = before | {"average": [2 * mean for mean in before["average"]]}
        self.train.save(self.work / "transformer-smoke.pt", after)
        self.export.write(self.model, self.export.checkpoints(self.work, "smoke"), self.latent, 0.5)
        for name, tensor in self.export.read_transformer(self.model, sizes)["transformer"].items():
            self.assertLess((tensor - 1.5 * first[name]).norm(), 0.01 * first[name].norm() + 1e-6)

    def test_what_is_not_finite_is_not_saved(self):
        import train

        self.transformer(1)
        before, real = self.contents(self.work)[pathlib.Path("transformer-smoke.pt")], train.transformer_loss
        with mock.patch.object(train, "transformer_loss", lambda *a: [x * float("nan") for x in real(*a)]):
            with self.assertRaisesRegex(SystemExit, "not finite.*is kept"):
                self.transformer(1)
        self.assertEqual(self.contents(self.work)[pathlib.Path("transformer-smoke.pt")], before)

    def test_what_cannot_be_compiled_goes_on_without(self):
        def plain():
            pass

        def compiled():
            raise RuntimeError("no kernel for this card")

        tried, warnings = [], []

        def try_out(loss):
            tried.append(loss)
            loss()

        warn = lambda **values: warnings.append(values)
        self.assertIs(self.train.usable(compiled, plain, try_out, warn), plain)
        self.assertEqual(tried, [compiled, plain])
        self.assertRegex(warnings[0]["warning"], "not compiled.*no kernel for this card")
        self.assertIs(self.train.usable(plain, plain, try_out, warn), plain)
        self.assertIs(self.train.usable(compiled, plain, lambda loss: None, warn), compiled)
        self.assertEqual(len(warnings), 1)
        with self.assertRaisesRegex(RuntimeError, "no kernel"):  # an error that is not the compiler's must be raised again
            self.train.usable(compiled, compiled, try_out, warn)

    def test_every_kind_is_rehearsed_twice(self):
        import data

        kinds, shapes = self.train.PLANS["smoke"]["stages"][0][2], []
        pool = data.Pool(self.latent, self.train.tokenizer(self.model), 64, kinds, 1, 0, "cpu", 1 << 20, lambda: False)
        self.train.rehearse(pool, kinds, lambda z, *rest: shapes.append((*z.shape, len(rest))))
        pool.stop()
        self.assertEqual(shapes, [(8, 16, 1, 6, 8, 7)] * 2 + [(4, 16, 3, 6, 8, 7)] * 2)

    def test_what_drawing_raises_ends_the_wait_for_a_batch(self):
        import data

        kind, failing = data.Kind("image", 64, 48, 1, 2, 1.0), None  # there is no latent to encode with
        pool = data.Pool(failing, None, 64, [kind], 1, 0, "cpu", 1 << 20, lambda: False)
        for _ in range(2):
            with self.assertRaises(AttributeError):
                next(pool)
        self.assertIsNone(next(data.Pool(failing, None, 64, [kind], 1, 0, "cpu", 1 << 20, lambda: True), None))


if __name__ == "__main__":
    unittest.main()
