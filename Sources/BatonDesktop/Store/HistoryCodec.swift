// SPDX-License-Identifier: Apache-2.0

import BatonBus
import FoundationEssentials

/// The file format of the history.
enum HistoryCodec {
    /// The maximum size of the file, in bytes. Older entries that do not fit are not written.
    static let largest = 256 * 1_024

    private static let header = "baton history 1"

    fileprivate struct Record: Codable {
        var first: Int64
        var last: Int64
        var device: String
        var deviceName: String
        var application: String?
        var type: String
        var count: Int
    }

    static func encode(_ history: History) throws -> Data {
        let encoder = RecordLines.encoder
        var (lines, size): ([Data], Int) = ([], header.utf8.count)
        for entry in history.entries.reversed() {
            let line = try encoder.encode(Record(entry))
            size += 1 + line.count
            guard size <= largest else { break }
            lines.append(line)
        }
        return RecordLines.data(header, lines.reversed())
    }

    /// Decodes a file, and skips lines that cannot be read or have impossible values.
    ///
    /// - Throws: ``RecordLines/Damage`` if nothing can be read.
    static func decode(_ data: Data) throws -> History {
        let lines = try RecordLines.lines(header, of: data)
        let records = lines.compactMap { try? JSONDecoder().decode(Record.self, from: $0) }
            .filter(\.isPossible)
        guard !records.isEmpty || lines.isEmpty else { throw RecordLines.Damage() }
        return History(records.map(\.entry))
    }
}

extension HistoryCodec.Record {
    /// The last second of the year 9999.
    private static let latest: Int64 = 253_402_300_799
    private static let greatestCount = 1 << 32

    /// Whether the times and the count are within bounds. Other values, as in a damaged file, could
    /// overflow later.
    fileprivate var isPossible: Bool {
        [first, last].allSatisfy { (0...Self.latest).contains($0) } && (1...Self.greatestCount).contains(count)
    }

    fileprivate init(_ entry: HistoryEntry) {
        self.init(
            first: Int64(entry.first.timeIntervalSince1970), last: Int64(entry.last.timeIntervalSince1970),
            device: entry.device, deviceName: entry.deviceName, application: entry.application, type: entry.type,
            count: entry.count)
    }

    fileprivate var entry: HistoryEntry {
        HistoryEntry(
            first: Date(timeIntervalSince1970: TimeInterval(first)),
            last: Date(timeIntervalSince1970: TimeInterval(last)),
            device: device, deviceName: deviceName, application: application, type: type, count: count)
    }
}
