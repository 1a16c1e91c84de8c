// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The two streams of a continuation as Foundation objects, neither opened nor scheduled yet.
///
/// - Note: `@unchecked Sendable`: the code that creates a pair keeps no reference to its streams,
///   so they have one user at a time.
public struct ContinuationPair: @unchecked Sendable {
    /// The stream of bytes that the other device's app writes.
    public let input: InputStream
    /// The stream of bytes that the other device's app reads.
    public let output: OutputStream

    /// Creates a pair from streams that nobody else refers to.
    public init(input: sending InputStream, output: sending OutputStream) {
        self.input = input
        self.output = output
    }
}
