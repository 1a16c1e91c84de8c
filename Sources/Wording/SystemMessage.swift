// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The system's sentences for its errors.
public enum SystemMessage {
    // The compiler does not know that a locale never changes.
    private nonisolated(unsafe) static let english = newlocale(1 << LC_MESSAGES, "C", nil)

    /// Returns the sentence for an error number, such as `Permission denied`. The C library has
    /// translations of it.
    ///
    /// - Parameter errno: The system's error number.
    public static func text(_ errno: Int32, in language: Language = .session) -> String {
        guard language == .english, let english else { return String(cString: strerror(errno)) }
        return String(cString: strerror_l(errno, english))
    }
}
