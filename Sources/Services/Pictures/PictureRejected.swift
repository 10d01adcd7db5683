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
