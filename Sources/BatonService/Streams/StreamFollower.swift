// SPDX-License-Identifier: Apache-2.0

/// The program that follows the progress of a pair of streams, if there is one.
struct StreamFollower {
    private var sink: AsyncStream<StreamProgress>.Continuation?
    private var last: StreamProgress?

    /// Reports changes to a program from now on, instead of the previous one. With nil, reports
    /// nothing.
    ///
    /// - Parameter present: The progress that the program knows.
    mutating func begin(_ sink: AsyncStream<StreamProgress>.Continuation?, knowing present: StreamProgress) {
        end()
        (self.sink, last) = (sink, present)
    }

    /// Reports the progress if it has changed. Without a follower, it is not even computed.
    mutating func tell(_ progress: @autoclosure () -> StreamProgress) {
        guard let sink else { return }
        let progress = progress()
        guard progress != last else { return }
        last = progress
        sink.yield(progress)
    }

    /// Ends the reports.
    mutating func end() {
        sink?.finish()
        sink = nil
    }
}
