import Hub
import Services
import Wire

extension Router {
    /// Adds the methods for notices.
    mutating func addNotices(_ notices: Notices, _ hub: Hub) {
        addForAccount(NoticesPublish.self) { try await notices.publish($1, by: $0) }
        addForAccount(NoticesPreview.self) { try await notices.preview($1, by: $0) }
        addForAccount(NoticesCorrect.self) { try await notices.correct($1, by: $0) }
        addForAccount(NoticesWithdraw.self) { try await notices.withdraw($1, by: $0) }
        addForAccount(NoticesStatus.self) { try await notices.status(of: $1, for: $0) }
        addForAccount(NoticesSent.self) { try await notices.sent($1, for: $0) }
        addForAccount(NoticesList.self) { try await notices.list($1, for: $0) }
        addForAccount(NoticesReceived.self) { identity, params in
            try await notices.received(params, by: identity)
            return Empty()
        }
        addForAccount(NoticesRead.self) { try await notices.read($1, by: $0) }
        addForAccount(NoticesSettings.self) { identity, _ in try await notices.settings(of: identity) }
        addSetting(NoticesSaveSettings.self, hub) { try await notices.save($1, of: $0) }
    }
}
