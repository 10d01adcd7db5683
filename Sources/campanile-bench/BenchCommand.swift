import ArgumentParser
import Bench
import CommandSupport
import Foundation

/// A command that measures something and reports it.
protocol BenchCommand: AsyncParsableCommand {
    /// Prints JSON instead of tables.
    var json: Bool { get }
}

extension BenchCommand {
    /// - Throws: `ValidationError` if the option's value is out of range.
    func check<Value>(_ option: String, _ value: Value, _ range: ClosedRange<Value>) throws {
        guard range.contains(value) else {
            // Format whole numbers without a fraction, although the option accepts fractions.
            let bounds = [range.lowerBound, range.upperBound].map { "\($0)".replacing(/\.0$/, with: "") }
            throw ValidationError("\(option) must be \(bounds[0]) to \(bounds[1])")
        }
    }

    /// Prints a report.
    /// - Throws: ``CommandFailure`` if the report has a failure.
    func show(_ report: BenchReport) throws {
        try show(report, table: report.table)
        if let failure = report.failure { throw CommandFailure(.software, failure) }
    }

    /// Prints a report, as a table or as one line of JSON.
    func show(_ report: some Encodable, table: String) throws {
        guard json else { return Terminal.output(table) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        Terminal.output(String(decoding: try encoder.encode(report), as: UTF8.self))
    }
}
