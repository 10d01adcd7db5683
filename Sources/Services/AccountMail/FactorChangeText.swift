import Wire

/// Texts of the mails about passkeys and second factors.
extension MailPage {
    /// - Parameters:
    ///   - detail: As in ``AccountMailOutbox/factorChanged(_:of:detail:in:)``.
    ///   - site: Public base URL of the server.
    static func factorChanged(
        _ change: FactorChange, of username: String, at time: Timestamp, _ detail: String, site: String
    ) -> MailPage {
        let (title, what) = words(change, at: LocalTime.text(time), detail)
        return MailPage(
            title: title,
            paragraphs: ["Hi \(username),", what, advice(change, site: site)],
            button: Link(label: "Check your account", url: "\(site)/account"),
            foot: Foot(text: "You get this email whenever the ways to log in to your account change, or are attacked."))
    }

    private static func words(_ change: FactorChange, at time: String, _ detail: String) -> (String, String) {
        let name = plainWords(detail)
        let passkey = name.isEmpty ? "a passkey" : "the passkey \"\(name)\""
        switch change {
        case .passkeyAdded:
            return (
                "Passkey added",
                "On \(time), \(passkey) was added to your Campanile account. It logs in without your password."
            )
        case .passkeyRemoved:
            return ("Passkey removed", "On \(time), \(passkey) was removed from your Campanile account.")
        case .passkeyStopped:
            return (
                "Your passkey may have been copied",
                "On \(time), somebody tried to log in with what looks like a copy of \(passkey). They were refused, "
                    + "and this passkey no longer works. Remove it, and add a new one."
            )
        case .totpAdded:
            return (
                "Two-step log-in is on",
                "Since \(time), logging in to your Campanile account with your password also takes a code from an authenticator app."
            )
        case .totpRemoved:
            return (
                "Authenticator app removed",
                "Since \(time), logging in to your Campanile account takes no code from an authenticator app."
            )
        case .recoveryCodesMade:
            return (
                "New recovery codes",
                "On \(time), new recovery codes were made for your Campanile account. Earlier ones no longer work."
            )
        case .recoveryCodesMissing:
            return (
                "Make recovery codes",
                "You are an admin now: since \(time), logging in to your Campanile account with your password also takes your passkey. "
                    + "You have no recovery codes. If you lose the passkey, only they let you in."
            )
        case .recoveryCodeUsed:
            let left = name == "1" ? "1 code is" : "\(name) codes are"
            return (
                "A recovery code was used",
                "On \(time), somebody logged in to your Campanile account with a recovery code. \(left) left."
            )
        case .codesGuessed:
            return (
                "Somebody is guessing your log-in codes",
                "By \(time), more than \(SecondFactors.unnoticedFailures) wrong codes were entered for your Campanile account, after the "
                    + "right password. Nobody has logged in with them."
            )
        case .factorsReset:
            return (
                "Two-step log-in was reset",
                "On \(time), a campus admin removed the passkeys, the authenticator app and the recovery codes of your Campanile account. "
                    + "You log in with your password alone."
            )
        }
    }

    private static func advice(_ change: FactorChange, site: String) -> String {
        switch change {
        case .passkeyAdded, .totpAdded:
            "If that wasn't you, somebody knows your password: reset it within 7 days at \(site)/reset, which removes this again. "
                + "Are you an admin? Ask another admin instead."
        case .codesGuessed:
            "If that wasn't you, somebody knows your password: change it now."
        case .recoveryCodesMissing: "Make some now at \(site)/settings/security."
        case .passkeyStopped: "Do you have your device? Then also change your password."
        case .factorsReset: "If you didn't ask for that, contact a campus admin now."
        case .passkeyRemoved, .totpRemoved, .recoveryCodesMade, .recoveryCodeUsed:
            "If that wasn't you, change your password now, and log out all other devices."
        }
    }
}
