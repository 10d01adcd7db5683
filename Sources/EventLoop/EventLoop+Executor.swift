/// A loop as a Swift executor: actors whose `unownedExecutor` is a loop, and tasks that prefer one, run on its queue.
extension EventLoop: SerialExecutor, TaskExecutor {
    /// Puts a job into the inbox. From any thread.
    public func enqueue(_ job: consuming ExecutorJob) {
        enqueue(.job(UnownedJob(job)))
    }

    /// The loop as a serial executor.
    public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    /// The loop as a task executor.
    public func asUnownedTaskExecutor() -> UnownedTaskExecutor { UnownedTaskExecutor(ordinary: self) }

    /// Traps unless the caller runs on the loop; lets `assumeIsolated` see queue-based code.
    public func checkIsolated() { preconditionIsolated() }
}
