# SPDX-License-Identifier: MIT
"""Checks arm64 sequences without an arm64 machine: every interleaving of several CPUs."""
