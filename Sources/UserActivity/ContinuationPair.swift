// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The two streams of a continuation as Foundation's objects, on their way to the app: neither is
/// opened or scheduled yet.
///
/// - Note: `@unchecked Sendable`: whoever makes it keeps no reference to the streams, so they have
///   one user at a time.
public struct ContinuationPair: @unchecked Sendable {
    /// What the other device's app writes.
    public let input: InputStream
    /// What the other device's app reads.
    public let output: OutputStream

    /// A pair that nobody else refers to.
    public init(input: sending InputStream, output: sending OutputStream) {
        self.input = input
        self.output = output
    }
}
