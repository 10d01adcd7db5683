/// Objects that connections use. Immutable and shared, since each connection holds a reference.
final class ServerEnvironment: Sendable {
    let configuration: ServerConfiguration
    let router: Router
    let services: ServiceSet
    let pages: Pages
    let registry: ConnectionRegistry
    let metrics: ServerMetrics
    let figures: Figures
    let testRoom = TestRoom()

    init(
        configuration: ServerConfiguration, router: Router, services: ServiceSet, pages: Pages,
        registry: ConnectionRegistry, metrics: ServerMetrics, figures: Figures
    ) {
        self.configuration = configuration
        self.router = router
        self.services = services
        self.pages = pages
        self.registry = registry
        self.metrics = metrics
        self.figures = figures
    }
}
