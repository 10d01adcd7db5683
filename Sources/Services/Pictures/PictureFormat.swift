/// Accepted upload formats: the three that phones and browsers send, because each further decoder adds attack surface.
enum PictureFormat: CaseIterable {
    case jpeg, png, webp

    /// Detects the format from the first bytes, independent of the file's name and declared type; nil for other formats.
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

/// Rejection of an upload. The description repeats nothing of the upload's content.
public struct PictureRejected: Error, Sendable, Equatable, CustomStringConvertible {
    /// Kind of problem.
    public enum Reason: Sendable, Equatable {
        /// The upload is not a picture in an accepted format.
        case type
        /// The picture cannot be decoded within the limits.
        case content
    }

    public let reason: Reason
    /// Description of the problem, with advice.
    public let description: String

    static let type = PictureRejected(
        reason: .type, description: "this is no JPEG, PNG or WebP picture: convert it to one of these and send that")
    static let damaged = PictureRejected(
        reason: .content, description: "the picture is damaged or incomplete: send another copy"
    )
    static let tooManyPixels = PictureRejected(
        reason: .content,
        description: "the picture has more than \(PictureEncoder.pixelsMax / 1_000_000) million pixels: make it smaller"
    )
    static let tooElongated = PictureRejected(
        reason: .content,
        description:
            "a profile picture is at most \(PictureEncoder.profileOblongMax) times as long as wide: cut it to a square"
    )
    static let tooMuchWork = PictureRejected(
        reason: .content, description: "the picture takes too much work to read: make it smaller, or save it as a JPEG")
}
