// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The form of the daemon's files: a header, which names the file's format, and then a line of JSON
/// for each record.
enum RecordLines {
    /// The reason why a file cannot be read.
    struct Damage: Error, CustomStringConvertible {
        var description = "it is of another version, or damaged"
    }

    static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }

    /// Returns the contents of a file.
    static func data(_ header: String, _ lines: [Data]) -> Data {
        lines.reduce(into: Data(header.utf8)) { data, line in
            data.append(UInt8(ascii: "\n"))
            data.append(line)
        }
    }

    /// Returns the lines of a file after its header.
    ///
    /// - Throws: ``Damage`` if the file has another header.
    static func lines(_ header: String, of data: Data) throws(Damage) -> [Data] {
        let lines = data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { Data($0) }
        guard lines.first == Data(header.utf8) else { throw Damage() }
        return Array(lines.dropFirst())
    }
}
