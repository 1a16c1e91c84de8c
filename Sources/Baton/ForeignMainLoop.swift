// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// Lets the main actor run on a main loop that is not Swift's: GLib's in a GTK program, Qt's, or
/// any that can watch a file descriptor.
///
/// Responders, documents and ``Application`` belong to the main actor, whose work waits in
/// Dispatch's main queue, and a program whose main thread runs `g_main_loop_run` never looks there.
/// Have the loop watch ``descriptor``, and call ``runPending()`` when it is readable:
///
/// ```swift
/// g_unix_fd_add(ForeignMainLoop.descriptor, G_IO_IN, { _, _, _ in ForeignMainLoop.runPending(); return 1 }, nil)
/// ```
///
/// Streams that are scheduled on `RunLoop.main` have their events then, too.
/// `CallbackDelivery.mainActor` is the delivery to use.
public enum ForeignMainLoop {
    /// Readable while the main actor has something to do. It belongs to Dispatch: watch it, and
    /// nothing else. To be asked on the main thread.
    public static var descriptor: Int32 {
        precondition(Thread.isMainThread, "ForeignMainLoop belongs to the main thread")
        return mainQueueHandle()
    }

    /// Does what the main actor has to do, and returns. To be called on the main thread.
    public static func runPending() {
        precondition(Thread.isMainThread, "ForeignMainLoop belongs to the main thread")
        // The count is taken first: what comes while the queue is run makes the descriptor readable
        // again.
        var count: UInt64 = 0
        _ = read(mainQueueHandle(), &count, MemoryLayout<UInt64>.size)
        runMainQueue(nil)
    }
}

// What Foundation's own run loop uses to the same end; Dispatch exports both for it.
@_silgen_name("_dispatch_get_main_queue_handle_4CF")
private func mainQueueHandle() -> Int32

@_silgen_name("_dispatch_main_queue_callback_4CF")
private func runMainQueue(_ message: UnsafeMutableRawPointer?)
