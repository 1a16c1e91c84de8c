# SPDX-License-Identifier: Apache-2.0
"""Documentation/Protocol/Circle.md, "Device": the allowed names of a device."""

from .primitives import Refused

# The page's lists, in its order.
REFUSED = ("0-1F 7F-9F AD 600-605 61C 6DD 70F 890-891 8E2 180E 200B-200F 2028-202E 2060-206F E000-F8FF FDD0-FDEF FEFF "
           "FFF0-FFFB 110BD 110CD 13430-1343F 1BCA0-1BCA3 1D173-1D17A E0000-E00FF E01F0-E0FFF F0000-10FFFF")
BLANK = "20 A0 34F 115F-1160 1680 17B4-17B5 180B-180F 2000-200A 202F 205F 3000 3164 FE00-FE0F FFA0 E0100-E01EF"
SELECTORS = "FE00-FE0F E0100-E01EF"
JOINERS = "200C-200D"


def one_of(character: str, ranges: str) -> bool:
    ends = (entry.split("-") for entry in ranges.split())
    return any(int(each[0], 16) <= ord(character) <= int(each[-1], 16) for each in ends)


def is_refused(character: str) -> bool:
    return one_of(character, REFUSED) or ord(character) & 0xFFFE == 0xFFFE


def may_join(character: str) -> bool:
    return not is_refused(character) and (one_of(character, SELECTORS) or not one_of(character, BLANK))


def is_name(name: str) -> bool:
    for index, character in enumerate(name):
        joins = one_of(character, JOINERS) and 0 < index < len(name) - 1 \
            and may_join(name[index - 1]) and may_join(name[index + 1])
        if is_refused(character) and not joins:
            return False
    shows = any(not is_refused(character) and not one_of(character, BLANK) for character in name)
    return shows and 1 <= len(name.encode()) <= 63


def checked(name: str) -> str:
    if not is_name(name):
        raise Refused("a name that could not be shown as it is")
    return name
