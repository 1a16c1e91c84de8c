// SPDX-License-Identifier: Apache-2.0

/// What the command of `baton serve` is given for an activity.
struct CommandInput: Sendable {
    /// What it reads.
    var text: String
    /// What has come by the activity's stream, if it was to be received.
    var received: ReceivedStream?

    /// What is added to its environment.
    var environment: [String: String] { received.map { ["BATON_STREAM": $0.path] } ?? [:] }
}
