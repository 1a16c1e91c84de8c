// SPDX-License-Identifier: Apache-2.0

struct CommandInput: Sendable {
    var text: String
    /// The data from the activity's stream, if the options ask for it.
    var received: ReceivedStream?

    /// The environment variables to add for the command.
    var environment: [String: String] { received.map { ["BATON_STREAM": $0.path] } ?? [:] }
}
