# SPDX-License-Identifier: Apache-2.0
"""The completion files are those that the program makes; CONTRIBUTING.md says how to renew them."""

import pathlib
import shutil
import subprocess

from program import Case, main

FILES = {"bash": "denoir-cli.bash", "zsh": "_denoir-cli", "fish": "denoir-cli.fish"}
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


if __name__ == "__main__":
    main()
