# SPDX-License-Identifier: MIT
"""Colours of the report, seen with and without each kind of cone, by day and by night."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import numpy.typing as npt
import pytest

from wal_bench.report import palette

Color = npt.NDArray[np.float64]

#: Machado, Oliveira, Fernandes 2009, severity 1, on linear RGB.
EYES = {
    "all cones": np.eye(3),
    "no red": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "no green": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "no blue": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
TO_XYZ = np.array(
    [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
) / np.array([[0.9505], [1.0], [1.089]])


def linear(color: str) -> Color:
    part = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)


def lab(light: Color) -> Color:
    xyz = TO_XYZ @ np.clip(light, 0, 1)
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def contrast(one: str, other: str) -> float:
    low, high = sorted(float(TO_XYZ[1] @ linear(color)) for color in (one, other))
    return (high + 0.05) / (low + 0.05)


DAY = [palette.INK, *(style.color for style in palette.LEADERS)]
MODES = {
    "day": (DAY, palette.PAPER),
    "night": ([palette.NIGHTLY[color] for color in DAY], palette.NIGHT),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("eye", EYES)
def test_no_two_colours_look_alike(mode: str, eye: str) -> None:
    for one, other in combinations(MODES[mode][0], 2):
        seen = (lab(EYES[eye] @ linear(color)) for color in (one, other))
        assert np.linalg.norm(np.subtract(*seen)) >= 30, (one, other)


@pytest.mark.parametrize("mode", MODES)
def test_every_colour_stands_out_from_the_page(mode: str) -> None:
    colors, paper = MODES[mode]
    assert min(contrast(color, paper) for color in colors) >= 3
    assert contrast(colors[0], paper) >= 7, "text"


def test_no_two_have_the_same_mark() -> None:
    styles = [palette.BASELINE, *palette.LEADERS, *palette.BOUNDS]
    assert len({style.marker for style in styles}) == len(styles)
    looks = {(style.color, style.dashes, style.width) for style in styles}
    assert len(looks) == len(styles)
