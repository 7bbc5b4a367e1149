# The C types of `feature_loops.py`, for Cython.

cimport cython
from libc.stdint cimport int32_t, uint64_t

@cython.locals(
    depth=Py_ssize_t, trees=Py_ssize_t, count=Py_ssize_t, row=Py_ssize_t, tree=Py_ssize_t, level=Py_ssize_t,
    feature=Py_ssize_t, border=float,
)
cpdef leaf_sums(
    const float[:, ::1] columns, const Py_ssize_t[:, ::1] features, const float[:, ::1] borders, const float[:, ::1] leaves,
    int32_t[::1] numbers, double[::1] sums
)

@cython.locals(
    block=Py_ssize_t, group=Py_ssize_t, level=Py_ssize_t, element=Py_ssize_t, depth=double, total=double, against=double,
    in_favour=double, against_in_part=double, lowest=double, highest=double, part_lowest=double, part_highest=double,
    name_highest=double, name_lowest=double, own=double, part=double,
)
cpdef around(
    const Py_ssize_t[:, ::1] lineage, const Py_ssize_t[::1] kinds, const Py_ssize_t[::1] groups, const double[:, ::1] said,
    const double[::1] shares, double half, double[:, ::1] tags, double[:, ::1] names
)

@cython.locals(
    held=Py_ssize_t, near=Py_ssize_t, per_level=Py_ssize_t, block=Py_ssize_t, level=Py_ssize_t, element=Py_ssize_t,
    row=Py_ssize_t, column=Py_ssize_t, count=Py_ssize_t, place=Py_ssize_t,
)
cpdef ancestors(
    const Py_ssize_t[:, ::1] lineage, const Py_ssize_t[::1] first, const Py_ssize_t[::1] last, const double[::1] shares,
    const double[:, ::1] table, double[:, ::1] values, Py_ssize_t levels
)

@cython.locals(count=Py_ssize_t, bar=double, best=Py_ssize_t, most=double, before=Py_ssize_t, element=Py_ssize_t)
cpdef Py_ssize_t container(const double[::1] held, const Py_ssize_t[::1] stops, double share)

@cython.locals(
    stop=Py_ssize_t, element=Py_ssize_t, depth=double, block=Py_ssize_t, up=Py_ssize_t, level=Py_ssize_t
)
cpdef path_to(
    Py_ssize_t main, const Py_ssize_t[:, ::1] lineage, const Py_ssize_t[::1] parents, const Py_ssize_t[::1] stops,
    double[::1] depths, double[:, ::1] values
)

@cython.locals(count=Py_ssize_t, row=Py_ssize_t, reach=Py_ssize_t, block=Py_ssize_t, start=Py_ssize_t, stop=Py_ssize_t)
cpdef windows(
    const double[::1] held, const double[::1] sizes, const double[::1] links, tuple reaches, double[:, ::1] values
)

@cython.locals(
    count=Py_ssize_t, row=Py_ssize_t, before=Py_ssize_t, after=Py_ssize_t, block=Py_ssize_t, start=Py_ssize_t,
    stop=Py_ssize_t, size=double,
)
cpdef purities(const double[::1] held, const double[::1] sizes, tuple reaches, double[:, ::1] values)

@cython.locals(
    block=Py_ssize_t, level=Py_ssize_t, element=Py_ssize_t, tags=uint64_t, names=uint64_t, power=uint64_t, number=uint64_t
)
cpdef signatures(
    const Py_ssize_t[:, ::1] lineage, const Py_ssize_t[::1] kinds, const Py_ssize_t[::1] classes, uint64_t[::1] by_tags,
    uint64_t[::1] by_names
)

@cython.locals(
    levels=Py_ssize_t, most=Py_ssize_t, block=Py_ssize_t, element=Py_ssize_t, level=Py_ssize_t, used=Py_ssize_t
)
cpdef lineages(
    const Py_ssize_t[::1] owners, const Py_ssize_t[::1] parents, Py_ssize_t[:, ::1] lineage, Py_ssize_t[::1] numbers
)
