import Wire

/// The publications that one client of the storm received, checked as they arrive: each once, in order, with the
/// published content.
///
/// Not thread-safe: used by the fleet's thread.
final class StormLedger {
    /// The publisher's number at each offset, as received first by any client. Shared by all ledgers.
    final class Book {
        /// The publisher's numbers by offset; the first offset is at index 0.
        private(set) var numbers: [Int64] = []
        /// Number of offsets at which two clients received different publications.
        private(set) var contradictions = 0

        func record(_ number: Int64, at offset: Int64) {
            guard offset >= 1, offset < 100_000_000 else { return contradictions += 1 }
            while numbers.count < Int(offset) { numbers.append(-1) }
            let index = Int(offset) - 1
            if numbers[index] == -1 { numbers[index] = number } else if numbers[index] != number { contradictions += 1 }
        }
    }

    private let book: Book
    /// The position to subscribe from.
    private(set) var position: TopicPosition?
    private(set) var given = 0
    private(set) var doubled = 0
    /// Number of offsets left out, within a connection or by a recovery.
    private(set) var lost = 0
    private(set) var outOfOrder = 0

    init(_ book: Book) { self.book = book }

    func take(reply: Resumed<TestPublication>) {
        if !reply.recovered {
            let start = (reply.publications.first?.offset ?? reply.offset + 1) - 1
            if let position, position.epoch == reply.epoch { lost += Int(max(0, start - position.offset)) }
            position = TopicPosition(epoch: reply.epoch, offset: start)
        }
        for publication in reply.publications {
            add(reply.epoch, publication.offset, Int64(publication.data.data) ?? -2)
        }
        if position != TopicPosition(epoch: reply.epoch, offset: reply.offset) { outOfOrder += 1 }
    }

    /// Records a push. Parses only the required fields, because thousands arrive at once and the client should not
    /// limit the measurement.
    func take(push: [UInt8]) {
        guard let epoch = Self.number(behind: Self.epochKey, in: push),
            let offset = Self.number(behind: Self.offsetKey, in: push)
        else { return }
        add(epoch, offset, Self.number(behind: Self.dataKey, in: push) ?? -2)
    }

    private func add(_ epoch: Int64, _ offset: Int64, _ number: Int64) {
        guard let position, position.epoch == epoch else { return outOfOrder += 1 }
        guard offset > position.offset else { return doubled += 1 }
        if offset > position.offset + 1 {
            lost += Int(offset - position.offset - 1)
            outOfOrder += 1
        }
        self.position?.offset = offset
        given += 1
        book.record(number, at: offset)
    }

    private static let epochKey = Array("\"epoch\":".utf8)
    private static let offsetKey = Array("\"offset\":".utf8)
    private static let dataKey = Array("\"data\":\"".utf8)

    private static func number(behind key: [UInt8], in message: [UInt8]) -> Int64? {
        message.withUnsafeBufferPointer { bytes in
            var at = 0
            scan: while at + key.count < bytes.count {
                for index in key.indices where bytes[at + index] != key[index] {
                    at += 1
                    continue scan
                }
                var (value, digits) = (Int64(0), 0)
                for byte in bytes[(at + key.count)...] {
                    guard byte >= 48, byte <= 57, digits < 18 else { break }
                    (value, digits) = (value * 10 + Int64(byte - 48), digits + 1)
                }
                return digits > 0 ? value : nil
            }
            return nil
        }
    }
}
