/// Event loop as a Swift executor: actors whose `unownedExecutor` is a loop, and tasks that prefer a loop, run on its queue.
extension EventLoop: SerialExecutor, TaskExecutor {
    /// Puts a job into the inbox. From any thread.
    public func enqueue(_ job: consuming ExecutorJob) {
        enqueue(.job(UnownedJob(job)))
    }

    public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    public func asUnownedTaskExecutor() -> UnownedTaskExecutor { UnownedTaskExecutor(ordinary: self) }

    /// Traps unless the caller runs on the loop. Allows `assumeIsolated` in code that runs on the loop's queue outside a task.
    public func checkIsolated() { preconditionIsolated() }
}
