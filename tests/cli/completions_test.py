# SPDX-License-Identifier: Apache-2.0
"""The completion files and the manual page must be those that the program writes; CONTRIBUTING.md says how to renew them."""

import pathlib
import shutil
import subprocess

from program import Case, main

FILES = {"bash": "denoir-cli.bash", "zsh": "_denoir-cli", "fish": "denoir-cli.fish", "man": "denoir-cli.1"}
FOLDER = pathlib.Path(__file__).resolve().parents[2] / "packaging" / "completions"


class Completions(Case):
    def test_files(self):
        for shell, name in FILES.items():
            self.assertEqual(self.done("completion", shell).out, (FOLDER / name).read_text(encoding="utf-8"), shell)

    def test_bash(self):
        if not shutil.which("bash"):
            self.skipTest("no bash here")
        script = f". {FOLDER / FILES['bash']}; COMP_WORDS=(denoir-cli render --sampl); COMP_CWORD=2; _denoir_cli; echo ${{COMPREPLY[@]}}"
        self.assertEqual(subprocess.run(["bash", "-c", script], stdout=subprocess.PIPE, check=True).stdout, b"--sampler\n")

    def test_manual(self):
        if not shutil.which("groff"):
            self.skipTest("no groff here")
        shown = subprocess.run(["groff", "-man", "-Tutf8", "-P-cbou", "-ww", FOLDER / FILES["man"]], capture_output=True, text=True, check=True)
        self.assertEqual(shown.stderr, "")
        self.assertIn("--sampler S", shown.stdout)


if __name__ == "__main__":
    main()
