"""Models made by rule or by chance. Equal arguments give equal models."""

from ._core import garnet, grid_world, inventory, random_grid_map, random_model, river_swim

__all__ = ["garnet", "grid_world", "inventory", "random_grid_map", "random_model", "river_swim"]
