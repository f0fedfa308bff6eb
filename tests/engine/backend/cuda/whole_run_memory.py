#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How much memory a card would need for whole runs of SkyReels-V2 I2V 1.3B at 960x544: its true shapes without data, on a card that computes nothing
and counts what it is asked for, libraries' workspaces included.

Usage: whole_run_memory.py DENOIR_CLI EMULATED_MODULE SOURCE_DIR"""
import os
import subprocess
import sys
import tempfile

GB = 10**9


def main():
    cli, module, source = sys.argv[1:4]
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, "SkyReels-V2-I2V-1.3B")
        subprocess.run([sys.executable, os.path.join(source, "tests", "ui", "stories", "hollow_model.py"), model, "i2v-1.3b"], check=True)

        def peak(frames, card):
            """Bytes, and what was said."""
            counted, out = os.path.join(folder, "peak"), os.path.join(folder, "out")
            environment = {**os.environ, "DENOIR_HOME": os.path.join(folder, "home"), "DENOIR_CUDA_MODULE": module,
                           "DENOIR_FAKE_CARD_COUNTS": f"{card}:{counted}"}
            command = [cli, "render", "--model", model, "--prompt", "a red balloon", "--image", os.path.join(source, "resources", "samples", "star-night.png"),
                       "--size", "960x544", "--frames", str(frames), "--steps", "2", "--seed", "5", "--device", "cuda", "--out", f"{out}-{frames}-{card}", "--json"]
            done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
            assert done.returncode == 0, done.stderr
            with open(counted, encoding="utf-8") as f:
                bytes_taken = int(f.read())
            print(f"{frames} frames, card of {card} GiB: {bytes_taken / GB:.2f} GB {done.stderr.strip()}")
            return bytes_taken, done.stderr

        for frames, most in ((57, 4.5 * GB), (97, 4.9 * GB)):
            taken, said = peak(frames, 80)
            assert taken <= most and "MiB of weights" not in said, (frames, taken, said)
        # The ladder: some weights come from the host's memory, and the rest of the run finds its room, too.
        taken, said = peak(57, 3)
        assert taken <= 3 << 30 and "MiB of weights stay on the card" in said, (taken, said)
        assert "again" not in said, said
    return 0


if __name__ == "__main__":
    sys.exit(main())
