// SPDX-License-Identifier: Apache-2.0

import BatonBus
import ActivityModel
import FoundationEssentials

/// The file format of saved activities.
enum SavedCodec {
    private static let header = "baton saved activities 2"
    /// The header of the previous format. That format does not show whether a sandboxed app named a
    /// thumbnail's file. So the URLs of all thumbnails in a file of that format are dropped.
    private static let headerWithAnyThumbnail = "baton saved activities 1"

    private struct Record: Codable {
        var application: String
        var activity: SavedUserActivity
    }

    static func encode(_ activity: SavedUserActivity, of application: String) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        // JSON has no numbers for infinity and NaN.
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return try encoder.encode(Record(application: application, activity: activity))
    }

    static func encode(_ library: SavedLibrary) -> Data { RecordLines.data(header, library.items.map(\.encoded)) }

    /// Decodes a file, and skips lines that cannot be read.
    ///
    /// - Parameter unreadable: Called for each damaged line.
    /// - Throws: ``RecordLines/Damage`` if nothing can be read.
    static func decode(
        _ data: Data, at date: Date, unreadable: (any Error) -> Void = { _ in }
    ) throws -> SavedLibrary {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        let own = try? RecordLines.lines(header, of: data)
        let lines = try own ?? RecordLines.lines(headerWithAnyThumbnail, of: data)
        var damage: (any Error)?
        let items = lines.compactMap { line -> SavedLibrary.Item? in
            do {
                var record = try decoder.decode(Record.self, from: line)
                // Drop activities of an older version that are no longer valid.
                guard (try? record.activity.state.validated()) != nil else { return nil }
                guard ApplicationID.isValid(record.application), line.count <= SavedLibrary.largestActivity
                else {
                    throw RecordLines.Damage(description: "no activity is kept so")
                }
                var encoded = line
                if own == nil, record.activity.contentAttributeSet?.thumbnailURL != nil {
                    record.activity.contentAttributeSet?.thumbnailURL = nil
                    encoded = try encode(record.activity, of: record.application)
                }
                return SavedLibrary.Item(
                    application: record.application, activity: record.activity, encoded: encoded)
            } catch {
                damage = RecordLines.Damage(description: "it is damaged (\(error))")
                unreadable(error)
                return nil
            }
        }
        if let damage, items.isEmpty { throw damage }
        return SavedLibrary(items, at: date)
    }
}
