/// Purpose of an uploaded picture.
public enum PicturePurpose: String, WireChoice {
    /// Profile picture of the account. A new one replaces the previous one.
    case profile
    /// Picture of a chat message.
    case chat
    /// Picture on the page of a place. Accounts that edit a place upload it; everybody may see it once `places.edit` has named it.
    case place
}

/// Reply to `POST /pictures`.
public struct UploadedPicture: Codable, Sendable, Equatable {
    /// Id of the picture, a UUID, part of `GET /pictures/ID` and `GET /pictures/ID/thumb`.
    public var picture: String
    /// Width of the stored picture in pixels, at most 1,600.
    public var width: Int
    /// Height of the stored picture in pixels, at most 1,600.
    public var height: Int
    public init(picture: String, width: Int, height: Int) {
        self.picture = picture
        self.width = width
        self.height = height
    }
}
