#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`cmake --install` leaves a whole program: out of reach of the source tree it finds its demo model.

    installed.py BUILD_FOLDER STUDIO(0|1)
"""
import os
import subprocess
import sys
import tempfile

build, studio = sys.argv[1], sys.argv[2] == "1"
with tempfile.TemporaryDirectory() as prefix:
    subprocess.run(["cmake", "--install", build, "--prefix", prefix], check=True, stdout=subprocess.DEVNULL)
    share = os.path.join(prefix, "share")
    expected = ["denoir/demo-model/model.safetensors", "denoir/samples/first.mp4", "denoir/prompts.json", "denoir/preview_factors.json",
                "bash-completion/completions/denoir-cli", "fish/vendor_completions.d/denoir-cli.fish", "zsh/site-functions/_denoir-cli", "man/man1/denoir-cli.1"]
    if studio:
        expected += ["applications/denoir.desktop", "icons/hicolor/scalable/apps/denoir.svg", "mime/packages/denoir.xml"]
    missing = [name for name in expected if not os.path.exists(os.path.join(share, name))]
    assert not missing, f"not installed: {missing}"
    surplus = os.path.join(share, "denoir/demo-model/recipe")
    assert not os.path.exists(surplus), f"installed: {surplus}"
    if studio:  # every type of file that the desktop file opens is known to the desktop or declared beside it
        desktop = open(os.path.join(share, "applications/denoir.desktop")).read()
        declared = open(os.path.join(share, "mime/packages/denoir.xml")).read()
        own = [each for each in desktop.split("MimeType=")[1].split("\n")[0].split(";") if "denoir" in each]
        assert own and all(f'type="{each}"' in declared for each in own), own
    surroundings = {key: value for key, value in os.environ.items() if not key.startswith("DENOIR_")}
    surroundings["DENOIR_HOME"] = os.path.join(prefix, "home")
    ran = subprocess.run([os.path.join(prefix, "bin/denoir-cli"), "tokenize", "A red balloon."], env=surroundings, cwd=prefix, capture_output=True,
                         text=True)
    assert ran.returncode == 0, ran.stderr
