import Foundation
import Glibc
import Wire

/// A mail with a plain-text and an HTML version (RFC 2046 §5.1.4), and its wire format.
///
/// No content can inject a header field or a body part: field values are base64 encoded words unless they are plain ASCII, and
/// bodies are base64.
public struct MailMessage: Sendable {
    /// Maximum bytes of a line without its end (RFC 5322 §2.1.1).
    static let lineBytesMax = 76
    /// Maximum content bytes of an encoded word. The whole word has 64 characters, which leaves space for the field's name on its
    /// line (RFC 2047 §2 allows 75).
    static let wordBytesMax = 39
    /// Maximum characters of a subject. A longer one is truncated.
    static let subjectCharactersMax = 200

    /// The sender.
    public var from: MailAddress
    /// The sender's display name.
    public var fromName: String
    /// The recipient.
    public var to: MailAddress
    /// The subject, one line.
    public var subject: String
    /// The plain-text version.
    public var plain: String
    /// The HTML version, a complete document.
    public var html: String
    /// A stable identifier for all attempts to send this mail. A mail server may use it to discard duplicates.
    public var id: String
    /// Date of the mail.
    public var date: Timestamp
    /// A URL that unsubscribes with one `POST` (RFC 8058); nil for mails that the person has just requested.
    public var unsubscribeURL: String?

    public init(
        from: MailAddress, fromName: String, to: MailAddress, subject: String, plain: String, html: String, id: String,
        date: Timestamp, unsubscribeURL: String?
    ) {
        (self.from, self.fromName, self.to, self.subject) = (from, fromName, to, subject)
        (self.plain, self.html, self.id, self.date) = (plain, html, id, date)
        self.unsubscribeURL = unsubscribeURL
    }

    /// The mail in wire format, with CR LF line ends.
    public func bytes() -> [UInt8] {
        // Stable for the same mail. Base64 bodies cannot contain it, because it has a hyphen and an underscore.
        let boundary = "=_" + String(Base64.urlSafe(Digest.sha256(Array(id.utf8))).prefix(24)) + "-_"
        var lines = [
            "From: \(Self.words(fromName, isPhrase: true)) <\(from)>", "To: <\(to)>",
            "Subject: \(Self.words(String(subject.prefix(Self.subjectCharactersMax)), isPhrase: false))",
            "Date: \(Self.date(date))", "Message-ID: <\(Self.token(id))@\(from.domain)>", "MIME-Version: 1.0",
            // RFC 3834 §5: prevents automatic replies.
            "Auto-Submitted: auto-generated",
        ]
        if let unsubscribeURL {
            // Base64url tokens and the operator's own address need no encoding.
            lines += [
                "List-Unsubscribe:", " <\(Self.token(unsubscribeURL))>",
                "List-Unsubscribe-Post: List-Unsubscribe=One-Click",
            ]
        }
        lines += ["Content-Type: multipart/alternative;", " boundary=\"\(boundary)\"", ""]
        for (type, text) in [("plain", plain), ("html", html)] {
            lines += [
                "--\(boundary)", "Content-Type: text/\(type); charset=utf-8", "Content-Transfer-Encoding: base64", "",
            ]
            lines += Self.base64Lines(text)
        }
        lines += ["--\(boundary)--", ""]
        return Array(lines.joined(separator: "\r\n").utf8)
    }

    /// The printable ASCII characters of a text, without white space and angle brackets.
    private static func token(_ text: String) -> String {
        String(decoding: text.utf8.filter { (0x21...0x7E).contains($0) && $0 != 0x3C && $0 != 0x3E }, as: UTF8.self)
    }

    /// A field value: unchanged if it is short and plain, otherwise as encoded words.
    /// - Parameter isPhrase: Whether it is a display name, where only letters, digits and spaces are plain.
    static func words(_ text: String, isPhrase: Bool) -> String {
        let isPlain =
            text.utf8.count <= 60 && !text.contains("=?")
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                case 0x20: text.utf8.first != 0x20 && text.utf8.last != 0x20
                default: !isPhrase && (0x21...0x7E).contains(byte)
                }
            }
        if isPlain, !text.isEmpty { return text }
        var words: [String] = []
        var part: [UInt8] = []
        func end() {
            if !part.isEmpty { words.append("=?utf-8?B?\(Data(part).base64EncodedString())?=") }
            part = []
        }
        // RFC 2047 §5: a character is never split.
        for scalar in text.unicodeScalars {
            let bytes = Array(String(scalar.properties.generalCategory == .control ? " " : scalar).utf8)
            if part.count + bytes.count > wordBytesMax { end() }
            part += bytes
        }
        end()
        return words.joined(separator: "\r\n ")
    }

    private static func base64Lines(_ text: String) -> [String] {
        // RFC 2046 §4.1.1: text lines end with CR LF before they are encoded.
        let canonical = text.replacingOccurrences(of: "\r\n", with: "\n").replacingOccurrences(of: "\n", with: "\r\n")
        let encoded = Array(Data(canonical.utf8).base64EncodedString().utf8)
        return stride(from: 0, to: encoded.count, by: lineBytesMax).map { start in
            String(decoding: encoded[start..<min(start + lineBytesMax, encoded.count)], as: UTF8.self)
        }
    }

    /// A date in the format of RFC 5322 §3.3, in UTC.
    static func date(_ at: Timestamp) -> String {
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        var seconds = time_t(at.milliseconds / 1_000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(days[Int(parts.tm_wday)]), \(parts.tm_mday) \(months[Int(parts.tm_mon)]) \(1_900 + parts.tm_year) "
            + "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) +0000"
    }
}
