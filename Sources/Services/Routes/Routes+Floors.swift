import Campus
import Foundation
import Postgres
import Routing
import Wire

/// Floor plans.
extension Routes {
    /// Highest number of buildings whose plans are kept in memory.
    static let floorsKeptMax = 64

    /// The floor plans of a building.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func floors(_ params: PlacesFloors.Params) async throws -> PlacesFloors.Result {
        let map = try map()
        guard let building = campus.snapshot.buildings.buildings.first(where: { $0.id == params.building }) else {
            throw RPCError(.notFound, "the map has no such building: search for it again", field: "building")
        }
        var plans = floors[building.id]
        if plans == nil {
            let made = try await search { map.network.floors(inside: building.polygons) }
            if case .ready(let present) = availability, present.version == map.version {
                if floors.count >= Self.floorsKeptMax { floors.removeAll() }
                floors[building.id] = made
            }
            plans = made
        }
        let ids = try await roomIDs(plans ?? [])
        return PlacesFloors.Result(
            floors: (plans ?? []).map { floor in
                Floor(
                    level: floor.level.description,
                    rooms: floor.rooms.map { room in
                        FloorRoom(
                            id: ids[room.sourceID], name: room.name, code: room.code, kind: Self.kind(room.kind),
                            lines: room.rings.map { $0.map { LatLon($0.latitude, $0.longitude) } })
                    }, doors: floor.doors.map { FloorDoor(lat: $0.latitude, lon: $0.longitude) })
            })
    }

    private static func kind(_ kind: BuildingFloor.Room.Kind) -> FloorRoom.Kind {
        switch kind {
        case .room: .room
        case .corridor: .corridor
        case .lift: .lift
        case .stairs: .stairs
        case .area: .area
        }
    }

    /// The destinations of rooms, by source id.
    private func roomIDs(_ floors: [BuildingFloor]) async throws -> [String: String] {
        let sources = Set(floors.flatMap(\.rooms).map(\.sourceID))
        guard !sources.isEmpty else { return [:] }
        let rows = try await database.query(
            "SELECT id, source_id FROM rooms WHERE source_id = ANY ($1::text[])", [.textArray(Array(sources))])
        return Dictionary(
            try rows.map { (try $0.text("source_id"), "room/\(try $0.int("id"))") }, uniquingKeysWith: { one, _ in one }
        )
    }
}
