import Wire

/// Refusals of the event service. An event that the caller may not see has the same answer as one that does not exist.
enum EventError {
    static let notFound = RPCError(
        .notFound, "there is no such event, or it is not open to you: events.list has yours", field: "event")
    static let notYours = RPCError(.forbidden, "only the owner of an event can do this", field: "event")

    /// Converts refusals of the SQL function `event_answer`.
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
    /// Answer for an event that does not exist or is not visible to the caller.
    public static let notFound = EventError.notFound
}
