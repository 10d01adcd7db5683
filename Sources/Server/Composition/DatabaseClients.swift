import EventLoop
import Postgres
import Services

/// Connections to the database. Most kinds of grouped writes have a connection of their own, so that none waits for the locks of another.
/// Receipts of chats go through the pool.
struct DatabaseClients: Sendable {
    let pool: PostgresPool
    let points: GroupWriter
    let publications: TransactionWriter
    let messages: TransactionWriter
    let noticeReceipts: TransactionWriter
    let openings: GroupWriter

    init(_ configuration: PostgresConfiguration, loop: EventLoop, metrics: PostgresMetrics) {
        pool = PostgresPool(configuration: configuration, loop: loop, metrics: metrics)
        // Rare writes need not wait for others.
        var prompt = configuration
        prompt.groupWindow = .zero
        points = GroupWriter(configuration: prompt, loop: loop, metrics: metrics)
        publications = TransactionWriter(configuration: configuration, loop: loop)
        messages = TransactionWriter(configuration: configuration, loop: loop)
        noticeReceipts = TransactionWriter(configuration: configuration, loop: loop)
        openings = GroupWriter(configuration: prompt, loop: loop)
    }

    /// Commits pending writes and accepts no more.
    func closeWriters() async {
        await messages.close()
        await noticeReceipts.close()
        await openings.close()
        await publications.close()
        await points.close()
    }

    func close() async {
        await closeWriters()
        await pool.close()
    }
}
