import EventLoop
import Foundation
import Server
import Services

/// The part of `doctor` about sign-in by providers.
enum OpenIDCheck {
    enum Grade { case fine, warning, bad }

    struct Finding {
        let grade: Grade
        let subject: String
        let detail: String
    }

    /// - Parameter options: Options that were applied to the configuration.
    static func run(_ configuration: ServerConfiguration, _ options: OpenIDOptions) async -> [Finding] {
        var findings: [Finding] = []
        guard !configuration.openID.isEmpty, let site = configuration.reminders.publicURL else {
            return [.init(grade: .fine, subject: "sign-ins", detail: "not set up (--openid-providers)")]
        }
        let workers = WorkerPool(label: "doctor-openid", concurrentMax: 1, waitingMax: 8)
        for settings in configuration.openID {
            let subject = "sign-in by \(settings.label)"
            let redirect = "redirect address \(site)\(settings.callbackPath)"
            do {
                let authority = configuration.openIDAuthority
                let check = try await workers.run { try ProviderCheck(of: settings, authorityFile: authority) }
                let found =
                    "\(settings.issuer), \(check.algorithms.joined(separator: " ")), \(check.keys) keys; \(redirect)"
                findings.append(.init(grade: .fine, subject: subject, detail: found))
                if !check.namesPKCE {
                    findings.append(
                        .init(
                            grade: .warning, subject: subject,
                            detail: "does not say that it supports PKCE by S256: try a sign-in"))
                }
            } catch {
                findings.append(
                    .init(
                        grade: .bad, subject: subject,
                        detail: "\(settings.discoveryURL): \(error): check issuer and network; \(redirect)"))
            }
        }
        return findings + options.secretFiles().compactMap(exposed)
    }

    /// A warning if other users may read a file with a secret.
    private static func exposed(_ file: String) -> Finding? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: file)
        guard let mode = (attributes?[.posixPermissions] as? NSNumber)?.intValue, mode & 0o077 != 0 else { return nil }
        return .init(
            grade: .warning, subject: "sign-ins",
            detail: "other users may read \(file): chmod 600, as its owner the server's user")
    }
}
