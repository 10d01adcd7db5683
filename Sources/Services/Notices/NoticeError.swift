import Wire

/// Refusals of the notice service. A notice that the caller may not see has the same answer as one that does not exist.
enum NoticeError {
    static let notFound = RPCError(
        .notFound, "there is no such notice of yours: notices.sent has them", field: "notice")
    static let notSender = RPCError(
        .forbidden,
        "only the sender can correct a notice, because it has the sender's name: withdraw it, and send your own",
        field: "notice")
    static let withdrawn = RPCError(.conflict, "this notice is withdrawn: send another", field: "notice")
    static let expired = RPCError(.conflict, "this notice has expired: send another", field: "notice")
    static let changed = RPCError(
        .conflict, "this notice was corrected meanwhile: load its status, then correct it", field: "revision")

    /// Converts refusals of the SQL function `notice_refusal`.
    static func refused(_ reason: String) -> RPCError {
        switch reason {
        case "role":
            RPCError(
                .forbidden,
                "admins and lecturers send notices, and you to the people of an event of yours", field: "audience")
        case "audience":
            RPCError(
                .forbidden, "lecturers send notices to the campus, a zone, or the people of an event of theirs",
                field: "audience")
        case "event":
            RPCError(
                .forbidden, "only the owner of an event and admins can send notices to its people", field: "audience")
        case "emergency": RPCError(.forbidden, "only admins send emergencies: choose another level", field: "level")
        case "noEvent": EventError.notFound
        case "unpublished": RPCError(.conflict, "this event is a draft or cancelled", field: "audience")
        case "over": RPCError(.conflict, "this event was over a week ago", field: "audience")
        case "noZone": RPCError(.notFound, "there is no such zone: hello lists them", field: "audience")
        case "noAccount": RPCError(.notFound, "there is no such account", field: "audience")
        case "gone": RPCError(.forbidden, "your account is gone")
        default: RPCError(.internalError, "the notice was refused")
        }
    }
}
