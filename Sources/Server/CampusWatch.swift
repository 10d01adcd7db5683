import Hub
import Services

/// Shows the campus that is stored, when it is another one than the one that is shown.
struct CampusWatch: Sendable {
    let campus: CampusMap
    let hub: Hub
    let store: CampusStore
    /// Others may live elsewhere now: what is shown of everybody is drawn anew.
    let redraw: @Sendable () async -> Void

    /// Looks once. While the database is away the picture in memory stays.
    /// - Returns: Whether it is another one.
    func look() async -> Bool {
        guard let version = try? await store.version(), String(version) != campus.picture.info.version, version > 0,
            let picture = try? await store.load(),
            // Another look may have been faster, and have read a newer one.
            picture.info.version != campus.picture.info.version
        else { return false }
        await replace(with: picture)
        return true
    }

    /// Looks, and tells the other nodes.
    func lookAndTell() async {
        if await look() { await hub.tellCampus() }
    }

    /// Shows another campus from now on.
    func replace(with picture: CampusMap.Picture) async {
        let isSame = picture.residences.isSame(as: campus.picture.residences)
        campus.replace(with: picture)
        await show()
        if !isSame { await redraw() }
    }

    /// The zones as they are now, for the hub: who is where, and which are no more.
    func show() async {
        let zones = campus.picture.zones.zones
        let boxes = zones.compactMap { zone in zone.box.map { (zone.id, $0) } }
        await hub.setZones(Dictionary(boxes) { first, _ in first })
        await hub.rezone { campus.zone(at: $0) }
        await hub.endZones(except: Set(campus.picture.info.zones.map(\.id)))
    }
}
