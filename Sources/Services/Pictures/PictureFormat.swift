/// What an upload may be. A decoder more is an attack surface more: these three are what phones and browsers send.
enum PictureFormat: CaseIterable {
    case jpeg, png, webp

    /// By its first bytes; nil when it is none of these, whatever its name or type says.
    init?(_ bytes: [UInt8]) {
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            // PNG §5.2
            self = .png
        } else if bytes.count >= 12, bytes.starts(with: "RIFF".utf8), bytes[8..<12].elementsEqual("WEBP".utf8) {
            // RFC 9649 §2.4
            self = .webp
        } else {
            return nil
        }
    }
}

/// Why an upload is not taken. Nothing of it is repeated.
public struct PictureRefused: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong.
    public enum Reason: Sendable, Equatable {
        /// It is no picture of a kind that is taken.
        case type
        /// It is one, and cannot be decoded within the limits.
        case content
    }

    /// What is wrong.
    public let reason: Reason
    /// One plain fact and what to do.
    public let description: String

    static let type = PictureRefused(
        reason: .type, description: "this is no JPEG, PNG or WebP picture: convert it to one of these and send that")
    static let damaged = PictureRefused(
        reason: .content, description: "the picture cannot be read, it is damaged or not whole: send another copy of it"
    )
    static let tooManyPixels = PictureRefused(
        reason: .content,
        description: "the picture has more than \(PictureEncoder.pixelsMax / 1_000_000) million pixels: make it smaller"
    )
    static let tooOblong = PictureRefused(
        reason: .content,
        description:
            "a profile picture is at most \(PictureEncoder.profileOblongMax) times as long as wide: cut it to a square"
    )
    static let tooMuchWork = PictureRefused(
        reason: .content, description: "the picture takes too much work to read: make it smaller, or save it as a JPEG")
}
