/// What a picture is for.
public enum PicturePurpose: String, Codable, Sendable, CaseIterable {
    /// It shows an account; a newer one takes its place.
    case profile
    /// It is sent in a chat.
    case chat
}

/// What `POST /pictures` answers.
public struct UploadedPicture: Codable, Sendable, Equatable {
    /// Its id, a UUID: `GET /pictures/ID` and `GET /pictures/ID/thumb` are the picture.
    public var picture: String
    /// Pixels of the picture as it is kept, at most 1,600.
    public var width: Int
    /// Pixels of the picture as it is kept, at most 1,600.
    public var height: Int
    public init(picture: String, width: Int, height: Int) {
        self.picture = picture
        self.width = width
        self.height = height
    }
}
