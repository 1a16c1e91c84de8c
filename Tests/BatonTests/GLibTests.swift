// SPDX-License-Identifier: Apache-2.0

import Baton
import BatonLoopback
import BatonTesting
import ChildProcesses
import Foundation
import Glibc
import Synchronization
import Testing
import UserActivity

/// GLib's main loop, as in a GTK program. The library is loaded by dlopen, so the build needs no
/// headers of GLib.
private final class GLibLoop: Sendable {
    private typealias Callback = @convention(c) (UnsafeMutableRawPointer?) -> Int32
    private typealias New = @convention(c) (UnsafeMutableRawPointer?, Int32) -> UnsafeMutableRawPointer?
    private typealias Act = @convention(c) (UnsafeMutableRawPointer?) -> Void
    private typealias IdleAdd = @convention(c) (Callback, UnsafeMutableRawPointer?) -> UInt32

    private final class Work {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    private let idleAdd: IdleAdd
    private let quit: Act
    private nonisolated(unsafe) let loop: UnsafeMutableRawPointer?
    /// The thread of the loop.
    nonisolated(unsafe) let thread: Thread

    init() throws {
        let library = try #require(
            dlopen("libglib-2.0.so.0", RTLD_NOW), "GLib is not installed: apt install libglib2.0-bin")
        func symbol<Function>(_ name: String, as type: Function.Type) throws -> Function {
            unsafeBitCast(try #require(dlsym(library, name)), to: type)
        }
        idleAdd = try symbol("g_idle_add", as: IdleAdd.self)
        quit = try symbol("g_main_loop_quit", as: Act.self)
        let run = try symbol("g_main_loop_run", as: Act.self)
        nonisolated(unsafe) let loop = try symbol("g_main_loop_new", as: New.self)(nil, 0)
        self.loop = loop
        thread = Thread { run(loop) }
        thread.start()
    }

    /// A delivery of callbacks on GLib's loop, written as an app would write it.
    var delivery: CallbackDelivery {
        CallbackDelivery { work in
            let pointer = Unmanaged.passRetained(Work(work)).toOpaque()
            _ = self.idleAdd(
                { pointer in
                    if let pointer { Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().body() }
                    // G_SOURCE_REMOVE
                    return 0
                }, pointer)
        }
    }

    func stop() { delivery.run { self.quit(self.loop) } }
}

private final class ThreadNoter: UserActivityDelegate, Sendable {
    let threads = Mutex<[ObjectIdentifier]>([])
    private func note() { threads.withLock { $0.append(ObjectIdentifier(Thread.current)) } }

    func userActivityWillSave(_ userActivity: UserActivity) {
        note()
        userActivity.userInfo = ["from": "glib"]
    }

    func userActivityWasContinued(_ userActivity: UserActivity) { note() }
    func userActivity(_ activity: UserActivity, didReceive inputStream: InputStream, outputStream: OutputStream) {
        note()
    }
}

@Suite(.timeLimit(.minutes(5))) struct GLibTests {
    @Test("An app's callbacks run on a GLib main loop")
    func callbacksRunOnAGLibMainLoop() async throws {
        let loop = try GLibLoop()
        let loopback = Loopback()
        let (desk, sofa) = (loopback.app("desk", delivery: loop.delivery), loopback.app("sofa"))
        let noter = ThreadNoter()
        let activity = UserActivity(activityType: "org.example.gtk", host: desk)
        activity.supportsContinuationStreams = true
        activity.delegate = noter
        activity.becomeCurrent()
        let continuation = try await sofa.continueOffer(await sofa.offer(ofType: "org.example.gtk"))
        #expect(continuation.activity.userInfo?["from"] as? String == "glib")
        await continuation.accept()
        let channel = try await continuation.activity.continuationChannel()
        #expect(try await channel.bytes.collect(upTo: 0).isEmpty)
        #expect(noter.threads.withLock { $0 } == Array(repeating: ObjectIdentifier(loop.thread), count: 3))
        activity.invalidate()
        loop.stop()
    }

    @Test("The main actor runs on a GLib main loop")
    func mainActorRunsOnAGLibMainLoop() async throws {
        let output = Pipe()
        let program = try await ChildProcess(
            Sandbox.built("glib-program"), output: .handle(output.fileHandleForWriting))
        let said = try await output.fileHandleForReading.allUpcoming()
        #expect(try await program.end == .exited(0))
        let lines = String(decoding: said, as: UTF8.self).split(separator: "\n").map(String.init)
        #expect(
            lines.sorted()
                == [
                    "continued org.example.gtk", "received 100000 bytes", "restore line 7", "the loop has ended",
                    "update", "will continue",
                ])
    }
}
