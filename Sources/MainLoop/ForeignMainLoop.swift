// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc

/// Lets the main actor run on a main loop that is not Swift's.
///
/// The loop may be GLib's in a GTK program, Qt's, or any other loop that can watch a file
/// descriptor. Responders, documents and `Application` belong to the main actor, whose work waits
/// in Dispatch's main queue. A program whose main thread runs `g_main_loop_run` never runs that
/// queue. Make the loop watch ``descriptor``, and call ``runPending()`` when it is readable:
///
/// ```swift
/// g_unix_fd_add(ForeignMainLoop.descriptor, G_IO_IN, { _, _, _ in ForeignMainLoop.runPending(); return 1 }, nil)
/// ```
///
/// Streams that are scheduled on `RunLoop.main` then deliver their events too. Use
/// `CallbackDelivery.mainActor` as the delivery.
public enum ForeignMainLoop {
    /// A descriptor that is readable while the main actor has work to do.
    ///
    /// Dispatch owns the descriptor, so only watch it. Read this property on the main thread.
    public static var descriptor: Int32 {
        MainActor.preconditionIsolated("ForeignMainLoop belongs to the main thread")
        return mainQueueHandle()
    }

    /// Runs the main actor's pending work, and returns. Call it on the main thread.
    public static func runPending() {
        MainActor.preconditionIsolated("ForeignMainLoop belongs to the main thread")
        // Reset the counter before running the queue, so that work that arrives during the run
        // makes the descriptor readable again.
        var count: UInt64 = 0
        _ = read(mainQueueHandle(), &count, MemoryLayout<UInt64>.size)
        runMainQueue(nil)
    }
}

// Dispatch exports these two functions for Foundation's own run loop.
@_silgen_name("_dispatch_get_main_queue_handle_4CF")
private func mainQueueHandle() -> Int32

@_silgen_name("_dispatch_main_queue_callback_4CF")
private func runMainQueue(_ message: UnsafeMutableRawPointer?)
