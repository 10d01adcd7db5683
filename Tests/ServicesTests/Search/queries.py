"""Writes queries as people type them, for the names of an OpenStreetMap file, and the objects that answer them. Shares nothing with the
product; the same file gives the same queries. Usage: queries.py FILE COUNT OUTPUT"""

import json
import random
import sys
import unicodedata
import xml.etree.ElementTree as ET

NEIGHBOURS = {
    "a": "sqz", "b": "vn", "c": "xv", "d": "sf", "e": "wr", "f": "dg", "g": "fh", "h": "gj", "i": "uo", "j": "hk", "k": "jl", "l": "k",
    "m": "n", "n": "bm", "o": "ip", "p": "o", "q": "w", "r": "et", "s": "ad", "t": "ry", "u": "yi", "v": "cb", "w": "qe", "x": "zc",
    "y": "tu", "z": "x",
}
CYRILLIC = [
    ("sch", "ш"), ("sh", "ш"), ("ch", "ч"), ("zh", "ж"), ("ya", "я"), ("yu", "ю"), ("a", "а"), ("b", "б"), ("c", "к"), ("d", "д"),
    ("e", "е"), ("f", "ф"), ("g", "г"), ("h", "х"), ("i", "и"), ("j", "й"), ("k", "к"), ("l", "л"), ("m", "м"), ("n", "н"), ("o", "о"),
    ("p", "п"), ("q", "к"), ("r", "р"), ("s", "с"), ("t", "т"), ("u", "у"), ("v", "в"), ("w", "в"), ("x", "кс"), ("y", "й"), ("z", "з"),
]
ACCENTS = {"a": "á", "e": "è", "i": "î", "o": "ö", "u": "ü", "n": "ñ", "c": "ç"}
PLACES = {"shop", "tourism", "office"}
SPORTS = {"sports_centre", "fitness_centre", "stadium", "swimming_pool"}
OTHERS = {"official_name", "alt_name", "short_name", "loc_name", "old_name"}


def is_destination(kind, tags):
    if "indoor" in tags or "room" in tags:
        is_room = tags.get("indoor") in ("room", "area", "corridor") or "room" in tags
        return is_room and tags.get("highway") != "elevator" and tags.get("stairs") != "yes" and kind != "relation"
    if kind != "node" and tags.get("building", "no") != "no":
        return "name" in tags
    if tags.get("amenity") == "parking":
        return False
    is_place = "amenity" in tags or any(key in tags for key in PLACES) or tags.get("leisure") in SPORTS
    return "name" in tags and (is_place or tags.get("highway") == "bus_stop")


def objects(path):
    for element in ET.parse(path).getroot():
        if element.tag not in ("node", "way"):
            continue
        tags = {tag.get("k"): tag.get("v").strip() for tag in element.findall("tag")}
        if is_destination(element.tag, tags):
            yield f"{element.tag}/{element.get('id')}", tags


def plain(text):
    return "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c)).casefold()


def mistyped(text, chance):
    """One error of typing, in a word of at least four letters."""
    spots = [i for i in range(len(text)) if text[i].isalpha() and sum(c.isalpha() for c in text[max(0, i - 3) : i + 4]) >= 4]
    if not spots:
        return text
    at = chance.choice(spots)
    letter = text[at]
    kind = chance.choice(["other", "missing", "twice", "swapped", "more"])
    if kind == "other":
        near = chance.choice(NEIGHBOURS.get(letter.lower(), "e"))
        return text[:at] + near + text[at + 1 :]
    if kind == "missing":
        return text[:at] + text[at + 1 :]
    if kind == "twice":
        return text[:at] + letter + text[at:]
    if kind == "swapped" and at + 1 < len(text) and text[at + 1].isalpha():
        return text[:at] + text[at + 1] + letter + text[at + 2 :]
    return text[:at] + chance.choice("aeionrst") + text[at:]


def in_cyrillic(text):
    result, rest = "", text.casefold()
    while rest:
        for latin, letter in CYRILLIC:
            if rest.startswith(latin):
                result, rest = result + letter, rest[len(latin) :]
                break
        else:
            result, rest = result + rest[0], rest[1:]
    return result


def main():
    path, count = sys.argv[1], int(sys.argv[2])
    chance = random.Random(25)
    known = sorted(objects(path))
    named = [(i, t) for i, t in known if len(t.get("name", "")) >= 5 and t["name"].isascii()]
    accented = [(i, t) for i, t in known if plain(t.get("name", "")) != t.get("name", "").casefold()]
    coded = [(i, t) for i, t in known if ("indoor" in t or "room" in t) and len(t.get("ref", "")) >= 3]
    others = [
        (i, t, part.strip())
        for i, t in known
        for key, value in sorted(t.items())
        if key in OTHERS or key.startswith(("name:", "alt_name:"))
        for part in value.split(";")
        if len(part.strip()) >= 3 and part.strip() != t.get("name")
    ]
    kinds = ["typing", "typing", "two", "beginning", "blank", "order", "accents", "capitals", "script", "code", "code", "other", "none"]
    queries, seen = [], set()
    for turn in range(count * 50):
        if len(queries) == count:
            break
        kind = kinds[turn % len(kinds)]
        pool = {"code": coded, "other": others, "none": accented}.get(kind, named)
        if not pool:
            continue
        one = chance.choice(pool)
        name = one[1].get("name", "")
        wanted = lambda t: t.get("name", "") == name
        if kind == "typing":
            text = mistyped(name, chance)
        elif kind == "two":
            if len(name) < 10:
                continue
            text = mistyped(mistyped(name, chance), chance)
        elif kind == "beginning":
            text = name[: max(5, len(name) * 6 // 10)].strip()
            wanted = lambda t: t.get("name", "").startswith(text)
        elif kind == "blank":
            if " " not in name:
                continue
            text = name.replace(" ", "", 1)
        elif kind == "order":
            words = name.split()
            if len(words) < 2:
                continue
            text = " ".join(words[1:] + words[:1])
        elif kind == "accents":
            text = "".join(ACCENTS.get(c, c) for c in name)
        elif kind == "capitals":
            text = mistyped(name.upper() if chance.random() < 0.5 else name.lower(), chance)
        elif kind == "script":
            text = in_cyrillic(name)
        elif kind == "code":
            code = one[1]["ref"]
            text = chance.choice([code, code.lower(), code[0] + " " + code[1:], "APB " + code, "apb/" + code.lower(), "Room " + code])
            wanted = lambda t: t.get("ref", "") == code and ("indoor" in t or "room" in t)
        elif kind == "other":
            other = one[2]
            text = other if len(other) < 8 or chance.random() < 0.5 else mistyped(other, chance)
            wanted = lambda t: any(other in value for key, value in t.items() if "name" in key)
        else:
            text = plain(name)
        answers = sorted(i for i, t in known if wanted(t))
        if (kind, text) in seen or text == "":
            continue
        seen.add((kind, text))
        queries.append({"kind": kind, "text": text, "answers": answers})
    with open(sys.argv[3], "w") as output:
        json.dump(queries, output, ensure_ascii=False)


main()
