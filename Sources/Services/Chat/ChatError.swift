import Wire

/// Refusals of the chat service. A conversation that the caller is not in has the same answer as one that does not exist.
enum ChatError {
    static let notMember = RPCError(
        .notFound, "there is no such conversation, or you are not in it: chat.list has yours", field: "conversation")
    static let noMessage = RPCError(.notFound, "there is no such message in this conversation", field: "message")
    static let noPicture = RPCError(
        .notFound, "there is no such unsent picture: upload it with POST /pictures?purpose=chat",
        field: "picture")

    /// Converts refusals of the SQL functions in `sql/functions/chat.sql`.
    static func refused(_ name: String) -> RPCError {
        switch name {
        case "notMember": notMember
        case "notFound": noMessage
        case "picture": noPicture
        case "notYours": RPCError(.forbidden, "this message is another person's", field: "message")
        case "deleted": RPCError(.conflict, "this message is deleted", field: "message")
        case "tooLate":
            RPCError(
                .conflict, "a message can be edited for \(Chat.editHoursMax) hours: send another", field: "message")
        case "tooOften":
            RPCError(.conflict, "a message can be edited \(Chat.editsMax) times: send another", field: "message")
        case "empty": RPCError.invalid("text", "must not be empty: delete the message instead")
        default: RPCError(.internalError, "the conversation refused this")
        }
    }
}
