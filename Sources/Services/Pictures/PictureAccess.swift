/// Who may see pictures of others, asked at every fetch. The owner always may, and is not asked about.
public protocol PictureAccess: Sendable {
    /// - Parameters:
    ///   - id: The picture's: one that was replaced is nobody's to see but the owner's.
    ///   - owner: The account that it shows.
    ///   - viewer: The account that asks.
    func mayViewProfilePicture(_ id: String, of owner: Int64, by viewer: Int64) async throws -> Bool

    /// - Parameters:
    ///   - id: The picture's.
    ///   - conversation: Where it was sent.
    ///   - offset: Of the message that it is part of.
    ///   - viewer: The account that asks.
    func mayViewChatPicture(
        _ id: String, conversation: Int64, offset: Int64, by viewer: Int64
    ) async throws -> Bool
}

/// Nobody sees pictures of others.
public struct OwnPicturesOnly: PictureAccess {
    /// Nobody else.
    public init() {}
    /// False.
    public func mayViewProfilePicture(_ id: String, of owner: Int64, by viewer: Int64) -> Bool { false }
    /// False.
    public func mayViewChatPicture(_ id: String, conversation: Int64, offset: Int64, by viewer: Int64) -> Bool { false }
}
