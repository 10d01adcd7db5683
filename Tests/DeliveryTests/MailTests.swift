import CCurl
import Foundation
import Testing
import Wire

@testable import Delivery

@Suite("Mails and text messages as they are written")
struct MailTests {
    private func mail(subject: String, name: String = "Campanile") throws -> String {
        let message = MailMessage(
            from: try #require(MailAddress("campus@example.org")), fromName: name,
            to: try #require(MailAddress("anna@example.org")), subject: subject, plain: "Hello\n.\nEnd",
            html: "<p>Hello</p>",
            id: "reminder-7", date: Timestamp(milliseconds: 1_795_359_600_000),
            unsubscribeURL: "https://campus.example/unsubscribe/T")
        return String(decoding: message.bytes(), as: UTF8.self)
    }

    @Test(
        "Nothing that people write begins a field or a part",
        arguments: [
            "Run\r\nBcc: evil@example.org", "Run\nBcc: evil@example.org", "Run\r\n\r\nbody",
            "=?utf-8?Q?x?=\r\nBcc: a@b.cd",
            "Run\u{0}\u{B}\u{85}\u{2028}Bcc: x",
        ])
    func injection(_ text: String) throws {
        let mail = try mail(subject: text, name: text)
        let head = try #require(mail.components(separatedBy: "\r\n\r\n").first)
        let names = head.components(separatedBy: "\r\n").filter { !$0.hasPrefix(" ") }.map { $0.prefix { $0 != ":" } }
        #expect(
            names == [
                "From", "To", "Subject", "Date", "Message-ID", "MIME-Version", "Auto-Submitted", "List-Unsubscribe",
                "List-Unsubscribe-Post", "Content-Type",
            ])
        #expect(!mail.replacingOccurrences(of: "\r\n", with: "").contains { $0 == "\n" || $0 == "\r" })
    }

    @Test("Lines are short, and words of a subject whole")
    func lines() throws {
        let mail = try mail(subject: String(repeating: "Läufe 🏃 ", count: 30))
        #expect(mail.components(separatedBy: "\r\n").allSatisfy { $0.utf8.count <= 78 })
        #expect(try self.mail(subject: "Morning run") == self.mail(subject: "Morning run"))
    }

    @Test(
        "Addresses that could be read in two ways are refused",
        arguments: [
            "a@b", "a b@example.org", "a@example.org\r\nRCPT TO:<x@y.z>", "a@example.org>", "\"a\"@example.org",
            "a@[127.0.0.1]", "a..b@example.org", ".a@example.org", "a@-example.org", "ä@example.org", "a,b@example.org",
            "a@example.org, b@example.org", "@example.org", "a@b@example.org", "a@example..org",
            String(repeating: "a", count: 65) + "@example.org",
        ])
    func addresses(_ text: String) { #expect(MailAddress(text) == nil) }

    @Test(
        "A refusal is the recipient's fault only when it answers the recipient, and what was taken without an answer is in doubt"
    )
    func refusals() {
        func judge(_ reply: Int, _ command: String, sent: Bool = false) -> DeliveryOutcome {
            MailServer.judge(CURLE_SEND_ERROR, reply: reply, after: command, isBodySent: sent)
        }
        for code in [550, 551, 553] {
            guard case .dead = judge(code, "RCPT") else { Issue.record("\(code) is not dead"); continue }
        }
        guard case .later = judge(451, "RCPT"), case .later = judge(550, "MAIL"), case .later = judge(535, "AUTH"),
            case .refused = judge(552, "RCPT"), case .refused = judge(550, "DATA", sent: true),
            case .later = judge(451, "DATA", sent: true), case .doubtful = judge(354, "DATA", sent: true),
            case .later = judge(0, ""), case .later = judge(354, "DATA")
        else {
            Issue.record("a refusal is judged otherwise")
            return
        }
    }

    @Test("A text message is one message: 160 letters of the usual alphabet, 70 of others, and its link whole")
    func texts() {
        let link = "https://campus.example/events/7"
        #expect(TextMessage.shortened("Run at 7", link: link) == "Run at 7 \(link)")
        let long = TextMessage.shortened(String(repeating: "a", count: 400), link: link)
        #expect(long.count == 160 && long.hasSuffix("... \(link)"))
        #expect(TextMessage.shortened(String(repeating: "€", count: 100), link: nil).count == 78 + 3)
        let other = TextMessage.shortened(String(repeating: "跑", count: 100), link: nil)
        #expect(other.utf16.count == 70 && other.hasSuffix("…"))
        // A character is never split.
        #expect(TextMessage.shortened(String(repeating: "👩‍👩‍👧", count: 40), link: nil).utf16.count <= 70)
    }
}
