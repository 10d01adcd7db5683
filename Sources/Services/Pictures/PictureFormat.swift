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
