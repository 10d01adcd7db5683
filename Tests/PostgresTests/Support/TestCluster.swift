import Logging
import TestSupport

@testable import Postgres

extension PrivateCluster {
    /// A cluster of a test's own. It has no PostGIS, which takes longer to create than all the rest.
    static func test(
        _ directory: String, search: PostgresBinaries.Search = .environment, logger: Logger = TestDatabase.logger
    ) -> PrivateCluster {
        PrivateCluster(
            dataDirectory: directory, loop: TestDatabase.shared.loop, workers: TestDatabase.shared.workers,
            search: search,
            extensions: [], logger: logger)
    }
}
