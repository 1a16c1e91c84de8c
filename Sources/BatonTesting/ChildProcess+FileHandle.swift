// SPDX-License-Identifier: Apache-2.0

package import ChildProcesses
package import Foundation

extension ChildProcess.Stream {
    /// Returns the stream for an open file or one end of a pipe. It is closed in this process once
    /// the child has it.
    package static func handle(_ handle: FileHandle) -> ChildProcess.Stream {
        .descriptor(handle.fileDescriptor) { try? handle.close() }
    }
}
