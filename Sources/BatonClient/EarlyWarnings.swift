// SPDX-License-Identifier: Apache-2.0

/// The latest warnings about activities whose identifiers at the daemon are not known here yet.
///
/// Some warnings are about activities that have ended, so only a few are kept.
struct EarlyWarnings {
    /// The greatest number of warnings.
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
