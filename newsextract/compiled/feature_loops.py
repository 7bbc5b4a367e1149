"""The loops of the compiled core over blocks, the elements around them, and the trees that judge them, in Python.

`feature_loops.pxd` gives Cython their C types. Each writes into arrays that its caller has made. Interpreted they are
slow, and serve only to test what is compiled. No logarithm is taken here: numpy's differ from C's in the last bit. Sums
run in the order in which numpy adds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Singles = NDArray[np.float32]
    Integers = NDArray[np.intp]
    Words = NDArray[np.uint64]


def leaf_sums(
    columns: Singles, features: Integers, borders: Singles, leaves: Singles, numbers: NDArray[np.int32], sums: Floats
) -> None:
    """Add to the sums the leaves that each row reaches in oblivious trees; see `ObliviousTrees`."""
    depth, trees, count = features.shape[0], features.shape[1], columns.shape[1]
    for tree in range(trees):
        for row in range(count):
            numbers[row] = 0
        for level in range(depth - 1, -1, -1):
            feature = features[level, tree]
            border = borders[level, tree]
            for row in range(count):
                numbers[row] = numbers[row] * 2 + (columns[feature, row] > border)
        for row in range(count):
            sums[row] += leaves[tree, numbers[row]]


def around(
    lineage: Integers,
    kinds: Integers,
    groups: Integers,
    said: Floats,
    shares: Floats,
    half: float,
    tags: Floats,
    names: Floats,
) -> None:
    """Count the kinds of elements around each block, and add up what their names say; see `of_tags` and `of_names`."""
    for block in range(lineage.shape[1]):
        depth = 0.0
        total = against = in_favour = against_in_part = 0.0
        lowest = highest = part_lowest = part_highest = name_highest = name_lowest = 0.0
        for group in range(5, tags.shape[0]):
            tags[group, block] = 0.0
        for level in range(lineage.shape[0]):
            element = lineage[level, block]
            own = said[element, 0]
            part = own if shares[element] < half else 0.0
            group = groups[kinds[element]]
            if level < 3:
                tags[level, block] = kinds[element]
                names[level, block] = own
            if element > 0:
                depth += 1.0
            if group >= 0:
                tags[5 + group, block] += 1.0
            if level < 5:
                total += own
                if level == 1:
                    names[3, block] = total
            against += min(0.0, own)
            in_favour += max(0.0, own)
            against_in_part += min(0.0, part)
            if level == 0 or own < lowest:
                lowest = own
            if level == 0 or own > highest:
                highest = own
            if level == 0 or part < part_lowest:
                part_lowest = part
            if level == 0 or part > part_highest:
                part_highest = part
            if level == 0 or said[element, 2] < name_lowest:
                name_lowest = said[element, 2]
            if level == 0 or said[element, 1] > name_highest:
                name_highest = said[element, 1]
        tags[3, block] = depth
        names[4, block] = total
        names[5, block] = lowest
        names[6, block] = highest
        names[7, block] = against
        names[8, block] = in_favour
        names[9, block] = part_lowest
        names[10, block] = part_highest
        names[11, block] = against_in_part
        names[12, block] = name_lowest
        names[13, block] = name_highest


def ancestors(
    lineage: Integers, first: Integers, last: Integers, shares: Floats, table: Floats, values: Floats, levels: int
) -> None:
    """Gather what the elements around each block hold; see `of_ancestors`."""
    held, near = table.shape[0], values.shape[0] - levels
    per_level = held + 1
    for block in range(lineage.shape[1]):
        for level in range(levels):
            values[level, block] = shares[lineage[level, block]]
        for level in range(near // per_level):
            element = lineage[level + 1, block]
            row = levels + level * per_level
            for column in range(held):
                values[row + column, block] = table[column, element]
            count = last[element] - first[element]
            place = block - first[element]
            values[row + held, block] = (1.0 * place) / (max(1, count))


def container(held: Floats, stops: Integers, share: float) -> int:
    """Find the innermost element that holds a share; see `region_features.container`."""
    count = len(held)
    bar = share * held[0]
    best, most = 0, -1.0
    before = -1
    for element in range(count):
        if held[element] >= bar and held[element] > 0.0:
            if before >= 0 and element >= stops[before] and held[before] > most:
                best, most = before, held[before]
            before = element
    if before >= 0 and held[before] > most:
        best = before
    return best


def path_to(main: int, lineage: Integers, parents: Integers, stops: Integers, depths: Floats, values: Floats) -> None:
    """Find the path of each block to a container; see `of_container`."""
    stop = stops[main]
    element, depth = main, 0.0
    while element > 0:
        depths[element] = depth
        element, depth = parents[element], depth + 1.0
    depths[0] = depth
    for block in range(lineage.shape[1]):
        up = 0
        for level in range(lineage.shape[0]):
            element = lineage[level, block]
            if element <= main < stops[element]:
                up = level
                break
        values[0, block] = up
        values[1, block] = depths[lineage[up, block]]
        values[2, block] = -1.0 if lineage[0, block] < main else 1.0 if lineage[0, block] >= stop else 0.0


def windows(held: Floats, sizes: Floats, links: Floats, reaches: Sequence[int], values: Floats) -> None:
    """Compute the running text and the links around each block; see `of_surroundings`."""
    count = len(held) - 1
    row = 0
    for reach in reaches:
        for block in range(count):
            start = block - reach if block > reach else 0
            stop = min(count, block + reach + 1)
            values[row, block] = (held[stop] - held[start]) / (stop - start)
            values[row + 1, block] = (links[stop] - links[start]) / (sizes[stop] - sizes[start])
        row += 2


def purities(held: Floats, sizes: Floats, reaches: Sequence[tuple[int, int]], values: Floats) -> None:
    """Compute the expected share of content around each block; see `context_features._windows`."""
    count = len(held) - 1
    row = 0
    for before, after in reaches:
        for block in range(count):
            start = block - before if block > before else 0
            stop = min(count, block + after)
            size = sizes[stop] - sizes[start]
            values[row, block] = (held[stop] - held[start]) / (max(1.0, size))
        row += 1


def signatures(lineage: Integers, kinds: Integers, classes: Integers, by_tags: Words, by_names: Words) -> None:
    """Compute a number for the tags around each block, and one for the nearer tags with classes; see `alike`."""
    for block in range(lineage.shape[1]):
        tags = names = 0
        power = 1
        for level in range(lineage.shape[0]):
            power = power * 1_000_003 & 0xFFFF_FFFF_FFFF_FFFF
            element = lineage[level, block]
            number = kinds[element] + 1
            if element > 0:
                tags += number * power
            if level < 4:
                names += (number * 65_537 + classes[element]) * power
        by_tags[block] = tags & 0xFFFF_FFFF_FFFF_FFFF
        by_names[block] = names & 0xFFFF_FFFF_FFFF_FFFF


def lineages(owners: Integers, parents: Integers, lineage: Integers, numbers: Integers) -> tuple[int, int]:
    """Find the elements around blocks, and number those that are used; see `block_layout._lineage`.

    `lineage` comes full of zeros, `numbers` too. Return how many levels of ancestors there are, and of used elements.
    """
    levels = 1
    most = lineage.shape[0] - 1
    for block in range(lineage.shape[1]):
        element = owners[block]
        level = 0
        while True:
            lineage[level, block] = element
            numbers[element] = 1
            level += 1
            if element <= 0 or level == most:
                break
            element = parents[element]
        levels = max(levels, level)
    numbers[0] = 1
    used = 0
    for element in range(len(numbers)):
        used += numbers[element]
        numbers[element] = used - 1
    return levels, used
