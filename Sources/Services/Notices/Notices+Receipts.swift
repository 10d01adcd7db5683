import Hub
import Postgres
import Wire

/// Receipts. After an emergency all devices acknowledge at the same time, so receipts are committed in groups.
extension Notices {
    /// Largest number of notices in one acknowledgement.
    static let numbersMax = 100
    /// Largest number of acknowledgements waiting for a group.
    static let waitingReceiptsMax = 20_000

    /// An acknowledgement of notices by an account.
    struct Receipt: Sendable {
        let account: Int64
        let numbers: [Int64]
        let at: Timestamp
        let isRead: Bool
    }

    func makeReceipts(_ writer: TransactionWriter) -> GroupCommit<Receipt, Void> {
        let metrics = metrics
        return GroupCommit(
            loop: loop,
            limits: .init(
                groupItemsMax: 1_000, groupSizeMax: 65_536, waitingItemsMax: Self.waitingReceiptsMax,
                waitingSizeMax: 8 * 1_048_576),
            refuse: { metrics.refuse() },
            write: { receipts, arrival, completion in
                writer.write([Self.statement(receipts)], arrival: arrival, completion: completion)
            },
            read: { receipts, answers, nanoseconds in
                metrics.committed(
                    fresh: Int(try answers.first?.first?.int("count") ?? 0),
                    accepted: receipts.reduce(0) { $0 + $1.numbers.count }, of: receipts.count,
                    nanoseconds: nanoseconds)
                return .init(answers: receipts.map { _ in .success(()) })
            },
            // Clients repeat acknowledgements, which is harmless.
            failed: { receipts, _ in metrics.failed.add(receipts.count) })
    }

    private static func statement(_ receipts: [Receipt]) -> PostgresStatement {
        let rows = receipts.flatMap { receipt in receipt.numbers.map { (receipt, $0) } }
        return PostgresStatement(
            "SELECT notice_receive($1, $2, $3, $4) AS count",
            [
                .intArray(rows.map(\.0.account)), .intArray(rows.map(\.1)),
                .timestampArray(rows.map(\.0.at.milliseconds)), .boolArray(rows.map(\.0.isRead)),
            ])
    }

    /// Records that a device of the caller received these notices. Notices for other recipients are ignored.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``; repeating the request is harmless.
    public func received(_ params: NoticeNumbers, by identity: Identity) async throws {
        try await acknowledge(params, by: identity, isRead: false)
    }

    /// Records that the caller read these notices. Notices for other recipients are ignored.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``; repeating the request is harmless.
    public func read(_ params: NoticeNumbers, by identity: Identity) async throws -> NoticesRead.Result {
        try await acknowledge(params, by: identity, isRead: true)
        await hub.signals.publish([AccountSignal(identity.account.id, UserSignal(type: .notices))], by: 0)
        return NoticesRead.Result(unread: try await unread(by: identity.account.id))
    }

    private func acknowledge(_ params: NoticeNumbers, by identity: Identity, isRead: Bool) async throws {
        let numbers = Set(params.notices)
        guard !numbers.isEmpty, params.notices.count <= Self.numbersMax else {
            throw RPCError.invalid("notices", "has 1 to \(Self.numbersMax) numbers")
        }
        let receipt = Receipt(account: identity.account.id, numbers: Array(numbers), at: now(), isRead: isRead)
        try await receipts.submit(receipt, size: 24 * numbers.count)
    }
}
