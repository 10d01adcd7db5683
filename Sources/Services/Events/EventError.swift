import Wire

/// Why something of an event is refused. One that the caller may not see is answered as one that does not exist.
enum EventError {
    static let notFound = RPCError(
        .notFound, "there is no such event, or it is not open to you: events.list has yours", field: "event")
    static let notYours = RPCError(.forbidden, "only who made an event can do this", field: "event")

    /// What the function `event_answer` refuses.
    static func refused(_ name: String) -> RPCError {
        switch name {
        case "notFound": notFound
        case "draft": RPCError(.conflict, "this event is not published yet", field: "event")
        case "cancelled": RPCError(.conflict, "this event is cancelled", field: "event")
        case "over": RPCError(.conflict, "this event is over", field: "event")
        default: RPCError(.internalError, "the event refused this")
        }
    }
}

extension Events {
    /// What is answered about an event that does not exist, or is not open to the caller.
    public static let notFound = EventError.notFound
}
