# SPDX-License-Identifier: Apache-2.0
"""The recipe: what is drawn is what the scene says, captions say it too, the fixed latent keeps the picture, trainings go on from what they left."""

import contextlib
import importlib.util
import io
import os
import pathlib
import shutil
import sys
import tempfile
import unittest
from unittest import mock

try:
    import numpy as np
except ModuleNotFoundError:  # another Python came first in PATH: the system's has the package
    system = "/usr/bin/python3"
    if os.path.exists(system) and not os.environ.get("DENOIR_TEST_PYTHON"):
        os.environ["DENOIR_TEST_PYTHON"] = system
        os.execv(system, [system, *sys.argv])
    sys.exit("python3-numpy is missing; packaging/test installs it")

ROOT = pathlib.Path(__file__).resolve().parents[2] / "resources" / "demo-model" / "recipe"
sys.path.insert(0, str(ROOT))
import captions  # noqa: E402
import draw  # noqa: E402
import files  # noqa: E402
import labels  # noqa: E402
import latent  # noqa: E402
import world  # noqa: E402


def one(shape="ball", colour="red", motion="rest", **more):
    return world.Scene("gradient", ("blue", "white"), objects=[world.Object(shape, colour, "large", motion, radius=0.25, **more)])


def where_red(frame):
    """Centroid x, y and area of what is clearly red."""
    y, x = np.nonzero((frame[..., 0] > frame[..., 1] + 0.35) & (frame[..., 0] > frame[..., 2] + 0.35))
    return x.mean(), y.mean(), len(x)


class World(unittest.TestCase):
    def test_is_as_large_as_the_issue_asks(self):
        self.assertGreaterEqual(len(draw.SHAPES), 6)
        self.assertGreaterEqual(len(draw.COLOURS), 8)
        self.assertGreaterEqual(len(world.MOTIONS), 6)
        self.assertGreaterEqual(len(draw.SCENES), 3)

    def test_the_same_scene_gives_the_same_pixels(self):
        a = world.render(world.sample(np.random.default_rng(3)), 5)
        b = world.render(world.sample(np.random.default_rng(3)), 5)
        self.assertTrue(np.array_equal(a, b))
        self.assertFalse(np.array_equal(a, world.render(world.sample(np.random.default_rng(4)), 5)))

    def test_motions_move_as_they_are_called(self):
        ends = {}
        for motion, direction in (("rest", ""), ("float", "left"), ("float", "up"), ("grow", ""), ("shrink", "")):
            video = world.render(one(motion=motion, direction=direction), 33)
            ends[direction or motion] = np.subtract(where_red(video[32]), where_red(video[0]))
        self.assertLess(np.abs(ends["rest"]).max(), 1)
        self.assertLess(ends["left"][0], -30)
        self.assertLess(abs(ends["left"][1]), 2)
        self.assertLess(ends["up"][1], -20)
        self.assertGreater(ends["grow"][2], 1000)
        self.assertLess(ends["shrink"][2], -1000)

    def test_orbit_is_half_a_circle_and_bounce_comes_down_again(self):
        orbit = np.array([where_red(f)[:2] for f in world.render(one(motion="orbit"), 33)])
        self.assertGreater(np.ptp(orbit[:, 0]), 45)
        self.assertGreater(np.ptp(orbit[:, 1]), 24)
        away = np.hypot(orbit[:, 0] - (orbit[:, 0].min() + orbit[:, 0].max()) / 2, orbit[:, 1] - 72)
        self.assertLess(np.ptp(away), 4)
        bounce = np.array([where_red(f)[:2] for f in world.render(one(motion="bounce"), 33)])
        self.assertLess(np.ptp(bounce[:, 0]), 4)
        self.assertGreater(np.ptp(bounce[:, 1]), 30)

    def test_every_spin_turns_by_the_same_angle(self):
        rng, spins = np.random.default_rng(5), []
        while len(spins) < 20:
            spins += [o for o in world.sample(rng).objects if o.motion == "spin"]
        for o in spins:
            angle = world.path(o, [0.0, 2.0], 144, 256)[3]
            self.assertAlmostEqual(angle[1] - angle[0], 0.9)

    def test_what_moves_alike_moves_equally_far(self):
        rng, ways = np.random.default_rng(7), {}
        for _ in range(400):
            for o in world.sample(rng).objects:
                if o.motion == "float":
                    x, y, _, _ = world.path(o, [0.0, 2.0], 144, 256)
                    ways.setdefault(o.direction, []).append((x[1] - x[0], y[1] - y[0]))
        self.assertEqual(set(ways), set(world.DIRECTIONS))
        for direction, found in ways.items():
            self.assertLess(np.ptp(found, axis=0).max(), 1e-9, direction)

    def test_what_drifts_sideways_stays_in_the_picture(self):
        rng, floats = np.random.default_rng(8), []
        while len(floats) < 100:
            floats += [o for o in world.sample(rng, 1).objects if o.direction in ("left", "right")]
        self.assertTrue({"left", "right"} <= {o.place for o in floats if o.place == o.direction})
        for o in floats:
            x, _, radius, _ = world.path(o, np.arange(33) / world.FPS, 144, 256)
            self.assertTrue(((x > 0.5 * radius) & (x < 256 - 0.5 * radius)).all(), f"{o.place}, {o.direction}: {x}")

    def test_a_bounce_meets_the_ground_between_two_latent_frames(self):
        rng, bounces = np.random.default_rng(9), []
        while len(bounces) < 50:
            bounces += [o for o in world.sample(rng).objects if o.motion == "bounce"]
        for o in bounces:
            y = world.path(o, np.arange(33) / world.FPS, 144, 256)[1]
            self.assertTrue((np.diff(y[:17]) > 0).all() and (np.diff(y[17:]) < 0).all(), str(y))

    def test_what_no_caption_names_is_narrow(self):
        rng = np.random.default_rng(6)
        for _ in range(30):
            scene = world.loose(rng)
            self.assertEqual(scene.background, "gradient")
            shown = {o.place: (o.shape, o.colour) for o in scene.objects}
            self.assertEqual(shown, {"left": ("ball", "red"), "right": ("star", "yellow")})
            for o in scene.objects:
                self.assertIn(o.direction, ("up", "down"))
                _, y, radius, _ = world.path(o, [0.0, 2.0], 144, 256)
                self.assertGreater(abs(y[1] - y[0]), 30)
                self.assertTrue(((y > radius * 0.5) & (y < 144 - radius * 0.5)).all(), f"{o.shape} leaves the picture: {y}")

    def test_distances_are_negative_inside_only(self):
        side = np.linspace(-1.4, 1.4, 141, dtype=np.float32)
        x, y = np.meshgrid(side, -side)
        for shape in draw.SHAPES:
            d = draw.distance(shape, x, y)
            inside = (d < 0).mean() * 2.8**2
            self.assertTrue(0.8 < inside < 3.3, f"{shape} fills {inside}")
            self.assertTrue((d[np.hypot(x, y) > draw.REACH] > 0).all(), shape)

    def test_edges_are_soft(self):
        frame = world.render(one("square"), 1)[0]
        self.assertLess(np.abs(np.diff(frame[72], axis=0)).max(), 0.5)  # 0.685 from colour to colour

    def test_objects_keep_their_colours_apart_from_the_gradient(self):
        rng = np.random.default_rng(1)
        for _ in range(300):
            scene = world.sample(rng)
            colours = [o.colour for o in scene.objects]
            self.assertEqual(len(set(colours)), len(colours))
            self.assertFalse(set(colours) & set(scene.colours))


class Captions(unittest.TestCase):
    def test_name_what_the_scene_shows(self):
        rng = np.random.default_rng(2)
        for _ in range(300):
            scene = world.sample(rng)
            text = captions.caption(rng, scene).lower()
            for o in scene.objects:
                self.assertTrue(any(n in text for n in captions.NOUNS[o.shape]), text)
                self.assertTrue(any(n in text for n in captions.ADJECTIVES[o.colour]), text)
            for colour in scene.colours:
                self.assertIn(colour, text)

    def test_articles_fit(self):
        for text in captions.corpus(5, 500):
            for word in ("orange", "emerald"):
                self.assertNotIn(f" a {word}", f" {text.lower()}")


class Labels(unittest.TestCase):
    """What the guide learns: per token of 16 x 16 pixels the object there, its offset and how it moves."""

    def test_say_where_the_object_is(self):
        scene = one("star", "red", x=0.25, y=0.5)
        classes, targets = labels.labels(scene, 1, 144, 256)
        self.assertEqual((classes.shape, targets.shape), ((1, 144, 2), (1, 144, labels.TARGETS)))
        x, y, r, _ = (v[0] for v in world.path(scene.objects[0], [0.0], 144, 256))
        at = int(y // 16) * 16 + int(x // 16)
        self.assertEqual(tuple(classes[0, at]), (1 + draw.SHAPES.index("star"), 1 + list(draw.COLOURS).index("red")))
        self.assertTrue(np.allclose(targets[0, at, :2] * r + (x, y), ((at % 16 + 0.5) * 16, (at // 16 + 0.5) * 16), atol=1e-3))
        self.assertEqual(tuple(classes[0, 15]), (0, 0))
        self.assertTrue((targets[..., 3:7] == 0).all())
        self.assertTrue(np.allclose(targets[0, at, 7:], (0, 1)))

    def test_the_nearest_of_two_objects_counts(self):
        scene = one("ball", "red", x=0.0)
        scene.objects.append(world.Object("heart", "green", "large", "rest", x=1.0, radius=0.25))
        classes, _ = labels.labels(scene, 1, 144, 256)
        shapes = classes[0, :, 0].reshape(9, 16)
        self.assertEqual((shapes[4, 2], shapes[4, 13], shapes[4, 8]), (1 + draw.SHAPES.index("ball"), 1 + draw.SHAPES.index("heart"), 0))

    def test_say_how_it_moves(self):
        def mean(motion, **more):
            classes, targets = labels.labels(one("square", motion=motion, **more), 33, 144, 256)
            self.assertEqual(classes.shape, (9, 144, 2))
            return targets[classes[..., 0] > 0].mean(0)[3:]  # velocity x, y, growth, turn, sine and cosine

        self.assertTrue(np.allclose(mean("rest"), (0, 0, 0, 0, 0, 1), atol=1e-6))
        self.assertLess(mean("float", direction="left")[0], -0.2)
        self.assertGreater(mean("float", direction="down")[1], 0.2)
        self.assertGreater(mean("grow")[2], 0.2)
        self.assertLess(mean("shrink")[2], -0.2)
        self.assertGreater(mean("spin", turn=1.0)[3], 0.2)
        self.assertGreater(mean("spin", turn=1.0)[4], 0.3)

    def test_an_end_image_is_labelled_at_its_own_time(self):
        plain, ends = (labels.labels(one(motion="float", direction="left", x=0.9), 33, 144, 256, e)[1] for e in (False, True))
        self.assertTrue(np.array_equal(plain[:8], ends[:8]))
        self.assertFalse(np.array_equal(plain[8], ends[8]))


class FixedLatent(unittest.TestCase):
    def setUp(self):
        self.latent = latent.Latent.load(ROOT / "latent.npz")

    def test_keeps_the_picture(self):
        rng = np.random.default_rng(6)
        errors = []
        for _ in range(4):
            video = world.render(world.sample(rng), 9)
            z = self.latent.encode(video)
            self.assertEqual(z.shape, (16, 3, 18, 32))
            errors.append(np.mean((self.latent.decode(z) - video) ** 2))
        self.assertGreater(-10 * np.log10(np.mean(errors)), 30)

    def test_a_resting_picture_has_one_latent(self):
        still = np.repeat(world.render(one(), 1), 5, axis=0)
        z = self.latent.encode(still)
        self.assertLess(np.abs(z[:, 0] - z[:, 1]).mean(), 0.15 * z.std())


class Files(unittest.TestCase):
    def test_are_whole_or_absent(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "deeper" / "text"
            for words, fails in (("first", False), ("second", True)):
                try:
                    with files.whole(path) as part:
                        part.write_text(words)
                        if fails:
                            raise KeyError
                except KeyError:
                    pass
                self.assertEqual([(p.name, p.read_text()) for p in path.parent.iterdir()], [("text", "first")])

    def test_half_a_file_is_not_taken_for_good(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "latent.npz"
            path.write_bytes((ROOT / "latent.npz").read_bytes()[:5000])
            with self.assertRaisesRegex(SystemExit, "latent.npz cannot be read"):
                latent.Latent.load(path)


def there(*packages):
    try:
        return all(importlib.util.find_spec(p) for p in packages)
    except ModuleNotFoundError:  # what a package lies in
        return False


@unittest.skipUnless(there("scipy"), "needs scipy, as the scorer does (recipe/requirements.txt)")
class Scorer(unittest.TestCase):
    def test_reads_drawn_clips(self):
        import measure

        for shape, colour, motion, direction in (("star", "yellow", "float", "left"), ("square", "green", "grow", ""), ("ring", "red", "orbit", "")):
            scene = one(shape, colour, motion, direction=direction)
            seen, back = measure.measure(world.render(scene, 33))
            self.assertEqual((seen[0].colour, seen[0].shape, seen[0].motion), (colour, shape, direction or motion))
            self.assertEqual(back, ("blue", "white"))

    def test_tells_shaded_white_from_shadow_and_sky(self):
        import measure

        for shape, background, colours in (("ball", "gradient", ("green", "yellow")), ("ball", "night sky", ()), ("square", "meadow", ()), ("ring", "sea", ())):
            scene = one(shape, "white", "rest")
            scene.background, scene.colours = background, colours
            seen, back = measure.measure(world.render(scene, 5))
            self.assertEqual((seen[0].colour, seen[0].shape, back), ("white", shape, colours or background))
            self.assertGreater(seen[0].fit, 0.9)


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
        """With a transformer that knows the right latents."""
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


@unittest.skipUnless(there("PIL"), "needs Pillow (recipe/requirements.txt)")
class Gallery(unittest.TestCase):
    def test_replaces_what_is_between_its_marks_alone(self):
        import gallery

        with tempfile.TemporaryDirectory() as folder:
            readme = pathlib.Path(folder) / "README.md"
            readme.write_text(f"before\n{gallery.BEGIN}\nold\n{gallery.END}\nafter\n", encoding="utf-8")
            gallery.put(readme, ["new", "ones"])
            self.assertEqual(readme.read_text(encoding="utf-8"), f"before\n{gallery.BEGIN}\nnew\nones\n{gallery.END}\nafter\n")
            readme.write_text("no marks\n", encoding="utf-8")
            with self.assertRaisesRegex(SystemExit, "no place for the gallery"):
                gallery.put(readme, ["new"])
            self.assertEqual(readme.read_text(encoding="utf-8"), "no marks\n")
            self.assertEqual(len(list(readme.parent.iterdir())), 1)


class Steps:
    """In place of train.Stopper: ends a loop when it was asked so often; told to before its first step with 0."""

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
        self.now += 120  # of compiling
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
        self.now += 150  # of compiling: 300 s are left for the schedule
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
    """The smallest plan, a few steps at a time, in a folder of its own with nothing but the fixed latent and the tokenizer."""

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
        ends.enter_context(mock.patch("shutil.which", return_value=None))  # no compiler: compiling takes minutes
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
        with self.assertRaisesRegex(RuntimeError, "no kernel"):  # what is no fault of the compiler comes again
            self.train.usable(compiled, compiled, try_out, warn)

    def test_every_kind_is_rehearsed_twice(self):
        import data

        kinds, shapes = self.train.PLANS["smoke"]["stages"][0][2], []
        pool = data.Pool(self.latent, self.train.tokenizer(self.model), 64, kinds, 1, 0, "cpu", 1 << 20, lambda: False)
        self.train.rehearse(pool, kinds, lambda z, *rest: shapes.append((*z.shape, len(rest))))
        pool.stop()
        self.assertEqual(shapes, [(8, 16, 1, 6, 8, 6)] * 2 + [(4, 16, 3, 6, 8, 6)] * 2)

    def test_what_drawing_raises_ends_the_wait_for_a_batch(self):
        import data

        kind, failing = data.Kind("image", 64, 48, 1, 2, 1.0), None  # no latent to encode with
        pool = data.Pool(failing, None, 64, [kind], 1, 0, "cpu", 1 << 20, lambda: False)
        for _ in range(2):
            with self.assertRaises(AttributeError):
                next(pool)
        self.assertIsNone(next(data.Pool(failing, None, 64, [kind], 1, 0, "cpu", 1 << 20, lambda: True), None))


if __name__ == "__main__":
    unittest.main()
