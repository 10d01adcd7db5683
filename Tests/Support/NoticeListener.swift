import EventLoop
import Hub
import Wire

/// A connection that is subscribed to `notices`, and keeps what it is told as a client does: by number and revision.
public struct NoticeListener: Sendable {
    private struct Message: Decodable {
        struct Params: Decodable {
            let epoch: Int64?
            let offset: Int64?
            let early: Bool?
            let data: NoticeEvent
        }
        let result: Resumed<NoticeEvent>?
        let params: Params?
    }

    /// The connection.
    public let viewer: RecordingViewer
    /// Where it stands.
    public private(set) var position: TopicPosition?
    /// What it took, each revision of each notice once.
    public private(set) var taken: [NoticeEvent] = []
    /// What came again, which only what passes may, on another connection.
    public private(set) var repeated: [NoticeEvent] = []
    /// Numbers of what passed.
    public private(set) var early: [Int64] = []
    /// What no server may do.
    public private(set) var faults: [String] = []
    /// The last reply.
    public private(set) var reply: Resumed<NoticeEvent>?
    private var revisions: [Int64: Int] = [:]

    /// - Parameter position: Where it stood before.
    public init(_ loop: EventLoop, at position: TopicPosition? = nil) {
        viewer = RecordingViewer(loop: loop)
        self.position = position
    }

    /// The same client on another connection.
    public func reconnected(_ loop: EventLoop? = nil) -> NoticeListener {
        var next = NoticeListener(loop ?? viewer.subscriberLoop, at: position)
        (next.taken, next.revisions, next.faults) = (taken, revisions, faults)
        return next
    }

    /// Numbers of what it took, in order.
    public var numbers: [Int64] { taken.map(\.number) }
    /// Titles of what it took, `-` for what was withdrawn.
    public var titles: [String] { taken.map { if case .notice(let notice) = $0 { notice.title } else { "-" } } }

    /// Encodes a reply.
    public static func reply(_ recovery: Recovery) -> [UInt8] {
        Array(#"{"jsonrpc":"2.0","id":1,"result":"#.utf8) + recovery.json + Array("}".utf8)
    }

    /// Subscribes from where it stands, as often as it is told that there is more.
    public mutating func subscribe(_ hub: Hub, account: Int64) async throws {
        repeat {
            try await hub.notices.subscribe(viewer, account: account, since: position, reply: Self.reply)
            try await read()
        } while reply?.more == true
    }

    /// Takes what came.
    public mutating func read() async throws {
        for delivery in await viewer.take() {
            for message in delivery.messages {
                let payload = RecordingViewer.payload(of: message.frame)
                let message = try WireJSON.decode(Message.self, from: payload)
                if let reply = message.result { take(reply) }
                if let push = message.params { take(push) }
            }
        }
    }

    /// Waits until it took so many.
    public mutating func read(upTo count: Int) async throws {
        try await read()
        while taken.count < count {
            let before = self
            self = try await eventually("\(count) notices, of which there are \(before.titles)") {
                var next = before
                try await next.read()
                return next.taken.count > before.taken.count ? next : nil
            }
        }
    }

    private mutating func take(_ reply: Resumed<NoticeEvent>) {
        var last = reply.recovered ? position?.offset ?? 0 : 0
        for one in reply.publications {
            if one.offset <= last { faults.append("\(one.offset) came behind \(last) in a reply") }
            last = one.offset
            take(one.data)
        }
        if reply.offset < last { faults.append("the reply ends at \(reply.offset), before \(last)") }
        position = TopicPosition(epoch: reply.epoch, offset: reply.offset)
        self.reply = reply
    }

    private mutating func take(_ push: Message.Params) {
        guard let offset = push.offset, let epoch = push.epoch else {
            if push.early != true { faults.append("a push without an offset is not early") }
            early.append(push.data.number)
            return take(push.data)
        }
        if let position, offset <= position.offset { faults.append("\(offset) was pushed behind \(position.offset)") }
        position = TopicPosition(epoch: epoch, offset: offset)
        take(push.data)
    }

    private mutating func take(_ event: NoticeEvent) {
        if let known = revisions[event.number], known >= event.revision { return repeated.append(event) }
        revisions[event.number] = event.revision
        taken.append(event)
    }
}
