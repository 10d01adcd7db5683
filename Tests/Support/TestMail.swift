import Delivery
import Server

extension ServerConfiguration {
    /// Mails are sent by a mail server of the test's own.
    public mutating func sendMail(through mail: TestPython) throws {
        guard let sender = MailAddress("campus@example.org") else { return }
        reminders.publicURL = "https://campus.example"
        reminders.mail = .init(server: try MailServer(url: "smtp+plain://localhost:\(mail.port)"), from: sender)
    }
}
