// SPDX-License-Identifier: Apache-2.0

import AssociatedDomains
import FoundationEssentials
public import Logging

/// The store of the domains' answers.
///
/// Unreadable lines are skipped, because lost answers only have to be asked for again.
public struct AgreementStore: Sendable {
    private let file: PrivateFile?
    private let logger: Logger

    private static let header = "baton domains 1"
    /// The maximum length of a line, in bytes: ``FetchRequest/maximumApps`` apps twice, and the
    /// text around them. JSON may escape one byte as six bytes.
    static let longestLine = 2 * FetchRequest.maximumApps * AppIdentifier.maximumLength * 6 + 16_384
    /// The maximum size of the file, in bytes.
    static let largest = 8 << 20

    private struct Line: Codable {
        var domain: String
        var record: DomainRecord
    }

    /// Creates a store without a file, for tests.
    public init() {
        file = nil
        logger = Logger(label: "agreements")
    }

    /// Creates a store in a directory.
    ///
    /// - Parameter directory: The directory of the file `domains`. It must exist and belong to the
    ///   user alone.
    public init(directory: String, logger: Logger) {
        file = PrivateFile(path: directory + "/domains", largest: Self.largest)
        self.logger = logger
    }

    /// Reads the saved answers, or none if the file cannot be read.
    func read() -> DomainBook {
        do {
            return DomainBook(try file?.read().map(Self.decode) ?? [:])
        } catch {
            logger.warning("what domains have said cannot be read, asking them again: \(error)")
            return DomainBook()
        }
    }

    /// Saves the answers. If the file cannot be written, the answers are kept until the daemon
    /// ends.
    func write(_ book: DomainBook) {
        do {
            try file?.write(Self.encode(book.records))
        } catch {
            logger.warning("what domains have said was not written, ignoring: \(error)")
        }
    }

    static func encode(_ records: [DomainName: DomainRecord]) throws -> Data {
        let encoder = RecordLines.encoder
        var (lines, size): ([Data], Int) = ([], header.utf8.count)
        for (domain, record) in records.sorted(by: { $0.key < $1.key }) {
            let line = try encoder.encode(Line(domain: domain.description, record: record))
            // Domains without room in the file are asked again.
            size += 1 + line.count
            guard size <= largest else { break }
            lines.append(line)
        }
        return RecordLines.data(header, lines)
    }

    /// Decodes the readable lines of a file, or none if it has another format.
    static func decode(_ data: Data) -> [DomainName: DomainRecord] {
        guard let lines = try? RecordLines.lines(header, of: data) else { return [:] }
        var records: [DomainName: DomainRecord] = [:]
        for line in lines.prefix(DomainBook.maximumDomains) where line.count <= longestLine {
            guard let line = try? JSONDecoder().decode(Line.self, from: line), line.record.isValid,
                let domain = DomainName(line.domain)
            else { continue }
            records[domain] = line.record
        }
        return records
    }
}
