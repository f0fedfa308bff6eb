# SPDX-License-Identifier: Apache-2.0
"""Denoir's reference: small PyTorch programs that define what the engine must compute, and the fixtures made with them."""
