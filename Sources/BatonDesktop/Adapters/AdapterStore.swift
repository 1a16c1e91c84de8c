// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus
import Crypto
import DesktopEntries
import Diagnosis
import FoundationEssentials
public import Logging
import Synchronization

/// The store of the user's decisions on adapters in the user's own directory.
///
/// A decision is valid only for the desktop entry that the adapter had at that time. If the entry
/// has changed since, the user must decide again.
public final class AdapterStore: Sendable {
    static let fileName = "adapters"

    /// A decision on an adapter.
    private struct Answer: Hashable, Codable {
        var adapter: String
        /// The SHA-256 of the adapter's desktop entry, in hexadecimal digits.
        var entry: String
        var isAllowed: Bool
    }

    private static let header = "baton adapters 1"
    /// The maximum length of a line: an id with all bytes escaped, and the text around it.
    private static let longestLine = 6 * ApplicationID.maximumLength + 256
    private static let largest = header.utf8.count + DesktopEntryIndex.maximumAdapters * longestLine

    private let file: PrivateFile?
    private let answers: Mutex<[String: Answer]>
    /// The lock that a change holds until it is written.
    private let changing = Mutex(())

    /// Creates a store without a file, for tests.
    public init() {
        file = nil
        answers = Mutex([:])
    }

    /// Opens the store. A file that cannot be read is put aside, and the store starts empty. If
    /// only some lines cannot be read, the others are used.
    ///
    /// - Parameter directory: The directory of the file `adapters`. It must exist and belong to the
    ///   user alone.
    public init(directory: String, logger: Logger) {
        let file = PrivateFile(path: "\(directory)/\(Self.fileName)", largest: Self.largest)
        self.file = file
        do {
            let read = try file.read().map(Self.decode)
            answers = Mutex(read?.answers ?? [:])
            if let read, read.unreadable > 0 {
                let aside = (try? file.putAside()) ?? file.path
                try? file.write(Self.encode(read.answers))
                logger.warning(
                    "\(read.unreadable) lines about adapters cannot be read, asking again; what there was is in \(aside)"
                )
            }
        } catch {
            answers = Mutex([:])
            let aside = (try? file.putAside()) ?? file.path
            logger.warning(
                "what was said of adapters cannot be read, asking anew: \(error); what there was is in \(aside)")
        }
    }

    /// Returns whether the user allowed an adapter with this entry, or nil without a decision.
    ///
    /// - Parameter contents: The contents of the adapter's desktop entry.
    func answer(to adapter: String, entry contents: [UInt8]) -> Bool? {
        guard let answer = answers.withLock({ $0[adapter] }), answer.entry == Self.digest(contents) else { return nil }
        return answer.isAllowed
    }

    /// Saves the user's decision on an adapter. A refusal takes effect even if it cannot be
    /// written.
    ///
    /// - Parameters:
    ///   - contents: The contents of the adapter's desktop entry.
    ///   - installed: The ids of all installed adapters. Decisions on other adapters are forgotten.
    /// - Throws: ``BatonError``.
    func answer(_ isAllowed: Bool, to adapter: String, entry contents: [UInt8], among installed: [String]) throws {
        try changing.withLock { _ in
            var new = answers.withLock { $0 }.filter { installed.contains($0.key) }
            new[adapter] = Answer(adapter: adapter, entry: Self.digest(contents), isAllowed: isAllowed)
            if !isAllowed { answers.withLock { $0 = new } }
            do {
                try file?.write(Self.encode(new))
            } catch {
                throw BatonError(.failed, .choiceNotKept, ["reason": BatonError.reason(error)])
            }
            answers.withLock { $0 = new }
        }
    }

    private static func encode(_ answers: [String: Answer]) throws -> Data {
        let encoder = RecordLines.encoder
        return RecordLines.data(
            header, try answers.values.sorted { $0.adapter < $1.adapter }.map { try encoder.encode($0) })
    }

    /// Decodes a file.
    ///
    /// - Returns: The decisions, and the number of lines that cannot be read.
    /// - Throws: ``RecordLines/Damage`` if the data is not a file of decisions.
    private static func decode(_ data: Data) throws -> (answers: [String: Answer], unreadable: Int) {
        let lines = try RecordLines.lines(header, of: data)
        guard lines.count <= DesktopEntryIndex.maximumAdapters else { throw RecordLines.Damage() }
        let answers = lines.compactMap { try? JSONDecoder().decode(Answer.self, from: $0) }
        return (Dictionary(answers.map { ($0.adapter, $0) }) { first, _ in first }, lines.count - answers.count)
    }

    private static func digest(_ contents: [UInt8]) -> String { SHA256.hash(data: contents).hexadecimal }
}
