// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Recognizes reverse-DNS activity types.
///
/// Other types work too, but two apps may choose the same type (requirement 22).
enum ActivityTypeStyle {
    /// The types that the developer was already warned about.
    ///
    /// A program that makes up types could fill memory, so there are at most `limit` of them.
    private static let warned = Mutex<Set<String>>([])
    private static let limit = 1_024

    static func isReverseDNS(_ type: String) -> Bool {
        let parts = type.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count >= 2
            && parts.allSatisfy { part in
                !part.isEmpty
                    && part.utf8.allSatisfy { byte in
                        switch byte {
                        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                            true
                        default: false
                        }
                    }
            }
    }

    /// Returns a warning at the first use of a type that is not reverse-DNS, otherwise nil.
    static func warning(for type: String) -> String? {
        guard !isReverseDNS(type), type != NSUserActivityTypeBrowsingWeb else { return nil }
        let isNew = warned.withLock { $0.count < limit && $0.insert(type).inserted }
        guard isNew else { return nil }
        return
            "the activity type \"\(type)\" is not reverse-DNS, such as org.example.app.edit; another app may use it too"
    }
}
