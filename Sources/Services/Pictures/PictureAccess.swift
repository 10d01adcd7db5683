/// Decides which accounts may see pictures of others. ``Pictures`` consults it at every fetch by an account other than the owner.
public protocol PictureAccess: Sendable {
    /// Whether `viewer` may see a profile picture of `owner`.
    /// - Parameter id: Id of the picture; a replaced picture is visible to its owner only.
    func mayViewProfilePicture(_ id: String, of owner: Int64, by viewer: Int64) async throws -> Bool

    /// Whether `viewer` may see a picture in a conversation.
    /// - Parameter offset: Offset of the message that contains the picture.
    func mayViewChatPicture(
        _ id: String, conversation: Int64, offset: Int64, by viewer: Int64
    ) async throws -> Bool
}

/// Access rule that shows pictures to their owner only.
public struct OwnPicturesOnly: PictureAccess {
    public init() {}
    public func mayViewProfilePicture(_ id: String, of owner: Int64, by viewer: Int64) -> Bool { false }
    public func mayViewChatPicture(_ id: String, conversation: Int64, offset: Int64, by viewer: Int64) -> Bool { false }
}
