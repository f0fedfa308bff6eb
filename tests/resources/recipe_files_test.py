# SPDX-License-Identifier: Apache-2.0
"""What the recipe writes is whole or absent, and replaces nothing else."""

import pathlib
import tempfile
import unittest

from recipe import ROOT, there  # must come first, since it finds the recipe's modules

import files
import latent


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


if __name__ == "__main__":
    unittest.main()
