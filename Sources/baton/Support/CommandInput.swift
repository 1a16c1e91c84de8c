// SPDX-License-Identifier: Apache-2.0

/// The input for the command of `baton serve`.
struct CommandInput: Sendable {
    /// The text for the command's standard input.
    var text: String
    /// The data from the activity's stream, if the options ask for it.
    var received: ReceivedStream?

    /// The environment variables to add for the command.
    var environment: [String: String] { received.map { ["BATON_STREAM": $0.path] } ?? [:] }
}
