import EventLoop
import Postgres
import Services

/// Connections to the database. Each kind of grouped write has its own connection, so that none waits for the locks of another.
struct DatabaseClients: Sendable {
    let pool: PostgresPool
    let points: GroupWriter
    let publications: GroupWriter
    let messages: GroupWriter
    let receipts: GroupWriter
    let openings: GroupWriter

    init(_ configuration: PostgresConfiguration, loop: EventLoop, metrics: PostgresMetrics) {
        pool = PostgresPool(configuration: configuration, loop: loop, metrics: metrics)
        points = GroupWriter(configuration: Tracking.writing(configuration), loop: loop, metrics: metrics)
        let grouped = Publications.writing(configuration)
        publications = GroupWriter(configuration: grouped, loop: loop, atOnce: false)
        messages = GroupWriter(configuration: grouped, loop: loop, atOnce: false)
        receipts = GroupWriter(configuration: grouped, loop: loop, atOnce: false)
        openings = GroupWriter(configuration: grouped, loop: loop, atOnce: false)
    }

    /// Commits pending writes and accepts no more.
    func closeWriters() async {
        await messages.close()
        await receipts.close()
        await openings.close()
        await publications.close()
        await points.close()
    }

    func close() async {
        await closeWriters()
        await pool.close()
    }
}
