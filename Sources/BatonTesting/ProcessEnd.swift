// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Returns once a process has ended; one that nobody has waited for yet has.
///
/// - Parameter number: The process's number.
/// - Throws: ``Missing`` when the time is up, or the task was cancelled.
public func waitForEnd(ofProcess number: Int32) async throws {
    try await eventually("\(number) has ended") {
        guard let text = try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8),
            let name = text.lastIndex(of: ")")
        else { return true }
        // The third field is the state; the name, which is the second, may hold anything.
        return text[text.index(after: name)...].split(separator: " ").first == "Z"
    }
}
