import Campus

/// What one can subscribe to (design §3).
public enum Topic: Sendable, Hashable, CustomStringConvertible {
    /// `zone/<id>/positions`: who is in a zone.
    case zonePositions(Int64)
    /// `cell/<zoom>/<x>/<y>`: who is in a cell of the map.
    case cellPositions(Cell)
    /// `session/<id>`: one session.
    case session(Int64)

    /// - Parameter name: The topic's path; nil for one that does not exist.
    public init?(_ name: String) {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        if parts.count == 4, parts[0] == "cell", let zoom = UInt8(parts[1]), let x = UInt32(parts[2]),
            let y = UInt32(parts[3]), let cell = Cell(zoom: zoom, x: x, y: y)
        {
            self = .cellPositions(cell)
            // One spelling: no signs, no zeros in front.
            guard description == name else { return nil }
            return
        }
        guard parts.count >= 2, let id = Int64(parts[1]), id > 0, String(id) == parts[1] else { return nil }
        switch (parts[0], parts.count == 3 ? parts[2] : nil, parts.count) {
        case ("zone", "positions", 3): self = .zonePositions(id)
        case ("session", nil, 2): self = .session(id)
        default: return nil
        }
    }

    /// What its positions are of, if it is one of positions.
    public var area: Area? {
        switch self {
        case .zonePositions(let id): .zone(id)
        case .cellPositions(let cell): .cell(cell)
        case .session: nil
        }
    }

    /// The topic's path.
    public var description: String {
        switch self {
        case .zonePositions(let id): "zone/\(id)/positions"
        case .cellPositions(let cell): "cell/\(cell.zoom)/\(cell.x)/\(cell.y)"
        case .session(let id): "session/\(id)"
        }
    }
}

/// Who asks, as far as the privacy rules care.
public struct Viewer: Sendable, Hashable {
    /// Nil for a guest.
    public var accountID: Int64?

    /// - Parameter accountID: Nil for a guest.
    public init(accountID: Int64?) { self.accountID = accountID }

    var tier: Tier { accountID == nil ? .guest : .member }
}

/// Zone pictures differ by what their viewers may see: one encoding a tier, shared by all in it.
enum Tier: Hashable, CaseIterable {
    case guest, member
}
