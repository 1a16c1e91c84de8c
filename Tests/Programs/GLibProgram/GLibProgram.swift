// SPDX-License-Identifier: Apache-2.0

import Baton
import BatonLoopback
import Foundation
import Glibc
import UserActivity

/// A program like a GTK program: its main thread runs only GLib's main loop. It hands a list over
/// to itself, with responders, an application delegate and streams on the main run loop, and prints
/// the events. It loads GLib by name, so the build does not need its headers.
@main
struct GLibProgram {
    @MainActor static var scene: Scene?

    static func main() {
        guard let glib = GLib() else {
            print("GLib is not installed: apt install libglib2.0-bin")
            exit(2)
        }
        glib.watch(ForeignMainLoop.descriptor)
        MainActor.assumeIsolated {
            let scene = Scene { glib.quit() }
            Self.scene = scene
            Task { await scene.handOver() }
        }
        glib.run()
        print("the loop has ended")
    }
}

/// GLib's main loop.
private struct GLib {
    private typealias Callback = @convention(c) (Int32, UInt32, UnsafeMutableRawPointer?) -> Int32
    private typealias Watch = @convention(c) (Int32, UInt32, Callback, UnsafeMutableRawPointer?) -> UInt32
    private typealias New = @convention(c) (UnsafeMutableRawPointer?, Int32) -> UnsafeMutableRawPointer?
    private typealias Act = @convention(c) (UnsafeMutableRawPointer?) -> Void

    private let fdAdd: Watch
    private let runLoop: Act
    private let quitLoop: Act
    private let loop: UnsafeMutableRawPointer?

    init?() {
        guard let library = dlopen("libglib-2.0.so.0", RTLD_NOW), let new = dlsym(library, "g_main_loop_new"),
            let run = dlsym(library, "g_main_loop_run"), let quit = dlsym(library, "g_main_loop_quit"),
            let add = dlsym(library, "g_unix_fd_add")
        else { return nil }
        fdAdd = unsafeBitCast(add, to: Watch.self)
        runLoop = unsafeBitCast(run, to: Act.self)
        quitLoop = unsafeBitCast(quit, to: Act.self)
        loop = unsafeBitCast(new, to: New.self)(nil, 0)
    }

    func watch(_ descriptor: Int32) {
        // 1 is G_IO_IN. The result 1 means: continue watching.
        _ = fdAdd(
            descriptor, 1,
            { _, _, _ in
                ForeignMainLoop.runPending()
                return 1
            }, nil)
    }

    func run() { runLoop(loop) }
    func quit() { quitLoop(loop) }
}

/// Two apps, each written as a GTK program would be.
@MainActor
final class Scene: NSObject, ApplicationDelegate, UserActivityResponder, UserActivityRestoring,
    @MainActor StreamDelegate
{
    private let loopback = Loopback()
    private let quit: () -> Void
    private var received = Data()
    private var isReceived = false
    private var isContinued = false
    private var input: InputStream?
    private let sender = Sender()

    init(quit: @escaping () -> Void) { self.quit = quit }

    func handOver() async {
        let (desk, sofa) = (loopback.app("desk", delivery: .mainActor), loopback.app("sofa", delivery: .mainActor))
        let activity = UserActivity(activityType: "org.example.gtk", host: desk)
        activity.supportsContinuationStreams = true
        activity.delegate = sender
        userActivity = activity
        ResponderCoordinator.shared.mainChain = [self]
        let application = Application(
            declaration: ApplicationDeclaration(activityTypes: ["org.example.gtk"]), delegate: self
        ) { _ in }
        let offer = await sofa.offer(ofType: "org.example.gtk")
        let continued = await application.continueOffer(offer, as: sofa)
        say("continued \(continued?.activityType ?? "nothing")")
        isContinued = true
        quitWhenDone()
    }

    private func quitWhenDone() { if isReceived, isContinued { quit() } }

    func updateUserActivityState(_ activity: UserActivity) {
        say("update")
        activity.addUserInfoEntries(from: ["line": 7])
    }

    func application(_ application: Application, willContinueUserActivityWithType type: String) -> Bool {
        say("will continue")
        return true
    }

    func application(
        _ application: Application, continue userActivity: UserActivity,
        restorationHandler: @escaping ([any UserActivityRestoring]?) -> Void
    ) -> Bool {
        restorationHandler([self])
        return true
    }

    func restoreUserActivityState(_ activity: UserActivity) {
        say("restore line \(activity.userInfo?["line"] as? Int ?? 0)")
        activity.getContinuationStreams { input, _, _ in
            self.input = input
            input?.delegate = self
            input?.schedule(in: .main, forMode: .default)
            input?.open()
        }
    }

    func stream(_ stream: Stream, handle event: Stream.Event) {
        switch event {
        case .hasBytesAvailable:
            var buffer = [UInt8](repeating: 0, count: 1_024)
            let count = input?.read(&buffer, maxLength: buffer.count) ?? -1
            if count > 0 { received.append(buffer, count: count) }
        case .endEncountered:
            input?.close()
            say("received \(received.count) bytes")
            userActivity?.invalidate()
            isReceived = true
            quitWhenDone()
        default: break
        }
    }

    private func say(_ text: String) { print(Thread.isMainThread ? text : "not on the main thread: \(text)") }
}

/// Writes 100,000 bytes to each device that asks, on the main run loop.
@MainActor
private final class Sender: NSObject, @MainActor UserActivityDelegate, @MainActor StreamDelegate {
    private var output: OutputStream?
    private var rest = 100_000

    func userActivity(_ userActivity: UserActivity, didReceive inputStream: InputStream, outputStream: OutputStream) {
        output = outputStream
        outputStream.delegate = self
        outputStream.schedule(in: .main, forMode: .default)
        outputStream.open()
    }

    func stream(_ stream: Stream, handle event: Stream.Event) {
        switch event {
        case .hasSpaceAvailable:
            rest -= output?.write([UInt8](repeating: 1, count: 1_024), maxLength: min(rest, 1_024)) ?? 0
        case .endEncountered: output?.close()
        default: break
        }
    }
}
