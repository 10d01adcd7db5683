import EventLoop
import WebSocket

/// Bodies that are larger than others may be: nothing of them is taken before it is known who sends them.
extension HTTPConnection {
    /// The head of an upload is here. Its body waits in the kernel until there is an answer.
    func admit(_ head: HTTPRequest) {
        phase = .admitting
        forgetUnfinished()
        setDeadline(nil)
        setReading(false)
        let address = callerAddress(of: head)
        Task(executorPreference: loop) { await self.decide(head, address: address) }
    }

    private func decide(_ head: HTTPRequest, address: String) async {
        let admission = await environment.pages.admit(head, address: address, loop: loop)
        loop.preconditionIsolated()
        guard phase == .admitting else { return }
        switch admission {
        case .failure(let refusal):
            // The body is not read: the connection ends.
            respond(refusal.response, to: head, keepAlive: false)
            close()
        case .success(let upload): begin(upload)
        }
    }

    private func begin(_ upload: Upload) {
        guard !environment.registry.isStopping else {
            respond(.plain(503, "the server restarts: send it again shortly"), keepAlive: false)
            return close()
        }
        self.upload = upload
        parser.admitBody(bytesMax: Pages.uploadBytesMax)
        phase = .receiving
        setDeadline(environment.configuration.uploadGraceTime)
        advance()
    }

    /// When the upload that is coming has taken too long, on the monotonic clock in nanoseconds; nil when none is.
    var uploadLimit: UInt64? {
        guard let upload else { return nil }
        let configuration = environment.configuration
        let rate = UInt64(max(1, configuration.uploadBytesPerSecondMin))
        return upload.startedAt &+ configuration.uploadGraceTime.nanoseconds
            &+ UInt64(parser.unfinishedBytes) &* 1_000_000_000 / rate
    }
}
