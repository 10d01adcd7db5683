#!/usr/bin/python3
"""Costs of routes by the published rules, computed without the product: reads an OpenStreetMap file itself and searches with networkx.

Reads one JSON object from standard input and writes one to standard output. The input:
  file      path of an .osm file
  profiles  list of {stepFree, noStairs, avoidsCrowds, speed}
  cells     list of [x, y, people] of the heatmap
  closures  list of source ids such as way/12 and node/7
  pairs     list of [node, level, node, level]; a level is in thousandths, or null
The output: {vertices, edges, costs: for each profile the cost of each pair in milliseconds; -1 without a way, null for an unknown end}.
"""
import collections
import functools
import json
import math
import re
import sys
import xml.etree.ElementTree

import networkx

RADIUS = 6371008.8


# Tags.

def one_level(text):
    text = text.strip().replace(",", ".")
    if text.upper() in ("G", "GF", "EG"):
        return 0
    if not re.fullmatch(r"[+-]?\d{1,3}(\.\d{1,3})?", text, re.ASCII):
        return None
    value = round(float(text) * 1000)
    return value if -200000 <= value <= 300000 else None


def level_list(text):
    found = set()
    for part in (text or "").split(";"):
        if part == "":
            continue
        level = one_level(part)
        if level is not None:
            found.add(level)
            continue
        # Every way to cut the part in two at a dash.
        cuts = [(one_level(part[:i]), one_level(part[i + 1:])) for i, c in enumerate(part) if c == "-" and i > 0]
        cuts = [cut for cut in cuts if None not in cut]
        if not cuts:
            return []
        low, high = sorted(cuts[0])
        if (high - low) // 1000 >= 100:
            return []
        found.update(range(low, high + 1, 1000))
        found.add(high)
    return sorted(found) if len(found) <= 100 else []


def all_levels(tags):
    return sorted(set(level_list(tags.get("level")) + level_list(tags.get("repeat_on"))))


def metres_of(text):
    match = re.fullmatch(r"\s*(\d{1,4}(\.\d{1,6})?)\s*m?\s*", (text or "").replace(",", "."), re.ASCII)
    return float(match[1]) if match and float(match[1]) <= 1000 else None


def slope_of(tags):
    match = re.fullmatch(r"\s*([+-]?\d{1,3}(\.\d{1,6})?)\s*(%|°)\s*", tags.get("incline", "").replace(",", "."), re.ASCII)
    if not match:
        return None
    slope = float(match[1]) / 100 if match[3] == "%" else math.tan(float(match[1]) * math.pi / 180)
    return slope if abs(slope) <= 0.6 else None


def leads_up(tags):
    if tags.get("incline") in ("up", "down"):
        return tags["incline"] == "up"
    slope = slope_of(tags)
    return None if not slope else slope > 0


def open_to_all(tags):
    return tags.get("foot", tags.get("access", "yes")) not in ("no", "private", "use_sidepath")


WALKED = set("""footway path bridleway cycleway pedestrian service track living_street steps corridor primary secondary tertiary
    unclassified residential road busway primary_link secondary_link tertiary_link""".split())


def is_walked(tags):
    highway = tags.get("highway")
    if highway in ("motorway", "motorway_link", "trunk", "trunk_link"):
        return "foot" in tags and open_to_all(tags)
    return highway in WALKED and open_to_all(tags)


def stops_everybody(tags):
    if not ({"barrier", "door", "entrance"} & tags.keys() or tags.get("highway") == "elevator"):
        return False
    wall = tags.get("barrier") in ("wall", "fence", "hedge", "retaining_wall", "city_wall", "guard_rail", "handrail")
    return not open_to_all(tags) or tags.get("locked") == "yes" or tags.get("entrance") == "emergency" or (wall and "foot" not in tags)


def is_opening(tags):
    return "door" in tags or tags.get("entrance", "no") != "no"


def wheels_pass_way(tags, kind):
    """Whether people without steps may pass: False only if it is known that they cannot."""
    wheelchair = tags.get("wheelchair")
    if kind == "escalator":
        return False
    if kind == "steps":
        return wheelchair != "no" and (wheelchair in ("yes", "designated") or tags.get("ramp:wheelchair") == "yes")
    if wheelchair in ("yes", "designated"):
        return True
    width, slope = metres_of(tags.get("width")), slope_of(tags)
    return not (wheelchair == "no" or tags.get("smoothness") in ("very_bad", "horrible", "very_horrible", "impassable")
                or (width is not None and width < 0.9) or (slope is not None and abs(slope) > 1 / 12))


def wheels_pass_node(tags):
    if tags.get("wheelchair") in ("yes", "designated", "no"):
        return tags["wheelchair"] != "no"
    width = metres_of(tags.get("door:width", tags.get("width")))
    return not (tags.get("kerb") == "raised" or tags.get("door") == "revolving" or (width is not None and width < 0.9)
                or tags.get("barrier") in ("stile", "turnstile", "full-height_turnstile", "kissing_gate", "step", "cattle_grid"))


# Times.

def half_up(value):
    return math.floor(value + 0.5)


TERRAIN = {"mud": 1.8, "sand": 2.1, "grass": 1.2, "grass_paver": 1.2}
TERRAIN.update(dict.fromkeys("""unpaved ground dirt earth gravel fine_gravel pebblestone woodchips cobblestone unhewn_cobblestone sett
    rock stepping_stones""".split(), 1.1))


def walking_speed(tags, kind, forward):
    if kind == "escalator":
        return 0.5
    if kind == "steps":
        up = leads_up(tags)
        return 0.610 if up is None or up == forward else 0.694
    speed = 1.34 / TERRAIN.get(tags.get("surface"), 1)
    slope = slope_of(tags)
    if slope is None:
        return speed
    if not forward:
        slope = -slope
    return speed * (math.exp(-3.5 * abs(slope + 0.05)) / math.exp(-3.5 * 0.05))


def distance(a, b):
    """Haversine, of points as (latitude, longitude) in ten millionths of a degree."""
    (lat1, lon1), (lat2, lon2) = [(p[0] / 1e7, p[1] / 1e7) for p in (a, b)]
    y, x = math.sin((lat2 - lat1) * math.pi / 360), math.sin((lon2 - lon1) * math.pi / 360)
    square = y * y + math.cos(lat1 * math.pi / 180) * math.cos(lat2 * math.pi / 180) * x * x
    return 2 * RADIUS * math.asin(min(1, math.sqrt(square)))


@functools.cache
def cells_between(a, b):
    (lat1, lon1), (lat2, lon2) = [(p[0] / 1e7, p[1] / 1e7) for p in (a, b)]
    count = max(1, min(500, math.ceil(distance(a, b) / 20)))
    cells = []
    for part in range(count):
        share = (part + 0.5) / count
        lat, lon = lat1 + (lat2 - lat1) * share, lon1 + (lon2 - lon1) * share
        x = (lon + 180) / 360 * 2 ** 19
        y = (1 - math.asinh(math.tan(lat * math.pi / 180)) / math.pi) / 2 * 2 ** 19
        cells.append((math.floor(x), math.floor(y)))
    return cells


def crowd_factor(cell, people, aversion):
    if people.get(cell, 0) <= 0:
        return 1000
    lat = math.atan(math.sinh(math.pi * (1 - 2 * (cell[1] + 0.5) / 2 ** 19)))
    side = 40075016.686 * math.cos(lat) / 2 ** 19
    density = people[cell] * aversion / (side * side * 0.05)
    if density >= 5.4:
        return 10000
    return max(1000, min(10000, half_up(1000 / (1 - math.exp(-1.913 * (1 / density - 1 / 5.4))))))


# Geometry: exact, with whole numbers.

def cross(a, b, c):
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def covers(rings, p):
    """Whether a point is inside the rings (even-odd) or on one."""
    inside = False
    for ring in rings:
        for a, b in zip(ring, ring[1:] + ring[:1]):
            side = cross(a, b, p)
            if side == 0 and min(a[0], b[0]) <= p[0] <= max(a[0], b[0]) and min(a[1], b[1]) <= p[1] <= max(a[1], b[1]):
                return True
            if (a[1] <= p[1]) != (b[1] <= p[1]) and (side > 0) == (b[1] > a[1]):
                inside = not inside
    return inside


def sees(rings, scaled, p, q):
    """Whether the straight line stays in the area: cuts it wherever it meets an edge, and looks at the middle of each piece."""
    cuts = {(0, 1), (1, 1)}
    for ring in rings:
        for a, b in zip(ring, ring[1:] + ring[:1]):
            above, below = cross(p, q, a), cross(p, q, b)
            if above * below > 0:
                continue
            if above * below < 0 and cross(a, b, p) * cross(a, b, q) < 0:
                return False
            if above != below:
                # Where the edge's line meets the line: the share is top / bottom.
                top, bottom = cross(a, b, p), cross(a, b, p) - cross(a, b, q)
                if bottom != 0 and 0 <= top * (1 if bottom > 0 else -1) <= abs(bottom):
                    g = math.gcd(top, bottom) * (1 if bottom > 0 else -1)
                    cuts.add((top // g, bottom // g))
            else:
                for end in (a, b):
                    top = (end[0] - p[0]) * (q[0] - p[0]) + (end[1] - p[1]) * (q[1] - p[1])
                    bottom = (q[0] - p[0]) ** 2 + (q[1] - p[1]) ** 2
                    if bottom and 0 <= top <= bottom:
                        g = math.gcd(top, bottom)
                        cuts.add((top // g, bottom // g))
    cuts = sorted(cuts, key=lambda cut: cut[0] / cut[1])
    for (t1, b1), (t2, b2) in zip(cuts, cuts[1:]):
        top, bottom = t1 * b2 + t2 * b1, 2 * b1 * b2
        middle = (p[0] * bottom + (q[0] - p[0]) * top, p[1] * bottom + (q[1] - p[1]) * top)
        if bottom not in scaled:
            scaled[bottom] = [[(x * bottom, y * bottom) for x, y in ring] for ring in rings]
        if not covers(scaled[bottom], middle):
            return False
        if len(scaled) > 200:
            scaled.clear()
    return True


# The graph. A vertex is (node, level, owner).

class Campus:
    def __init__(self, path):
        root = xml.etree.ElementTree.parse(path).getroot()
        tags = lambda item: {tag.get("k"): tag.get("v") for tag in item.findall("tag")}
        grid = lambda item: (half_up(float(item.get("lat")) * 1e7), half_up(float(item.get("lon")) * 1e7))
        self.points = {int(n.get("id")): grid(n) for n in root.iter("node")}
        self.tags = {int(n.get("id")): tags(n) for n in root.iter("node")}
        ways = {int(w.get("id")): ([int(n.get("ref")) for n in w.findall("nd")], tags(w)) for w in root.iter("way")}
        self.edges = []
        self.vertices = set()
        lines, areas = [], []
        for way, (nodes, way_tags) in sorted(ways.items()):
            if len(nodes) >= 4 and nodes[0] == nodes[-1] and self.is_area(way_tags):
                if all(node in self.points for node in nodes):
                    areas.append(("way/%d" % way, [nodes], [], way_tags))
            elif len(nodes) >= 2 and is_walked(way_tags):
                lines.append(("way/%d" % way, nodes, way_tags))
        for relation in root.iter("relation"):
            relation_tags = tags(relation)
            if relation_tags.get("type") != "multipolygon":
                continue
            members = [(int(m.get("ref")), m.get("role")) for m in relation.findall("member") if m.get("type") == "way"]
            if any(way not in ways for way, _ in members):
                continue
            outer = self.rings([ways[way][0] for way, role in members if role != "inner"])
            holes = self.rings([ways[way][0] for way, role in members if role == "inner"])
            if outer and holes is not None:
                areas.append(("relation/" + relation.get("id"), outer, holes, relation_tags))
        areas = [(name, outer, holes, t, self.area_kind(t)) for name, outer, holes, t in areas]
        areas = [area for area in areas if area[4]]
        self.line_levels = collections.defaultdict(set)
        for _, nodes, line_tags in lines:
            for node in nodes:
                self.line_levels[node].update(all_levels(line_tags) or [None])
        self.squares = collections.Counter()
        for _, outer, holes, _, kind in areas:
            if kind == "square":
                self.squares.update({node for ring in outer + holes for node in ring})
        for line in lines:
            self.add_line(*line)
        self.add_lift_nodes()
        for area in areas:
            (self.add_shaft if area[4] in ("lift", "stairs") else self.add_floor)(*area)
        self.link()

    @staticmethod
    def is_area(t):
        if "area" in t:
            return t["area"] == "yes"
        return (t.get("indoor") in ("room", "corridor", "area") or "room" in t or t.get("stairs") == "yes"
                or t.get("highway") == "elevator")

    @staticmethod
    def area_kind(t):
        if not open_to_all(t):
            return None
        if t.get("highway") == "elevator" or t.get("room") == "elevator":
            return "lift"
        if t.get("stairs") == "yes" or t.get("room") == "stairs":
            return "stairs"
        if t.get("indoor") in ("room", "corridor", "area") or "room" in t:
            return "indoors"
        return "square" if is_walked(t) and t["highway"] != "steps" else None

    @staticmethod
    def rings(lines):
        """Closed rings of lines that meet at their ends; None if one stays open."""
        left, closed = [list(line) for line in lines], []
        while left:
            ring = left.pop(0)
            while ring[0] != ring[-1]:
                for index, line in enumerate(left):
                    if ring[-1] in (line[0], line[-1]):
                        left.pop(index)
                        ring += (line if line[0] == ring[-1] else line[::-1])[1:]
                        break
                else:
                    return None
            if len(ring) < 4:
                return None
            closed.append(ring)
        return closed

    def vertex(self, node, level, owner=None):
        if node not in self.points or stops_everybody(self.tags[node]):
            return None
        key = (node, level, owner)
        self.vertices.add(key)
        return key

    def place(self, vertex):
        return vertex[3] if len(vertex) == 4 else self.points[vertex[0]]

    def edge(self, a, b, time, kind, wheels, feature, outdoors=False):
        if a == b:
            return
        for end in (a, b):
            if len(end) == 3:
                wheels = wheels and wheels_pass_node(self.tags[end[0]])
        self.edges.append((a, b, time, kind, wheels, feature, outdoors))

    def walk(self, a, b, t, kind, feature, outdoors):
        for source, target, forward in ((a, b, True), (b, a, False)):
            if kind == "escalator":
                conveying, oneway = t.get("conveying"), t.get("oneway")
                only = {"forward": True, "backward": False}.get(conveying, {"yes": True, "-1": False}.get(oneway))
                if only is not None and only != forward:
                    continue
            time = half_up(distance(self.place(source), self.place(target)) / walking_speed(t, kind, forward) * 1000)
            self.edge(source, target, time, kind, wheels_pass_way(t, kind), feature, outdoors and kind != "escalator")

    def add_line(self, name, nodes, t):
        kind = "escalator" if t.get("conveying", "no") != "no" else "steps" if t["highway"] == "steps" else "path"
        own = level_list(t.get("level"))
        if (kind != "path" or "incline" in t) and len(own) > 1:
            shifts = [0] + [level - own[0] for level in level_list(t.get("repeat_on"))]
            flights = []
            for shift in shifts:
                for low, high in zip(own, own[1:]):
                    if (low + shift, high + shift) not in flights:
                        flights.append((low + shift, high + shift))
        else:
            flights = [(level, level) for level in all_levels(t) or [None]]
        for low, high in flights:
            start, end = (high, low) if self.goes_down(nodes, t, low, high) else (low, high)
            previous = None
            for index, node in enumerate(nodes):
                if index in (0, len(nodes) - 1) or low == high:
                    level = start if index == 0 else end
                    alone = level is None and self.tags.get(node, {}).get("highway") == "elevator"
                    current = self.vertex(node, level, name if alone else None)
                else:
                    current = self.vertex(node, low, name)
                if previous and current:
                    self.walk(previous, current, t, kind, name, low is None)
                previous = current

    def goes_down(self, nodes, t, low, high):
        if low == high:
            return False
        if leads_up(t) is not None:
            return not leads_up(t)
        first, last = [all_levels(self.tags.get(node, {})) for node in (nodes[0], nodes[-1])]
        return (high in first and low not in first) or (low in last and high not in last)

    def add_lift_nodes(self):
        for node, t in self.tags.items():
            if t.get("highway") != "elevator" or stops_everybody(t):
                continue
            name, wheels = "node/%d" % node, wheels_pass_node(t)
            landings = [v for v in self.vertices if v[0] == node]
            levels = sorted(set(all_levels(t)) | {v[1] for v in landings if v[1] is not None})
            cabin = {level: (name, level, "inside", self.points[node]) for level in levels + [None]}
            self.ride(cabin, levels, name, wheels, True)
            if levels:
                nearest = min(levels, key=lambda level: (abs(level), level))
                self.edge(cabin[None], cabin[nearest], 0, "lift", wheels, name)
                self.edge(cabin[nearest], cabin[None], 0, "lift", wheels, name)
            for landing in landings:
                self.edge(landing, cabin[landing[1]], 30000 if landing[1] is not None else 34500, "lift", wheels, name)
                self.edge(cabin[landing[1]], landing, 0, "lift", wheels, name)

    def ride(self, inside, levels, name, wheels, lift):
        for low, high in zip(levels, levels[1:]):
            rise = (high - low) / 1000
            if lift:
                there = back = half_up(rise * 4500 / 1000 * 1000)
            else:
                there, back = half_up(rise * 6 / 0.610 * 1000), half_up(rise * 6 / 0.694 * 1000)
            self.edge(inside[low], inside[high], there, "lift" if lift else "steps", wheels, name)
            self.edge(inside[high], inside[low], back, "lift" if lift else "steps", wheels, name)

    def on_level(self, node, level):
        levels = all_levels(self.tags[node])
        return level is None or not levels or level in levels

    def add_shaft(self, name, outer, holes, t, kind):
        levels, nodes = all_levels(t), sorted({node for ring in outer + holes for node in ring})
        if not levels or any(node not in self.points for node in nodes):
            return
        middle = tuple(sum(self.points[node][axis] for node in nodes) // len(nodes) for axis in (0, 1))
        wheels = wheels_pass_way(t, "steps" if kind == "stairs" else "lift")
        inside = {level: (name, level, "inside", middle) for level in levels}
        self.ride(inside, levels, name, wheels, kind == "lift")
        for node in nodes:
            for level in levels:
                if not is_opening(self.tags[node]) or not self.on_level(node, level):
                    continue
                door = self.vertex(node, level)
                if not door:
                    continue
                time = half_up(distance(self.points[node], middle) / 1.34 * 1000)
                if kind == "lift":
                    self.edge(door, inside[level], time + 30000, "lift", wheels, name)
                    self.edge(inside[level], door, time, "lift", wheels, name)
                else:
                    self.edge(door, inside[level], time, "path", True, name)
                    self.edge(inside[level], door, time, "path", True, name)

    def is_portal(self, node, kind, level):
        if kind == "square":
            return bool(self.line_levels.get(node)) or self.squares[node] > 1 or is_opening(self.tags[node])
        if level is not None and level in self.line_levels.get(node, ()):
            return True
        return is_opening(self.tags[node]) and self.on_level(node, level)

    def add_floor(self, name, outer, holes, t, kind):
        ids, corners, rings = [], [], []
        for ring, hole in [(ring, False) for ring in outer] + [(ring, True) for ring in holes]:
            nodes = [node for node in ring[:-1] if node in self.points]
            if len(nodes) < 3:
                continue
            xy = [(self.points[node][1], self.points[node][0]) for node in nodes]
            rings.append(xy)
            twice = sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(xy, xy[1:] + xy[:1]))
            for before, here, after in zip(xy[-1:] + xy[:-1], xy, xy[1:] + xy[:1]):
                turn = cross(before, here, after)
                corners.append(turn != 0 and ((turn > 0) == (twice > 0)) == hole)
            ids += nodes
        flat = [point for ring in rings for point in ring]
        scaled = {}
        seen = {}
        for level in all_levels(t) or [None]:
            portals = {node for node in ids if self.is_portal(node, kind, level)}
            used = [i for i in range(len(ids)) if corners[i] or ids[i] in portals]
            ends = {i: self.vertex(ids[i], level, None if ids[i] in portals else name) for i in used}
            outdoors = kind == "square" and level is None
            if len(used) > 300 or len(ids) > 4000:
                for ring in outer + holes:
                    previous = None
                    for node in ring:
                        current = self.vertex(node, level, None if node in portals else name)
                        if previous and current:
                            self.walk(previous, current, t, "path", name, outdoors)
                        previous = current
                continue
            for position, i in enumerate(used):
                for j in used[position + 1:]:
                    if not ends[i] or not ends[j]:
                        continue
                    if (i, j) not in seen:
                        seen[i, j] = sees(rings, scaled, flat[i], flat[j])
                    if seen[i, j]:
                        self.walk(ends[i], ends[j], t, "path", name, outdoors)

    def link(self):
        shared = collections.defaultdict(set)
        for node, level, owner in self.vertices:
            if owner is None:
                shared[node].add(level)
        for node, levels in shared.items():
            known = levels - {None}
            if None not in levels or not known:
                continue
            own = known & set(level_list(self.tags[node].get("level")))
            chosen = min(own) if own else min(known, key=lambda level: (abs(level), level))
            for a, b in ((None, chosen), (chosen, None)):
                self.edge((node, a, None), (node, b, None), 0, "path", True, "node/%d" % node)

    def graph(self, profile, people, closures):
        aversion = 4.0 if profile["avoidsCrowds"] else 1.0
        factors = {}
        graph = networkx.DiGraph()
        graph.add_nodes_from(self.vertices)
        for a, b, time, kind, wheels, feature, outdoors in self.edges:
            if feature in closures or any(len(end) == 3 and "node/%d" % end[0] in closures for end in (a, b)):
                continue
            if (profile["stepFree"] and not wheels) or (profile["noStairs"] and kind == "steps" and not wheels):
                continue
            if kind in ("path", "steps"):
                if outdoors and people:
                    cells = cells_between(self.place(a), self.place(b))
                    for cell in cells:
                        if cell not in factors:
                            factors[cell] = crowd_factor(cell, people, aversion)
                    time = -(-time * sum(factors[cell] for cell in cells) // (1000 * len(cells)))
                time = -(-time * 1340 // profile["speed"])
            if not graph.has_edge(a, b) or graph[a][b]["weight"] > time:
                graph.add_edge(a, b, weight=time)
        return graph


def main():
    wanted = json.load(sys.stdin)
    campus = Campus(wanted["file"])
    people = {(x, y): count for x, y, count in wanted["cells"]}
    targets = collections.defaultdict(list)
    for index, (from_node, from_level, to_node, to_level) in enumerate(wanted["pairs"]):
        targets[from_node, from_level, None].append((index, (to_node, to_level, None)))
    answer = []
    for profile in wanted["profiles"]:
        graph = campus.graph(profile, people, set(wanted["closures"]))
        costs = [None] * len(wanted["pairs"])
        for source, ends in targets.items():
            if source not in campus.vertices:
                continue
            reached = networkx.single_source_dijkstra_path_length(graph, source)
            for index, target in ends:
                if target in campus.vertices:
                    costs[index] = reached.get(target, -1)
        answer.append(costs)
    inside = {end for edge in campus.edges for end in edge[:2] if len(end) == 4}
    json.dump({"vertices": len(campus.vertices) + len(inside), "edges": len(campus.edges), "costs": answer}, sys.stdout)


main()
