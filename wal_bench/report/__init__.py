# SPDX-License-Identifier: MIT
"""The page that `wal-bench report` makes of the JSON of runs."""
