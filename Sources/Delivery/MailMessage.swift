import Foundation
import Glibc
import Wire

/// A mail in two forms of the same words (RFC 2046 §5.1.4), as it goes over the wire.
///
/// Nothing that is put into it can begin a field or a part: fields are words of base64 unless they are plain ASCII, bodies are base64.
public struct MailMessage: Sendable {
    /// Bytes of a line, less its end (RFC 5322 §2.1.1).
    static let lineBytesMax = 76
    /// Bytes within one encoded word: with what is around them 64 characters, so that the field's name has room on its line
    /// (RFC 2047 §2 allows 75).
    static let wordBytesMax = 39
    /// Characters of a subject; what is more is cut.
    static let subjectCharactersMax = 200

    /// From whom.
    public var from: MailAddress
    /// The name beside it.
    public var fromName: String
    /// To whom.
    public var to: MailAddress
    /// In a line.
    public var subject: String
    /// For readers without HTML.
    public var plain: String
    /// A whole page.
    public var html: String
    /// The same for the same mail, however often it is tried: a mail server may know by it what it has already.
    public var id: String
    /// When it was made.
    public var date: Timestamp
    /// An address that stops such mails at one `POST` (RFC 8058); nil for those that the person asked for just now.
    public var unsubscribeURL: String?

    /// Memberwise.
    public init(
        from: MailAddress, fromName: String, to: MailAddress, subject: String, plain: String, html: String, id: String,
        date: Timestamp, unsubscribeURL: String?
    ) {
        (self.from, self.fromName, self.to, self.subject) = (from, fromName, to, subject)
        (self.plain, self.html, self.id, self.date) = (plain, html, id, date)
        self.unsubscribeURL = unsubscribeURL
    }

    /// The mail, lines ended by CR LF.
    public func bytes() -> [UInt8] {
        // The same for the same mail as well; base64 cannot hold it, as it has a hyphen and an underscore.
        let boundary = "=_" + String(Base64.urlSafe(Digest.sha256(Array(id.utf8))).prefix(24)) + "-_"
        var lines = [
            "From: \(Self.words(fromName, isPhrase: true)) <\(from)>", "To: <\(to)>",
            "Subject: \(Self.words(String(subject.prefix(Self.subjectCharactersMax)), isPhrase: false))",
            "Date: \(Self.date(date))", "Message-ID: <\(Self.token(id))@\(from.domain)>", "MIME-Version: 1.0",
            // RFC 3834 §5: nobody's holiday answers it.
            "Auto-Submitted: auto-generated",
        ]
        if let unsubscribeURL {
            // Tokens of base64url and the operator's own address: nothing to encode.
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

    /// Printable ASCII without white space and angle brackets.
    private static func token(_ text: String) -> String {
        String(decoding: text.utf8.filter { (0x21...0x7E).contains($0) && $0 != 0x3C && $0 != 0x3E }, as: UTF8.self)
    }

    /// What stands in a field: as it is when it is short and plain, else in encoded words.
    /// - Parameter isPhrase: A name beside an address: only letters, digits and blanks are plain there.
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
        // RFC 2046 §4.1.1: lines of text end with CR LF before they are encoded.
        let canonical = text.replacingOccurrences(of: "\r\n", with: "\n").replacingOccurrences(of: "\n", with: "\r\n")
        let encoded = Array(Data(canonical.utf8).base64EncodedString().utf8)
        return stride(from: 0, to: encoded.count, by: lineBytesMax).map { start in
            String(decoding: encoded[start..<min(start + lineBytesMax, encoded.count)], as: UTF8.self)
        }
    }

    /// RFC 5322 §3.3.
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
