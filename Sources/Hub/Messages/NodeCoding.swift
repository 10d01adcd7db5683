import Campus
import Wire

/// Encoding of messages between nodes.
extension BinaryWriter {
    /// Writes the number of elements, then each element.
    mutating func list<Elements: Collection>(
        _ elements: Elements, _ write: (inout BinaryWriter, Elements.Element) -> Void
    ) {
        varint(elements.count)
        for element in elements { write(&self, element) }
    }

    /// Writes whether there is a value, then the value.
    mutating func optional<Value>(_ value: Value?, _ write: (inout BinaryWriter, Value) -> Void) {
        byte(value == nil ? 0 : 1)
        if let value { write(&self, value) }
    }

    mutating func write(_ state: NodeSession) {
        let session = state.session
        varint(state.generation)
        varint(state.revision)
        double(state.rate)
        varint(session.id)
        text(session.clientId)
        varint(session.owner.id)
        text(session.owner.username)
        text(session.title)
        byte(
            (session.activity == .cycle ? 1 : 0) | (session.simulated ? 2 : 0) | (state.isOffline ? 4 : 0)
                | (session.endedAt != nil ? 8 : 0) | (session.lastFixAt != nil ? 16 : 0)
                | (session.lastSeq != nil ? 32 : 0) | (state.fix != nil ? 64 : 0) | (state.isHidden ? 128 : 0))
        byte(UInt8(SessionState.allNodeCases.firstIndex(of: session.state) ?? 0))
        byte(UInt8(Audience.allNodeCases.firstIndex(of: session.audience) ?? 0))
        varint(session.startedAt.milliseconds)
        if let endedAt = session.endedAt { varint(endedAt.milliseconds) }
        if let lastFixAt = session.lastFixAt { varint(lastFixAt.milliseconds) }
        if let lastSeq = session.lastSeq { varint(lastSeq) }
        for value in [session.distance, session.elapsed, session.moving, session.averageSpeed] { double(value) }
        varint(session.points)
        if let fix = state.fix { write(fix) }
    }

    private mutating func write(_ fix: LiveFix) {
        byte((fix.heading != nil ? 1 : 0) | (fix.isStationary ? 2 : 0) | (fix.zone != nil ? 4 : 0))
        double(fix.position.latitude)
        double(fix.position.longitude)
        varint(fix.at.milliseconds)
        double(fix.speed)
        if let heading = fix.heading { double(heading) }
        if let zone = fix.zone { varint(zone) }
    }

    mutating func write(_ left: NodeLeave) {
        varint(left.session)
        varint(left.generation)
        varint(left.revision)
        optional(left.to) { $0.write($1) }
    }

    private mutating func write(_ cell: Cell) {
        varint(cell.x)
        varint(cell.y)
    }

    mutating func write(_ cells: some Collection<Cell>) { list(cells) { $0.write($1) } }

    mutating func write(_ ids: some Collection<Int64>) { list(ids) { $0.varint($1) } }

    mutating func write(_ interest: NodeInterest) {
        varint(interest.number)
        byte(interest.hasAll ? 1 : 0)
        write(interest.cells)
        write(interest.sessions)
    }

    mutating func write(_ report: PresenceReport) {
        list(report.accounts) {
            $0.varint($1.id)
            $0.text($1.name)
        }
        varint(report.moreAccounts)
        varint(report.guests)
    }

    mutating func write(_ ownership: NodeOwnership) {
        write(ownership.interest)
        list(ownership.entries) {
            $0.varint($1.session)
            $0.varint($1.generation)
        }
        varint(ownership.next)
    }

    mutating func write(_ runners: NodeRunners) {
        varint(runners.asOf)
        list(runners.entries) {
            $0.write($1.state)
            $0.write($1.trail)
        }
        varint(runners.next)
    }

    mutating func write(_ head: TopicPosition, _ publications: [StoredPublication]) {
        varint(head.epoch)
        varint(head.offset)
        list(publications) {
            $0.varint($1.offset)
            $0.data($1.data)
        }
    }

    mutating func write(_ points: [LatLon]) {
        var last = (latitude: Int64(0), longitude: Int64(0))
        list(points) { writer, point in
            let now = (RouteGrid.index(point.latitude), RouteGrid.index(point.longitude))
            writer.signed(now.0 - last.latitude)
            writer.signed(now.1 - last.longitude)
            last = now
        }
    }

    mutating func write(_ step: RouteStep) {
        varint(step.number)
        write(step.state)
        switch step.change {
        case .pieces(let pieces):
            byte(0)
            list(pieces) {
                $0.byte($1.startsPiece ? 1 : 0)
                $0.write($1.points)
            }
        case .route(let route):
            byte(1)
            list(route) { $0.write($1) }
        }
    }
}

/// Decoding of messages between nodes. It rejects bytes that no node of this version writes.
extension BinaryReader {
    /// A number from 0.
    mutating func number() throws(BinaryFrameError) -> Int64 { Int64(try varint()) }

    /// A number from 1.
    mutating func id() throws(BinaryFrameError) -> Int64 {
        let id = try number()
        guard id > 0 else { throw BinaryFrameError("an identifier is 0") }
        return id
    }

    mutating func flag() throws(BinaryFrameError) -> Bool { try flags(1) == 1 }

    private mutating func flags(_ all: UInt8) throws(BinaryFrameError) -> UInt8 {
        let flags = try byte()
        guard flags & ~all == 0 else { throw BinaryFrameError("a flag is unknown") }
        return flags
    }

    private mutating func one<Value>(of values: [Value]) throws(BinaryFrameError) -> Value {
        let index = Int(try byte())
        guard index < values.count else { throw BinaryFrameError("a value is unknown") }
        return values[index]
    }

    private mutating func time() throws(BinaryFrameError) -> Timestamp {
        let milliseconds = try number()
        guard Timestamp.millisecondsRange.contains(milliseconds) else {
            throw BinaryFrameError("a time is out of its range")
        }
        return Timestamp(milliseconds: milliseconds)
    }

    /// A list. Nothing is reserved for the announced count: each element takes bytes, which must be there.
    mutating func list<Element>(
        countMax: Int, _ element: (inout BinaryReader) throws(BinaryFrameError) -> Element
    ) throws(BinaryFrameError) -> [Element] {
        let count = try varint(max: countMax, "a number of elements")
        guard count <= remaining else { throw .truncated }
        var list: [Element] = []
        for _ in 0..<count { list.append(try element(&self)) }
        return list
    }

    mutating func ids(countMax: Int) throws(BinaryFrameError) -> [Int64] {
        try list(countMax: countMax) { reader throws(BinaryFrameError) in try reader.id() }
    }

    mutating func state() throws(BinaryFrameError) -> NodeSession {
        let (generation, revision) = (try varint(), try varint())
        let rate = try double(in: 0...1_000, "a rate")
        let id = try id()
        let clientID = try text(bytesMax: NodeLimits.textBytesMax, "a client's identifier")
        let owner = try self.id()
        let username = try text(bytesMax: NodeLimits.textBytesMax, "a name")
        let title = try text(bytesMax: NodeLimits.textBytesMax, "a title")
        let flags = try flags(255)
        let state = try one(of: SessionState.allNodeCases)
        let audience = try one(of: Audience.allNodeCases)
        let startedAt = try time()
        let endedAt = flags & 8 != 0 ? try time() : nil
        let lastFixAt = flags & 16 != 0 ? try time() : nil
        let lastSeq = flags & 32 != 0 ? try number() : nil
        let amounts = 0...Double(BinaryReader.amountMax)
        let (distance, elapsed) = (try double(in: amounts, "a distance"), try double(in: amounts, "a duration"))
        let (moving, speed) = (try double(in: amounts, "a duration"), try double(in: amounts, "a speed"))
        let points = try varint(max: Int(Int32.max), "a number of points")
        let session = Session(
            id: id, clientId: clientID, owner: .init(id: owner, username: username),
            activity: flags & 1 != 0 ? .cycle : .run, title: title, state: state, audience: audience,
            simulated: flags & 2 != 0, startedAt: startedAt, endedAt: endedAt, distance: distance, elapsed: elapsed,
            moving: moving, averageSpeed: speed, points: points, lastFixAt: lastFixAt, lastSeq: lastSeq)
        return NodeSession(
            generation: generation, revision: revision, rate: rate, isOffline: flags & 4 != 0,
            isHidden: flags & 128 != 0,
            session: session, fix: flags & 64 != 0 ? try fix() : nil)
    }

    private static let amountMax = 1e15

    private mutating func fix() throws(BinaryFrameError) -> LiveFix {
        let flags = try flags(7)
        let latitude = try double(in: -90...90, "a latitude")
        let longitude = try double(in: -180...180, "a longitude")
        let at = try time()
        let speed = try double(in: 0...1_000_000, "a speed")
        let heading = flags & 1 != 0 ? try double(in: -360...360, "a heading") : nil
        return LiveFix(
            position: LatLon(latitude, longitude), at: at, speed: speed, heading: heading,
            isStationary: flags & 2 != 0, zone: flags & 4 != 0 ? try id() : nil)
    }

    mutating func left() throws(BinaryFrameError) -> NodeLeave {
        NodeLeave(
            session: try id(), generation: try varint(), revision: try varint(), to: try flag() ? try cell() : nil)
    }

    private mutating func cell() throws(BinaryFrameError) -> Cell {
        let (x, y) = (try varint(), try varint())
        guard let x = UInt32(exactly: x), let y = UInt32(exactly: y),
            let cell = Cell(zoom: NodeLimits.cellZoom, x: x, y: y)
        else { throw BinaryFrameError("there is no such cell") }
        return cell
    }

    mutating func cells() throws(BinaryFrameError) -> [Cell] {
        try list(countMax: NodeLimits.cellsMax) { reader throws(BinaryFrameError) in try reader.cell() }
    }

    mutating func interest() throws(BinaryFrameError) -> NodeInterest {
        NodeInterest(
            number: try varint(), hasAll: try flag(), cells: Set(try cells()),
            sessions: Set(try ids(countMax: NodeLimits.watchesMax)))
    }

    mutating func presence() throws(BinaryFrameError) -> PresenceReport {
        let accounts = try list(countMax: PresenceReport.accountsMax) { reader throws(BinaryFrameError) in
            PresenceAccount(
                id: try reader.id(), name: try reader.text(bytesMax: NodeLimits.textBytesMax, "a name"))
        }
        return PresenceReport(
            accounts: accounts,
            moreAccounts: try varint(max: PresenceReport.numberMax, "a number of accounts"),
            guests: try varint(max: PresenceReport.numberMax, "a number of guests"))
    }

    mutating func ownership() throws(BinaryFrameError) -> NodeOwnership {
        NodeOwnership(
            interest: try interest(),
            entries: try list(countMax: NodeLimits.sessionsMax) { reader throws(BinaryFrameError) in
                NodeOwnership.Entry(session: try reader.id(), generation: try reader.varint())
            }, next: try number())
    }

    mutating func runners() throws(BinaryFrameError) -> NodeRunners {
        NodeRunners(
            asOf: try varint(),
            entries: try list(countMax: NodeLimits.sessionsMax) { reader throws(BinaryFrameError) in
                NodeRunners.Entry(
                    state: try reader.state(), trail: try reader.points(countMax: RouteLimits.trailPointsMax))
            }, next: try number())
    }

    mutating func points(countMax: Int) throws(BinaryFrameError) -> [LatLon] {
        var last = (latitude: Int64(0), longitude: Int64(0))
        return try list(countMax: countMax) { reader throws(BinaryFrameError) in
            // Both are below 2^53 in size, so the sum does not overflow.
            last.latitude += try reader.signed()
            last.longitude += try reader.signed()
            let limits = (RouteGrid.index(90), RouteGrid.index(180))
            guard abs(last.latitude) <= limits.0, abs(last.longitude) <= limits.1 else {
                throw BinaryFrameError("a position is out of its range")
            }
            return LatLon(RouteGrid.degrees(last.latitude), RouteGrid.degrees(last.longitude))
        }
    }

    mutating func step() throws(BinaryFrameError) -> RouteStep {
        let number = try varint()
        let state = try state()
        guard try !flag() else {
            let route = try list(countMax: NodeLimits.piecesMax) { reader throws(BinaryFrameError) in
                try reader.points(countMax: RouteLimits.pointsMax)
            }
            guard route.reduce(0, { $0 + $1.count }) <= RouteLimits.pointsMax else {
                throw BinaryFrameError("a route is too long")
            }
            return RouteStep(number: number, state: state, change: .route(route))
        }
        let pieces = try list(countMax: NodeLimits.piecesMax) { reader throws(BinaryFrameError) in
            let startsPiece = try reader.flag()
            return RoutePiece(
                points: try reader.points(countMax: RouteLimits.pointsMax), startsPiece: startsPiece)
        }
        return RouteStep(number: number, state: state, change: .pieces(pieces))
    }

    mutating func publications() throws(BinaryFrameError) -> NodeMessage {
        let head = TopicPosition(epoch: try number(), offset: try number())
        var last: Int64?
        let publications = try list(countMax: NodeLimits.publicationBytesMax) { reader throws(BinaryFrameError) in
            let offset = try reader.id()
            guard last.map({ offset == $0 + 1 }) ?? true else { throw BinaryFrameError("publications have a gap") }
            last = offset
            return StoredPublication(
                offset: offset, data: try reader.data(bytesMax: NodeLimits.publicationBytesMax, "a publication"))
        }
        guard last.map({ $0 <= head.offset }) ?? true else { throw BinaryFrameError("publications beyond the head") }
        return .publications(head: head, publications)
    }
}

extension SessionState {
    /// In the order of their numbers between nodes, which never change.
    static let allNodeCases: [SessionState] = [.running, .paused, .finished]
}

extension Audience {
    /// In the order of their numbers between nodes, which never change.
    static let allNodeCases: [Audience] = [.private, .campus, .public]
}
