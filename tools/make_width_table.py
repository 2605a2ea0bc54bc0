#!/usr/bin/env python3
"""Writes src/ui/width_table.cpp: the code points that take no column of a terminal, and those that take two.

    python3 tools/make_width_table.py > src/ui/width_table.cpp

We carry the table because wcwidth() of a static C library knows only the locale "C".
"""
import sys
import unicodedata


def takes_none(point):
    char = chr(point)
    if point == 0xAD:  # the soft hyphen is shown by terminals
        return False
    if 0x1160 <= point <= 0x11FF:  # Hangul vowels and finals, drawn into the cell of the initial
        return True
    return unicodedata.category(char) in ("Mn", "Me", "Cf")


def takes_two(point):
    if takes_none(point):
        return False
    if 0x20000 <= point <= 0x2FFFD or 0x30000 <= point <= 0x3FFFD:  # the ideographic planes, unassigned ones too
        return True
    return unicodedata.east_asian_width(chr(point)) in ("W", "F")


def ranges(wanted):
    found, first = [], None
    for point in range(0x80, 0x110001):
        inside = point <= 0x10FFFF and wanted(point)
        if inside and first is None:
            first = point
        elif not inside and first is not None:
            found.append((first, point - 1))
            first = None
    return found


def write(name, found):
    print(f"const std::array<PointRange, {len(found)}> {name}{{{{")
    line = "   "
    for first, last in found:
        item = f" {{0x{first:X}, 0x{last:X}}},"
        if len(line) + len(item) > 118:
            print(line)
            line = "   "
        line += item
    print(line)
    print("}};")


def main():
    print(f"// Written by tools/make_width_table.py from Unicode {unicodedata.unidata_version}; do not edit.")
    print('#include "ui/width_table.hpp"\n\n#include <array>\n\n// clang-format off\nnamespace ydl::ui {\nnamespace {\n')
    write("kNone", ranges(takes_none))
    print()
    write("kTwo", ranges(takes_two))
    print("\n}  // namespace\n")
    print("std::span<const PointRange> zero_width_ranges() { return kNone; }")
    print("std::span<const PointRange> double_width_ranges() { return kTwo; }")
    print("\n}  // namespace ydl::ui")


if __name__ == "__main__":
    sys.exit(main())
