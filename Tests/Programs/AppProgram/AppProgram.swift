// SPDX-License-Identifier: Apache-2.0

import Baton
import BatonBus
import Foundation
import Glibc
import UserActivity

/// An installed app for tests: `app-program ID REPORT [MODE]`. It appends a line to the file REPORT
/// for each call and event.
@main
struct AppProgram {
    /// The app's behaviour.
    enum Mode: String {
        /// Continues the activity. If the activity has streams, sends the received data back.
        case good
        /// Continues the activity, and makes it current here.
        case keeps
        /// Ends before it is on the bus.
        case ends
        /// Ends during the hand-over.
        case dies
        /// Offers an activity, writes to its streams, closes them, and ends at once.
        case sends
    }

    @MainActor
    static func main() async throws {
        let arguments = CommandLine.arguments
        let report = Report(arguments[2])
        let mode = arguments.count > 3 ? Mode(rawValue: arguments[3]) ?? .good : .good
        if mode == .ends { exit(3) }
        let connection = try await BatonConnection.open(delivery: .mainActor)
        let sender = mode == .sends ? Sender(on: connection) : nil
        defer { withExtendedLifetime(sender) {} }
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        let app = App(report: report, mode: mode) { end.finish() }
        let service = try await app.application.serve(as: arguments[1], on: connection)
        // End with the daemon, even if the test has died.
        Task {
            for await isThere in try await connection.bus.daemonPresence() where !isThere { break }
            end.finish()
        }
        for await _ in ended {}
        await service.stop()
        await connection.close()
    }
}

/// Offers an activity, and sends its contents through the streams.
final class Sender: UserActivityDelegate, Sendable {
    /// More data than the sockets on the way can hold.
    static let contents = Data((0..<400_027).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
    private let activity: UserActivity

    init(on connection: BatonConnection) {
        activity = UserActivity(activityType: "org.example.sends", host: connection)
        activity.supportsContinuationStreams = true
        activity.delegate = self
        activity.becomeCurrent()
    }

    func userActivity(_ userActivity: UserActivity, didReceive inputStream: InputStream, outputStream: OutputStream) {
        inputStream.open()
        outputStream.open()
        var rest = [UInt8](Self.contents)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBufferPointer { buffer in
                buffer.baseAddress.map { outputStream.write($0, maxLength: buffer.count) } ?? -1
            }
            guard count > 0 else { exit(1) }
            rest = rest.dropFirst(count)
        }
        outputStream.close()
        inputStream.close()
        exit(0)
    }
}

/// The file to which the app reports events.
struct Report: Sendable {
    let path: String

    init(_ path: String) { self.path = path }

    func add(_ line: String) {
        let descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT, 0o600)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        _ = (line + "\n").withCString { write(descriptor, $0, strlen($0)) }
    }
}

@MainActor
final class App: ApplicationDelegate {
    private(set) var application: Application
    private let report: Report
    private let mode: AppProgram.Mode
    private let end: @MainActor () -> Void
    private var kept: UserActivity?

    init(report: Report, mode: AppProgram.Mode, end: @escaping @MainActor () -> Void) {
        self.report = report
        self.mode = mode
        self.end = end
        application = Application(
            declaration: ApplicationDeclaration(
                activityTypes: ["org.example.note"], associatedDomains: ["example.test"]), delegate: nil,
            inform: { _ in })
        application.delegate = self
        report.add("started \(ProcessInfo.processInfo.environment["XDG_ACTIVATION_TOKEN"] ?? "-")")
    }

    func application(_ application: Application, willContinueUserActivityWithType userActivityType: String) -> Bool {
        report.add("will \(userActivityType)")
        return true
    }

    func application(
        _ application: Application, continue userActivity: UserActivity,
        restorationHandler: @escaping ([any UserActivityRestoring]?) -> Void
    ) -> Bool {
        if mode == .dies { kill(getpid(), SIGKILL) }
        report.add("continue \(userActivity.title ?? "-") \(userActivity.userInfo?["text"] as? String ?? "-")")
        if let page = userActivity.webpageURL {
            let referrer = userActivity.referrerURL?.absoluteString ?? "-"
            report.add("page \(page.absoluteString) \(referrer) \(userActivity.userInfo?.count ?? 0)")
        }
        if mode == .keeps {
            kept = userActivity
            userActivity.becomeCurrent()
        }
        guard userActivity.supportsContinuationStreams else { return true }
        Task { await answer(userActivity) }
        return true
    }

    func application(
        _ application: Application, didFailToContinueUserActivityWithType userActivityType: String, error: any Error
    ) {
        report.add("failed \(userActivityType) \((error as? CocoaError)?.code.rawValue ?? 0)")
    }

    private func answer(_ activity: UserActivity) async {
        do {
            let channel = try await activity.continuationChannel()
            var total = 0
            for try await data in channel.bytes {
                total += data.count
                try await channel.writer.write(data)
            }
            channel.writer.finish()
            report.add("streamed \(total)")
        } catch {
            report.add("no streams: \((error as? CocoaError)?.code.rawValue ?? 0)")
        }
    }
}
