"""First guesses of a table's plane, from single cards that lie on it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from vision.locate_cards import Problem, plane_of, unknowns_of
from vision.place import fit_rectangles
from vision.types import Array

MAX_STARTS = 6
"""Cards from which a first guess is made; the largest ones."""
FOCAL_GUESSES = (1.0, 0.7, 1.4)
TURNED_COST = 0.05
"""Of doubting the detector's order of corners, where 1 is a quad that does not fit."""
ALIKE = math.cos(math.radians(10))
MAX_GUESSES = 6
"""First guesses that are followed, where the one before led nowhere good."""


def first_guesses(problem: Problem) -> Iterator[tuple[Problem, Array]]:
    """Yield unknowns, the best first, with the problem whose quads start rightly."""
    rated = [
        candidate
        for factor in FOCAL_GUESSES
        for candidate in _rate_planes(problem, factor)
    ]
    rated.sort(key=lambda candidate: candidate[0])
    taken: list[tuple[Array, Array]] = []
    for _, unknowns, turned in rated:
        up = plane_of(unknowns[None, :])[0]
        up /= np.linalg.norm(up)
        if any(
            up @ other > ALIKE and np.array_equal(turned, others)
            for other, others in taken
        ):
            continue
        taken.append((up, turned))
        quads = problem.quads_px
        started = np.where(turned[:, None, None], np.roll(quads, 1, axis=1), quads)
        yield replace(problem, quads_px=started), unknowns
        if len(taken) == MAX_GUESSES:
            return


def _rate_planes(problem: Problem, factor: float) -> list[tuple[float, Array, Array]]:
    """Return (cost, unknowns, which quads are taken to start at a long edge)."""
    quads = problem.quads_px
    camera = problem.camera.scaled_focal(factor)
    rays = camera.rays(quads.reshape(-1, 2)).reshape(-1, 4, 3)
    diagonals = np.linalg.norm(quads[:, 0] - quads[:, 2], axis=1)
    planes = _planes_of_cards(rays[np.argsort(-diagonals)[:MAX_STARTS]], problem)
    # (planes, quads, corners): the inverse depth of every corner on every plane.
    nearness = -np.einsum("sk,nck->snc", planes, rays)
    seen = (nearness > 0).all(axis=2)
    points = rays / np.where(nearness > 0, nearness, np.inf)[..., None]
    flat = np.einsum("sncj,sjk->snck", points, _axes_in(planes))
    _, _, along = fit_rectangles(flat, problem.model_mm)
    _, _, across = fit_rectangles(np.roll(flat, 1, axis=2), problem.model_mm)
    px_per_mm = camera.focal_px[0] * nearness.mean(axis=2)
    # Robust: a quad that fits nowhere must not decide between the guesses. What counts
    # as fitting is a share of the card, for the guesses are rough.
    reach_px2 = 4 * ((0.03 * diagonals) ** 2 + problem.sigma_px**2)

    def cost(left_mm2: Array) -> Array:
        left_px2 = left_mm2 * px_per_mm**2
        shares = np.where(seen, left_px2 / (left_px2 + reach_px2), 1.0)
        return np.asarray(shares.sum(axis=1), float)

    # A card that lies across at a low camera looks wider than high, and its quad starts
    # at the other corner. The guess is too rough to settle that: the detector's own
    # order stays in the race on every plane.
    turned = 2 * across < along
    mixed = cost(np.where(turned, across, along)) + TURNED_COST * turned.sum(axis=1)
    as_given, none = cost(along), np.zeros(len(quads), bool)
    rated = []
    for index, plane in enumerate(planes):
        unknowns = unknowns_of(plane, math.log(factor))
        rated.append((float(as_given[index]), unknowns, none))
        if turned[index].any():
            rated.append((float(mixed[index]), unknowns, turned[index]))
    return rated


def _planes_of_cards(rays: Array, problem: Problem) -> Array:
    """Return the (S, 3) planes that single cards suggest, for (N, 4, 3) rays."""
    turned = np.roll(rays, 1, axis=1)
    views = _views_from_cards(np.concatenate([rays, turned])[..., :2], problem.model_mm)
    # Two columns are the card's axes, of length one; the third is its place.
    views = (
        views * (2 / np.linalg.norm(views[:, :, :2], axis=1).sum(axis=1))[:, None, None]
    )
    up = np.cross(views[:, :, 0], views[:, :, 1])
    up /= np.linalg.norm(up, axis=1, keepdims=True)
    place = views[:, :, 2]
    sight = place / np.linalg.norm(place, axis=1, keepdims=True)
    facing = np.einsum("nj,nj->n", up, sight)[:, None]
    # A small card seen at an angle looks almost the same tilted the other way, and
    # noise cannot tell: turn it by half about the line of sight. And straight on.
    normals = np.concatenate([up, 2 * facing * sight - up, -sight])
    places = np.concatenate([place, place, place])
    distance = -np.einsum("nj,nj->n", normals, places)
    planes = normals / np.where(distance > 1, distance, 1.0)[:, None]
    # Cameras that look above the horizon see no table to speak of.
    sensible: Array = planes[(distance > 1) & (normals[:, 2] < -0.01)]
    return sensible


def _views_from_cards(seen: Array, model_mm: Array) -> Array:
    """Return (N, 3, 3) exact homographies from the model to (N, 4, 2) points."""
    u, v = seen[..., 0], seen[..., 1]
    x, y = (
        np.broadcast_to(model_mm[:, 0], u.shape),
        np.broadcast_to(model_mm[:, 1], u.shape),
    )
    one, none = np.ones_like(u), np.zeros_like(u)
    rows_u = np.stack([x, y, one, none, none, none, -u * x, -u * y], axis=-1)
    rows_v = np.stack([none, none, none, x, y, one, -v * x, -v * y], axis=-1)
    equations = np.concatenate([rows_u, rows_v], axis=1)
    found = np.linalg.solve(equations, np.concatenate([u, v], axis=1)[..., None])
    return np.concatenate([found[..., 0], np.ones((len(u), 1))], axis=1).reshape(
        -1, 3, 3
    )


def _axes_in(planes: Array) -> Array:
    """Return (S, 3, 2): two axes in each plane, right-handed seen from the camera."""
    up = planes / np.linalg.norm(planes, axis=1, keepdims=True)
    right = np.cross(np.array([0.0, 1.0, 0.0]), -up)
    right = right / np.linalg.norm(right, axis=1, keepdims=True)
    return np.stack([right, np.cross(up, right)], axis=2)
