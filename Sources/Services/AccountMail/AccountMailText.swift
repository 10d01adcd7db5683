import Wire

/// Texts of the mails about accounts.
extension MailPage {
    /// Largest number of characters of a client program's name in a mail.
    private static let clientCharactersMax = 40

    /// Mail with a link that resets the password.
    static func passwordReset(of username: String, link: String) -> MailPage {
        MailPage(
            title: "Reset your password",
            paragraphs: [
                "Hi \(username),",
                "Forgot your password? Choose a new one for your Campanile account. The link works once, for one hour.",
            ],
            button: Link(label: "Reset password", url: link),
            foot: Foot(
                text: "If you didn't ask for this, ignore this email. Nobody can change your password without the link."
            ))
    }

    /// Mail with a code and a link that confirm the address.
    /// - Parameter isChange: Whether the address replaces another one.
    static func confirmAddress(of username: String, code: String, link: String, isChange: Bool) -> MailPage {
        MailPage(
            title: "\(code) is your Campanile code",
            paragraphs: [
                "Hi \(username),",
                isChange
                    ? "Confirm that this is your new email: enter the code \(code) in Campanile, or open the link where you're logged in."
                    : "Confirm your email: enter the code \(code) in Campanile, or open the link where you're logged in.",
                "Both work for 24 hours.",
            ],
            button: Link(label: "Confirm email", url: link),
            foot: Foot(
                text:
                    "If you didn't register with Campanile, ignore this email. Nobody can use your address without the code."
            ))
    }

    /// Mail to the owner of an address when another account wants it.
    static func addressOwned(by username: String, loginPage: String, resetPage: String) -> MailPage {
        MailPage(
            title: "You already have an account",
            paragraphs: [
                "Hi \(username),",
                "Somebody registered with this email, or wants to change theirs to it. It belongs to your account already.",
                "If that was you, log in to your account instead. Forgot your password? Reset it at \(resetPage).",
            ],
            button: Link(label: "Log in", url: loginPage),
            foot: Foot(text: "If it wasn't you, ignore this email. Nothing about your account has changed."))
    }

    /// Mail to the previous address of an account.
    static func addressChanged(of username: String, at time: Timestamp, loginPage: String) -> MailPage {
        MailPage(
            title: "Your email was changed",
            paragraphs: [
                "Hi \(username),",
                "Your Campanile account has had another email since \(LocalTime.text(time)). This one no longer logs in.",
                "If you didn't change it, contact a campus admin now.",
            ],
            button: Link(label: "Log in", url: loginPage),
            foot: Foot(text: "You get this email because this was the email of your account."))
    }

    /// Mail after an identity at a provider was connected or disconnected.
    static func providerChanged(
        of username: String, label: String, isConnected: Bool, at time: Timestamp, resetPage: String
    ) -> MailPage {
        MailPage(
            title: isConnected ? "\(label) now logs you in" : "\(label) no longer logs you in",
            paragraphs: [
                "Hi \(username),",
                isConnected
                    ? "A \(label) account was connected with your Campanile account on \(LocalTime.text(time)). It now logs in to it."
                    : "The \(label) account was disconnected from your Campanile account on \(LocalTime.text(time)).",
                isConnected
                    ? "If that was you, you don't need to do anything. If it wasn't, reset your password now: that disconnects it again."
                    : "If that was you, you don't need to do anything. If it wasn't, reset your password now.",
            ],
            button: Link(label: "Reset password", url: resetPage),
            foot: Foot(text: "You get this email whenever the ways to log in to your account change."))
    }

    /// Mail after a change of the password.
    /// - Parameters:
    ///   - client: Client program that changed the password; nil for the operator.
    ///   - passkeys: Names of the passkeys that still sign in.
    ///   - endedProviders: Names of the providers that the change disconnected.
    ///   - resetPage: Page on which the owner requests a link.
    static func passwordChanged(
        of username: String, at time: Timestamp, by client: String?, passkeys: [String], endedProviders: [String],
        resetPage: String
    ) -> MailPage {
        let changer = client.map { "with \(clientName($0))" } ?? "by the operator of the campus"
        return MailPage(
            title: "Your password was changed",
            paragraphs: [
                "Hi \(username),",
                "The password of your Campanile account was changed on \(LocalTime.text(time)) \(changer). "
                    + "All other devices were logged out.",
            ] + disconnected(endedProviders) + passkeysLeft(passkeys) + [
                "If that was you, you don't need to do anything. If it wasn't, reset your password now."
            ],
            button: Link(label: "Reset password", url: resetPage),
            foot: Foot(text: "You get this email whenever the password of your account changes."))
    }

    /// Mail after a log-in on a device that the account did not know.
    static func newDevice(
        of username: String, at time: Timestamp, device: String, networkAddress: String?, resetPage: String
    ) -> MailPage {
        let place = networkAddress.map { ", from the network address \($0)" } ?? ""
        return MailPage(
            title: "New login to your account",
            paragraphs: [
                "Hi \(username),",
                "Somebody logged in to your Campanile account on a new device: \(clientName(device)), on "
                    + "\(LocalTime.text(time))\(place).",
                "If that was you, you don't need to do anything. If it wasn't, reset your password now: that logs out all devices.",
            ],
            button: Link(label: "Reset password", url: resetPage),
            foot: Foot(text: "You get this email when your account is used on a device for the first time."))
    }

    /// Name of a client program without characters of addresses: a thief of the password chooses the name, and a mail program would make
    /// a link of an address.
    private static func clientName(_ client: String) -> String {
        if client.hasPrefix("campanile-web") { return "the web app" }
        let words = plainWords(client)
        return words.isEmpty ? "an unknown app" : "\"\(words)\""
    }

    /// Letters and digits of a text that a thief may have chosen.
    static func plainWords(_ text: String) -> String {
        let plain = text.unicodeScalars.prefix(clientCharactersMax).map { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)) ? Character(scalar) : " "
        }
        return String(plain).split(separator: " ").joined(separator: " ")
    }

    private static func disconnected(_ labels: [String]) -> [String] {
        guard !labels.isEmpty else { return [] }
        return [
            "These no longer log you in: \(labels.joined(separator: ", ")). You can connect them again on your account page."
        ]
    }

    private static func passkeysLeft(_ names: [String]) -> [String] {
        guard !names.isEmpty else { return [] }
        let list = names.map { "\"\(plainWords($0))\"" }.joined(separator: ", ")
        return ["These passkeys still log in: \(list). Remove any that isn't yours on your account page."]
    }
}
