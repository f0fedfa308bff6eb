# SPDX-License-Identifier: Apache-2.0
"""The drawn world: pixels, captions and labels agree with the scene, the scorer recognises it, and the fixed latent keeps it."""

import unittest

from recipe import ROOT, np, one, there, where_red  # must come first, since it finds the recipe's modules

import captions
import draw
import labels
import latent
import world


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

    def test_what_grows_goes_on_for_half_a_clip(self):
        seen = world.path(world.Object("ball", "red", "large", "grow", radius=0.25), [0, 2.06, 3.09, 9], 144, 256)[2]
        self.assertTrue(np.allclose(seen / seen[0], [1, 1.25 / 0.7, 1.525 / 0.7, 1.525 / 0.7]))

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
        self.assertLess(np.abs(np.diff(frame[72], axis=0)).max(), 0.5)  # from colour to colour it is 0.685

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
    """What the guide learns: for each token of 16 x 16 pixels the object there, its offset, and how it moves."""

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
            return targets[classes[..., 0] > 0].mean(0)[3:]  # velocity x and y, growth, turn, sine and cosine

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


    def test_a_continued_clip_is_labelled_at_its_own_times(self):
        scene = one(motion="float", direction="left", x=0.9)
        whole, continued = labels.labels(scene, 65, 144, 256)[1], labels.labels(scene, 33, 144, 256, start=2.0)[1]
        # The first latent frame is one picture, the others stand for four.
        self.assertTrue(np.allclose(continued[1:], whole[9:], atol=1e-5))
        self.assertFalse(np.allclose(continued[1:], whole[1:9], atol=1e-2))


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


if __name__ == "__main__":
    unittest.main()
