import Services
import Wire

extension Router {
    /// Adds the methods for notices.
    mutating func addNotices(_ notices: Notices) {
        let limits = limits
        addForAccount(NoticesPublish.self) { identity, params in
            try limits.message(of: identity.account.id)
            return try await notices.publish(params, by: identity)
        }
        addForAccount(NoticesPreview.self) { identity, params in
            try limits.preview(by: identity.account.id)
            return try await notices.preview(params, by: identity)
        }
        addForAccount(NoticesCorrect.self) { identity, params in
            try limits.message(of: identity.account.id)
            return try await notices.correct(params, by: identity)
        }
        addForAccount(NoticesWithdraw.self) { try await notices.withdraw($1, by: $0) }
        addForAccount(NoticesStatus.self) { try await notices.status(of: $1, for: $0) }
        addForAccount(NoticesSent.self) { identity, params in
            try limits.listing(of: identity.account.id)
            return try await notices.sent(params, for: identity)
        }
        addForAccount(NoticesList.self) { identity, params in
            try limits.listing(of: identity.account.id)
            return try await notices.list(params, for: identity)
        }
        addForAccount(NoticesReceived.self) { identity, params in
            try await notices.received(params, by: identity)
            return Empty()
        }
        addForAccount(NoticesRead.self) { try await notices.read($1, by: $0) }
        addForAccount(NoticesSettings.self) { identity, _ in try await notices.settings(of: identity) }
        addForAccount(NoticesSaveSettings.self) { try await notices.save($1, of: $0) }
    }
}
