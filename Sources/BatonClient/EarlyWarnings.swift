// SPDX-License-Identifier: Apache-2.0

/// The latest warnings about activities whose identifiers at the daemon are not known here yet.
///
/// Only a few are kept, because some are about ended activities, whose identifiers never arrive.
struct EarlyWarnings {
    static let maximum = 16

    private var warnings: [(identifier: String, text: String)] = []

    var count: Int { warnings.count }

    mutating func insert(_ text: String, of identifier: String) {
        _ = take(identifier)
        if warnings.count == Self.maximum { warnings.removeFirst() }
        warnings.append((identifier, text))
    }

    mutating func take(_ identifier: String) -> String? {
        guard let index = warnings.firstIndex(where: { $0.identifier == identifier }) else { return nil }
        return warnings.remove(at: index).text
    }
}
