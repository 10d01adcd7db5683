import Campus
import Testing
import Wire

@testable import Routing

/// When a crowd changes a route.
@Suite("Routes in a changing crowd")
struct RouteSavingTests {
    /// Two paths of 300 m between the ends, 200 m apart.
    private static func fork() -> Sketch {
        var sketch = Sketch()
        for (id, east, north) in [(1, 0, 0), (2, 150, 100), (3, 300, 0), (4, 150, -101)] {
            sketch.node(Int64(id), Double(east), Double(north))
        }
        sketch.way(1, [1, 2, 3])
        sketch.way(2, [1, 4, 3])
        return sketch
    }

    @Test("The rest of a route costs what a search from there finds, also in a new crowd, and nothing if it is closed")
    func rest() throws {
        let graph = try Self.fork().graph()
        let (start, goal) = (RouteEnd.point(Sketch.point(0, 0)), RouteEnd.point(Sketch.point(300, 0)))
        let free = RouteWeights(graph, profile: RouteProfile(avoidsCrowds: true))
        var finder = RouteFinder()
        let route = try finder.route(from: start, to: goal, free)
        #expect(abs(try #require(route.cost(in: free)) - route.cost) <= 1)
        let middle = try #require(route.points.firstIndex { $0.point.distance(to: Sketch.point(150, 100)) < 1 })
        let rest = try finder.route(from: .point(Sketch.point(150, 100)), to: goal, free)
        #expect(abs(try #require(route.cost(in: free, after: middle)) - rest.cost) <= 5)
        let place = HeatmapPlace(containing: Sketch.point(75, 50))
        let crowd = RouteCrowd([HeatCell(x: place.x, y: place.y, people: 200)])
        let full = RouteWeights(graph, profile: RouteProfile(avoidsCrowds: true), crowd: crowd)
        #expect(try #require(route.cost(in: full)) > route.cost)
        #expect(route.cost(in: full, after: middle) == route.cost(in: free, after: middle))
        #expect(route.cost(in: full.closing(["way/1"])) == nil)
        #expect(route.cost(in: full, after: route.points.count) == 0)
    }

    @Test("A walker changes for half a minute and 15 percent, not for less of either")
    func threshold() {
        #expect(RouteSaving.pays(from: 200_000, to: 170_000))
        #expect(!RouteSaving.pays(from: 200_000, to: 170_001))
        #expect(!RouteSaving.pays(from: 100_000, to: 71_000))
        #expect(!RouteSaving.pays(from: 1_000_000, to: 851_000))
        #expect(RouteSaving.pays(from: 1_000_000, to: 850_000))
    }
}
