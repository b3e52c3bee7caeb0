"""Towers, verdicts and falls to look at: one scene, drawn as a still, as a moving picture, as a page, as solids."""
