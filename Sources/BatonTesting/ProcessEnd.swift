// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Waits until a process has ended. A zombie counts as ended.
///
/// - Parameter number: The process id.
/// - Throws: ``Missing`` at the time limit, or when the task is cancelled.
public func waitForEnd(ofProcess number: Int32) async throws {
    try await eventually("\(number) has ended") {
        guard let text = try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8),
            let name = text.lastIndex(of: ")")
        else { return true }
        // The third field is the state, and `Z` means that the process has ended. Search backwards
        // for the end of the second field, the name, because the name may contain any characters.
        return text[text.index(after: name)...].split(separator: " ").first == "Z"
    }
}
