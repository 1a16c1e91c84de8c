// SPDX-License-Identifier: Apache-2.0

/// Warnings of activities whose names at the daemon are not known here yet: the latest, for some
/// are of activities that have ended.
struct EarlyWarnings {
    /// How many are kept.
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
