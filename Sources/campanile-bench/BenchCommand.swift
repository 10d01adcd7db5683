import ArgumentParser
import Bench
import CommandSupport
import Foundation

/// A command that measures something and reports it.
protocol BenchCommand: AsyncParsableCommand {
    /// JSON instead of tables.
    var json: Bool { get }
}

extension BenchCommand {
    /// - Throws: `ValidationError` when the option's value is out of its range.
    func check<Value>(_ option: String, _ value: Value, _ range: ClosedRange<Value>) throws {
        guard range.contains(value) else {
            // Whole numbers are written as such, though the option takes others as well.
            let bounds = [range.lowerBound, range.upperBound].map { "\($0)".replacing(/\.0$/, with: "") }
            throw ValidationError("\(option) must be \(bounds[0]) to \(bounds[1])")
        }
    }

    /// Shows a report.
    /// - Throws: ``CommandFailure`` when the report has one.
    func show(_ report: BenchReport) throws {
        try show(report, table: report.table)
        if let failure = report.failure { throw CommandFailure(.software, failure) }
    }

    /// Shows a report: as a table for a person, or as one line of JSON.
    func show(_ report: some Encodable, table: String) throws {
        guard json else { return Terminal.say(table) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        Terminal.say(String(decoding: try encoder.encode(report), as: UTF8.self))
    }
}
