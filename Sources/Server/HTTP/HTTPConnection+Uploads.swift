import EventLoop
import WebSocket

/// Uploads, whose bodies exceed the general limit. The server reads a body only after it has identified the sender.
extension HTTPConnection {
    /// Checks the head of an upload. The body stays in the kernel until the check completes.
    func admit(_ head: HTTPRequest) {
        phase = .admitting
        forgetUnfinished()
        setDeadline(nil)
        setReading(false)
        guard isPrivateEnough(head) else { return refuse(head, Pages.needsTLS) }
        let address = callerAddress(of: head)
        Task(executorPreference: loop) { await self.decide(head, address: address) }
    }

    private func decide(_ head: HTTPRequest, address: String) async {
        let admission = await environment.pages.admit(head, address: address, loop: loop)
        loop.preconditionIsolated()
        guard phase == .admitting else { return }
        switch admission {
        case .failure(let refusal):
            // The connection ends, because the body is not read.
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

    /// Deadline of the present upload on the monotonic clock in nanoseconds; nil without one.
    var uploadLimit: UInt64? {
        guard let upload else { return nil }
        let configuration = environment.configuration
        let rate = UInt64(max(1, configuration.uploadBytesPerSecondMin))
        return upload.startedAt &+ configuration.uploadGraceTime.nanoseconds
            &+ UInt64(parser.unfinishedBytes) &* 1_000_000_000 / rate
    }
}
