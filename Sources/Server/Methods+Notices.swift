import Services
import Wire

extension Router {
    /// Adds notices.
    mutating func addNotices(_ notices: Notices) {
        let limits = limits
        add(NoticesPublish.self) { caller, params in
            let identity = try caller.requireIdentity()
            try limits.message(of: identity.account.id)
            return try await notices.publish(params, by: identity)
        }
        add(NoticesPreview.self) { caller, params in
            let identity = try caller.requireIdentity()
            try limits.listing(by: caller)
            return try await notices.preview(params, by: identity)
        }
        add(NoticesCorrect.self) { caller, params in
            let identity = try caller.requireIdentity()
            try limits.message(of: identity.account.id)
            return try await notices.correct(params, by: identity)
        }
        add(NoticesWithdraw.self) { try await notices.withdraw($1, by: try $0.requireIdentity()) }
        add(NoticesStatus.self) { try await notices.status(of: $1, for: try $0.requireIdentity()) }
        add(NoticesSent.self) { caller, params in
            let identity = try caller.requireIdentity()
            try limits.listing(by: caller)
            return try await notices.sent(params, for: identity)
        }
        add(NoticesList.self) { caller, params in
            let identity = try caller.requireIdentity()
            try limits.listing(by: caller)
            return try await notices.list(params, for: identity)
        }
        add(NoticesReceived.self) { caller, params in
            try await notices.received(params, by: try caller.requireIdentity())
            return Empty()
        }
        add(NoticesRead.self) { try await notices.read($1, by: try $0.requireIdentity()) }
        add(NoticesSettings.self) { caller, _ in try await notices.settings(of: try caller.requireIdentity()) }
        add(NoticesSaveSettings.self) { try await notices.save($1, of: try $0.requireIdentity()) }
    }
}
