import Testing

@testable import Routing

/// What tags say, by tables.
@Suite("Tags of routes")
struct RouteTagTests {
    @Test(
        "A way is impassable without steps if that is known, uncertain if something speaks against it, otherwise likely",
        arguments: [
            (["highway": "footway"], StepFree.likely),
            (["highway": "footway", "wheelchair": "yes", "width": "0.5"], .known),
            (["highway": "footway", "wheelchair": "no"], .impassable),
            (["highway": "footway", "wheelchair": "limited"], .uncertain),
            (["highway": "footway", "incline": "9%"], .impassable),
            (["highway": "footway", "incline": "-9 %"], .impassable),
            (["highway": "footway", "incline": "7%"], .uncertain),
            (["highway": "footway", "incline": "5°"], .impassable),
            (["highway": "footway", "incline": "4%"], .likely), (["highway": "footway", "incline": "up"], .uncertain),
            (["highway": "footway", "incline": "steep"], .uncertain),
            (["highway": "footway", "width": "0.8"], .impassable),
            (["highway": "footway", "width": "0,9 m"], .likely), (["highway": "footway", "width": "narrow"], .likely),
            (["highway": "footway", "surface": "gravel"], .uncertain),
            (["highway": "footway", "smoothness": "horrible"], .impassable),
            (["highway": "footway", "smoothness": "bad"], .uncertain), (["highway": "path"], .uncertain),
            (["highway": "path", "surface": "asphalt"], .likely),
        ])
    func ways(_ tags: [String: String], _ expected: StepFree) {
        #expect(StepFree(way: tags, kind: .path) == expected)
    }

    @Test("Steps are impassable unless they have a ramp for wheelchairs, and escalators always")
    func steps() {
        #expect(StepFree(way: [:], kind: .steps) == .impassable)
        #expect(StepFree(way: ["ramp": "yes"], kind: .steps) == .impassable)
        #expect(StepFree(way: ["ramp:wheelchair": "yes"], kind: .steps) == .known)
        #expect(StepFree(way: ["ramp:wheelchair": "yes", "wheelchair": "no"], kind: .steps) == .impassable)
        #expect(StepFree(way: ["wheelchair": "yes"], kind: .escalator) == .impassable)
    }

    @Test(
        "A node is a known barrier, uncertain, or likely passable",
        arguments: [
            (["kerb": "raised"], StepFree.impassable), (["kerb": "raised", "wheelchair": "yes"], .known),
            (["kerb": "lowered"], .likely),
            (["kerb": "rolled"], .uncertain), (["door": "revolving"], .impassable),
            (["door": "hinged", "width": "0.85"], .impassable),
            (["door": "hinged"], .likely), (["barrier": "turnstile"], .impassable),
            (["barrier": "cycle_barrier"], .uncertain),
            (["barrier": "bollard"], .likely), (["wheelchair": "no"], .impassable), ([:], .likely),
        ])
    func nodes(_ tags: [String: String], _ expected: StepFree) {
        #expect(StepFree(node: tags) == expected)
    }

    @Test(
        "Private ways, motorways and unknown kinds are not walked; a sign for pedestrians decides",
        arguments: [
            (["highway": "footway"], true), (["highway": "footway", "access": "private"], false),
            (["highway": "footway", "access": "private", "foot": "yes"], true),
            (["highway": "footway", "foot": "no"], false),
            (["highway": "motorway"], false), (["highway": "trunk", "foot": "yes"], true),
            (["highway": "proposed"], false), ([:], false),
        ])
    func access(_ tags: [String: String], _ expected: Bool) {
        #expect(Access.isWalkable(tags) == expected)
    }

    @Test("A locked door, an emergency exit and a wall stop everybody; a gate does not")
    func blocked() {
        #expect(Access.isBlocked(node: ["door": "yes", "locked": "yes"]))
        #expect(Access.isBlocked(node: ["entrance": "emergency"]))
        #expect(Access.isBlocked(node: ["barrier": "gate", "access": "private"]))
        #expect(Access.isBlocked(node: ["barrier": "wall"]))
        #expect(!Access.isBlocked(node: ["barrier": "gate"]))
        #expect(!Access.isBlocked(node: ["amenity": "bench", "access": "private"]))
    }

    @Test(
        "Lengths and inclines that are none are unknown",
        arguments: ["", "x", "1e9", "99999", "-1", "nan", "1.2.3", "∞", "1 km"])
    func unknown(_ text: String) {
        #expect(Metres.parse(text) == nil)
        #expect(Incline(text)?.slope == nil)
    }

    @Test("Paths uphill take longer by Tobler's function, and rough ground by the terrain's coefficient")
    func speeds() {
        func speed(_ tags: [String: String], isForward: Bool = true) -> Double {
            WalkingTime.speed(tags, kind: .path, isForward: isForward)
        }
        #expect(speed([:]) == 1.34)
        #expect(abs(speed(["incline": "10%"]) / 1.34 - 0.7047) < 0.001)
        #expect(abs(speed(["incline": "10%"], isForward: false) / 1.34 - 1) < 0.001)
        #expect(abs(speed(["surface": "sand"]) - 1.34 / 2.1) < 0.001)
    }
}
