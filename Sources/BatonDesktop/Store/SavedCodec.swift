// SPDX-License-Identifier: Apache-2.0

import BatonBus
import ActivityModel
import FoundationEssentials

/// The file format of saved activities. A line names the format, and a line of JSON for each
/// activity follows.
enum SavedCodec {
    private static let header = "baton saved activities 2"
    /// The header of the former format. That format does not show whether a sandboxed app named a
    /// thumbnail's file, so the URLs of all thumbnails in a file of that format are dropped.
    private static let headerWithAnyThumbnail = "baton saved activities 1"

    private struct Record: Codable {
        var application: String
        var activity: SavedUserActivity
    }

    /// The reason why a file cannot be read.
    struct Damage: Error, CustomStringConvertible {
        var description: String
    }

    static func encode(_ activity: SavedUserActivity, of application: String) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        // JSON has no numbers for infinity and NaN.
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return try encoder.encode(Record(application: application, activity: activity))
    }

    static func encode(_ library: SavedLibrary) -> Data {
        var data = Data(header.utf8)
        for item in library.items {
            data.append(UInt8(ascii: "\n"))
            data += item.encoded
        }
        return data
    }

    /// Decodes a file, and skips lines that cannot be read.
    ///
    /// - Parameter unreadable: Called for each damaged line.
    /// - Throws: ``Damage`` if nothing can be read.
    static func decode(
        _ data: Data, at date: Date, unreadable: (any Error) -> Void = { _ in }
    ) throws -> SavedLibrary {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        var lines = data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)[...]
        let first = lines.popFirst().map { String(decoding: $0, as: UTF8.self) }
        guard let first, [header, headerWithAnyThumbnail].contains(first) else {
            throw Damage(description: "it is of another version, or damaged")
        }
        var damage: (any Error)?
        let items = lines.compactMap { line -> SavedLibrary.Item? in
            do {
                var record = try decoder.decode(Record.self, from: Data(line))
                // Drop activities of an older version that are no longer valid.
                guard (try? record.activity.state.validated()) != nil else { return nil }
                guard ApplicationID.isValid(record.application), line.count <= SavedLibrary.largestActivity
                else {
                    throw Damage(description: "no activity is kept so")
                }
                var encoded = Data(line)
                if first != header, record.activity.contentAttributeSet?.thumbnailURL != nil {
                    record.activity.contentAttributeSet?.thumbnailURL = nil
                    encoded = try encode(record.activity, of: record.application)
                }
                return SavedLibrary.Item(
                    application: record.application, activity: record.activity, encoded: encoded)
            } catch {
                damage = Damage(description: "it is damaged (\(error))")
                unreadable(error)
                return nil
            }
        }
        if let damage, items.isEmpty { throw damage }
        return SavedLibrary(items, at: date)
    }
}
