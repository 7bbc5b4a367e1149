# The C types of `outline_loops.py`, for Cython.

cimport cython
from libc.stdint cimport uint8_t

@cython.locals(
    count=Py_ssize_t, parent=Py_ssize_t, depth=Py_ssize_t, element=Py_ssize_t, left=Py_ssize_t, last=Py_ssize_t
)
cpdef nest(list children, Py_ssize_t[::1] parents, Py_ssize_t[::1] stops, Py_ssize_t[::1] opened, Py_ssize_t[::1] closed)

@cython.locals(element=Py_ssize_t)
cpdef inside(const Py_ssize_t[::1] parents, const uint8_t[::1] chosen, uint8_t[::1] found)

@cython.locals(element=Py_ssize_t)
cpdef nearest(const Py_ssize_t[::1] parents, const uint8_t[::1] chosen, Py_ssize_t[::1] found)

@cython.locals(
    texts=list, place=Py_ssize_t, solid=Py_ssize_t, count=Py_ssize_t, top=Py_ssize_t, element=Py_ssize_t,
    parent=Py_ssize_t, text=str,
)
cpdef visible_texts(
    list elements, const Py_ssize_t[:, ::1] nesting, const uint8_t[::1] breaks, const uint8_t[::1] shown, str line_break,
    Py_ssize_t[:, ::1] found
)

@cython.locals(
    runs=list, walls=Py_ssize_t, breaks=Py_ssize_t, reached=Py_ssize_t, start=Py_ssize_t, number=Py_ssize_t,
    walls_before=Py_ssize_t, breaks_before=Py_ssize_t, place=Py_ssize_t, event=Py_ssize_t,
)
cpdef join_runs(
    list texts, const Py_ssize_t[::1] events, const Py_ssize_t[::1] places, const uint8_t[::1] marks,
    Py_ssize_t[::1] bounds
)

@cython.locals(
    dense=uint8_t, closer=uint8_t, stop=uint8_t, ellipsis=uint8_t, number=Py_ssize_t, text=str, before=uint8_t,
    ending=uint8_t, earlier=uint8_t, kind=uint8_t, place=Py_ssize_t, char=Py_UCS4, point=Py_UCS4,
)
cpdef count_characters(
    list texts, const uint8_t[::1] table, tuple kinds, double[:, ::1] counts, uint8_t[::1] first, uint8_t[::1] last
)
