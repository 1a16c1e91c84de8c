// SPDX-License-Identifier: Apache-2.0

package import ChildProcesses
package import Foundation

extension ChildProcess.Stream {
    /// Returns the stream for an open file or one end of a pipe. This process closes the handle
    /// once the child has a copy.
    package static func handle(_ handle: FileHandle) -> ChildProcess.Stream {
        .descriptor(handle.fileDescriptor) { try? handle.close() }
    }
}
