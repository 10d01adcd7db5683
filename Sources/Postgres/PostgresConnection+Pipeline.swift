import CLibpq
import EventLoop

/// Sending and receiving. Confined to the loop.
extension PostgresConnection {
    /// Sends a batch, or queues it until it can be sent.
    func submit(_ batch: Batch) {
        loop.preconditionIsolated()
        if case .closed(let error) = state {
            batch.fail(error)
            batch.complete()
            return
        }
        guard inFlight.count + waiting.count < Self.batchesMax else {
            batch.fail(.overloaded)
            batch.complete()
            return
        }
        waiting.append(batch)
        sendWaiting()
    }

    func sendWaiting() {
        guard isOpen else { return }
        while !isRunningScript, let batch = waiting.first {
            switch batch.body {
            case .pipeline(let statements):
                waiting.removeFirst()
                inFlight.append(batch)
                send(statements, of: batch)
            case .script(let sql):
                // The simple protocol runs a script outside of pipeline mode, so all earlier results must have arrived.
                guard expected.isEmpty else { return }
                waiting.removeFirst()
                inFlight.append(batch)
                sendScript(sql, of: batch)
            }
            guard isOpen else { return }
        }
        setTimer()
        flush()
    }

    private func send(_ statements: [EncodedStatement], of batch: Batch) {
        guard let handle else { return }
        var preparedHere: Set<String> = []
        for statement in statements {
            let sent: Int32
            switch prepared.find(statement.sql) {
            case .ready(let name):
                sent = sendPrepared(name, statement)
            case .preparing(let name) where preparedHere.contains(statement.sql):
                sent = sendPrepared(name, statement)
            case .preparing:
                // Another batch prepares this statement and may fail. Send the full text so that this batch does not depend on it.
                sent = statement.parameters.withPointers { count, values in
                    PQsendQueryParams(handle, statement.sql, count, nil, values, nil, nil, 0)
                }
            case .unknown:
                let name = prepared.insert(statement.sql)
                preparedHere.insert(statement.sql)
                guard PQsendPrepare(handle, name, statement.sql, 0, nil) == 1 else { return lose() }
                expected.append(.preparation(batch, sql: statement.sql))
                sent = sendPrepared(name, statement)
            }
            guard sent == 1 else { return lose() }
            expected.append(.rows(batch))
        }
        synchronise(batch)
        if let name = prepared.evict(countMax: configuration.preparedStatementsMax) { deallocate(name) }
    }

    private func sendPrepared(_ name: String, _ statement: EncodedStatement) -> Int32 {
        guard let handle else { return 0 }
        return statement.parameters.withPointers { count, values in
            PQsendQueryPrepared(handle, name, count, values, nil, nil, 0)
        }
    }

    private func synchronise(_ batch: Batch?) {
        guard let handle, PQpipelineSync(handle) == 1 else { return lose() }
        expected.append(.synchronisation(batch))
    }

    private func deallocate(_ name: String) {
        guard let handle else { return }
        guard PQsendQueryParams(handle, "DEALLOCATE \(name)", 0, nil, nil, nil, nil, 0) == 1 else { return lose() }
        expected.append(.deallocation(name: name))
        synchronise(nil)
    }

    private func sendScript(_ sql: String, of batch: Batch) {
        guard let handle, PQexitPipelineMode(handle) == 1, PQsendQuery(handle, sql) == 1 else { return lose() }
        isRunningScript = true
        expected.append(.script(batch))
    }

    private func lose() { close(.unavailable(reason: lastMessage)) }

    func flush() {
        guard let handle, isOpen else { return }
        switch PQflush(handle) {
        case 0: watch?.setInterest(reading: true, writing: false)
        case 1: watch?.setInterest(reading: true, writing: true)
        default:
            // Results that arrived before the loss still count.
            _ = PQconsumeInput(handle)
            drain()
            if isOpen { lose() }
        }
    }

    // MARK: Receiving

    func receive() {
        guard let handle, isOpen else { return }
        let isAlive = PQconsumeInput(handle) == 1 && PQstatus(handle) == CONNECTION_OK
        drain()
        deliverNotifications()
        if !isAlive && isOpen { lose() }
        sendWaiting()
    }

    private func drain() {
        // Two null results in a row mean that libpq has no more results, whatever `expected` holds.
        var emptyAnswers = 0
        while let handle, let head = expected.first, emptyAnswers < 2, PQisBusy(handle) == 0 {
            guard let result = PQgetResult(handle) else {
                emptyAnswers += 1
                if headHasResult { finishHead(head) }
                continue
            }
            emptyAnswers = 0
            accept(result, head)
        }
    }

    /// Removes the head expectation after its last result.
    private func finishHead(_ head: Expectation) {
        headHasResult = false
        expected.removeFirst()
        guard case .script(let batch) = head, let handle else { return }
        isRunningScript = false
        guard PQenterPipelineMode(handle) == 1 else { return lose() }
        finish(batch)
    }

    private func accept(_ result: OpaquePointer, _ head: Expectation) {
        let status = PQresultStatus(result)
        if status == PGRES_PIPELINE_SYNC {
            PQclear(result)
            guard case .synchronisation(let batch) = head else { return closeOutOfSync() }
            expected.removeFirst()
            if let batch { finish(batch) }
            return
        }
        headHasResult = true
        let isSuccess = status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK || status == PGRES_EMPTY_QUERY
        switch head {
        case .rows(let batch) where isSuccess:
            batch.append(PostgresRows(result))
            return
        case .preparation(_, let sql) where isSuccess:
            prepared.confirm(sql)
        case .preparation(let batch, let sql):
            prepared.remove(sql)
            batch.fail(error(result, status))
        case .rows(let batch):
            let error = error(result, status)
            dropStalePreparedStatement(batch, error)
            batch.fail(error)
        case .script(let batch):
            if !isSuccess { batch.fail(error(result, status)) }
        case .deallocation(let name):
            if !isSuccess { logger.debug("statement \(name) stays prepared: its session refused to forget it") }
        case .synchronisation:
            // An error at the synchronisation point itself, such as a deferred constraint of an implicit transaction.
            headHasResult = false
            if case .synchronisation(let batch?) = head { batch.fail(error(result, status)) }
        }
        PQclear(result)
        if status == PGRES_COPY_IN || status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH { closeOutOfSync() }
    }

    private func closeOutOfSync() { close(.unavailable(reason: "the answers are out of step with the statements")) }

    private func error(_ result: OpaquePointer, _ status: ExecStatusType) -> PostgresError {
        if status == PGRES_PIPELINE_ABORTED { return .unavailable(reason: "an earlier statement failed") }
        guard let sqlState = diagnosticField(result, "C") else { return .unavailable(reason: lastMessage) }
        let error = PostgresError.fromServer(
            sqlState: sqlState, message: diagnosticField(result, "M") ?? "", constraint: diagnosticField(result, "n"))
        if let outage = error.outage, outage.needsOperator {
            // The message may name the statement, so rate-limit by kind of outage and log the latest message.
            let words = "\(configuration): \(outage.advice)"
            if LogRateLimit.shared.isDue(words) { logger.error("\(words)", metadata: ["error": "\(error)"]) }
        }
        return error
    }

    /// Drops a prepared statement that no longer works, so that the next attempt prepares it again.
    ///
    /// A migration may have changed its result type (0A000), or a connection pooler may have lost it (26000).
    private func dropStalePreparedStatement(_ batch: Batch, _ error: PostgresError) {
        guard batch.failure == nil, error.sqlState == "0A000" || error.sqlState == "26000",
            case .pipeline(let statements) = batch.body, batch.answers.count < statements.count
        else { return }
        prepared.remove(statements[batch.answers.count].sql)
    }

    private func finish(_ batch: Batch) {
        if inFlight.first === batch { inFlight.removeFirst() }
        batch.complete()
    }

    // MARK: Deadlines

    /// Sets the connection's only timer. Batches are answered in order, so the earliest deadline is sufficient.
    private func setTimer() {
        guard !isTimerSet, let earliest = inFlight.lazy.map(\.deadline).min() else { return }
        isTimerSet = true
        let now = EventLoop.nowNanoseconds
        let delay = Duration.nanoseconds(Int64(clamping: earliest > now ? earliest - now : 0))
        loop.schedule(after: delay) { [weak self] in
            guard let self else { return }
            isTimerSet = false
            checkDeadlines()
        }
    }

    private func checkDeadlines() {
        guard isOpen else { return }
        let now = EventLoop.nowNanoseconds
        if inFlight.contains(where: { $0.deadline <= now }) || waiting.contains(where: { $0.deadline <= now }) {
            close(.unavailable(reason: "an earlier statement on the connection ran out of time"))
        } else {
            setTimer()
        }
    }
}
