// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus
import BatonTesting
import DBus
import DesktopEntries
import Foundation
import Synchronization

@testable import BatonDesktop

/// The events of a test, in order.
final class Journal: Sendable {
    private let lines = Mutex<[String]>([])
    private let stream: AsyncStream<String>
    private let sink: AsyncStream<String>.Continuation

    init() { (stream, sink) = AsyncStream.makeStream() }

    func add(_ line: String) { add([line]) }

    /// Adds simultaneous events at once. A task that waits for one of the lines then sees all of
    /// them.
    func add(_ news: [String]) {
        lines.withLock { $0 += news }
        for line in news { sink.yield(line) }
    }

    var all: [String] { lines.withLock { $0 } }

    /// Waits for a line. It ignores the lines before it.
    func wait(for line: String) async { await wait { $0 == line } }

    /// Waits for a line that fulfils a condition. It ignores the lines before it.
    func wait(_ isMeant: (String) -> Bool) async { for await next in stream where isMeant(next) { return } }
}

/// A bus on which the test plays the daemon, with one offered activity.
struct HandoverWorld: Sendable {
    static let type = "org.example.note"
    static let identifier = "org.example.Notes"

    let bus: String
    let connection: DBusConnection
    let root: URL
    let journal = Journal()
    /// The phases of the hand-over.
    let phases = Journal()
    private let apps = RunningApps()

    private init(bus: String, connection: DBusConnection, root: URL) {
        (self.bus, self.connection, self.root) = (bus, connection, root)
    }

    /// Runs a closure with a world. The connection owns the daemon's name on the bus.
    static func with(_ body: @Sendable (HandoverWorld) async throws -> Void) async throws {
        let root = URL(filePath: "/tmp/bho-" + String(UInt64.random(in: 0...UInt64.max), radix: 36))
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: false)
        let bus = try await PrivateBus.start(dataHome: root)
        let result: Result<Void, any Error>
        do {
            let connection = try await DBusConnection.open(address: bus.address)
            _ = try await connection.requestName(BatonBusName.bus)
            let world = HandoverWorld(bus: bus.address, connection: connection, root: root)
            defer { world.apps.close() }
            result = .success(try await body(world))
            connection.close()
        } catch {
            result = .failure(error)
        }
        await bus.stop()
        try? FileManager.default.removeItem(at: root)
        try result.get()
    }

    /// Returns the app's entry with further lines.
    func app(_ lines: String = "") throws -> DesktopEntry {
        let text = "[Desktop Entry]\nType=Application\nName=Notes\nX-Baton-ActivityTypes=\(Self.type)\n\(lines)"
        guard let entry = DesktopEntry(identifier: Self.identifier, text: text) else {
            throw CocoaError(.coderInvalidValue)
        }
        return entry
    }

    /// Returns the command line of the test's app on this bus. The test can wait for the app's
    /// report.
    func command(_ mode: String = "good") throws -> String {
        "/usr/bin/env DBUS_SESSION_BUS_ADDRESS=\(bus) \(try Sandbox.built("app-program")) \(Self.identifier) \(report.path) \(mode)"
    }

    var report: URL { root.appending(path: "report") }

    /// The lines that the app has reported.
    var reported: [String] {
        (try? String(contentsOf: report, encoding: .utf8))?.split(separator: "\n").map(String.init) ?? []
    }

    /// Limits that are long enough for any machine.
    static var patientLimits: ApplicationTimeLimits {
        var limits = ApplicationTimeLimits()
        limits.start = .seconds(600)
        limits.willContinue = .seconds(600)
        limits.continueActivity = .seconds(600)
        limits.didFail = .seconds(600)
        return limits
    }

    /// Returns a hand-over of the offered activity.
    func handover(
        to app: DesktopEntry, token: String? = nil, limits: ApplicationTimeLimits = HandoverWorld.patientLimits,
        waitsForActivity: Bool = false, patience: Duration = .seconds(600),
        adaptedApp: DesktopEntry? = nil,
        fetch: @escaping @Sendable () async throws -> Void = {}
    ) -> AppHandover {
        AppHandover(
            of: ComingActivity(
                type: Self.type, offer: "offer-1", deviceName: "desk", title: "Shopping", activationToken: token),
            to: app, launcher: AppLauncher(bus: connection, limits: limits),
            fetcher: FakeFetcher(journal: journal, body: fetch), notices: FakeNotices(journal: journal, phases: phases),
            waitsForActivity: waitsForActivity, adaptedApp: { _ in adaptedApp }, patience: patience)
    }

    /// Starts an app in the test's own process, with the behaviour that the test chooses. The app
    /// ends with the world.
    @discardableResult
    func runApp(
        as identifier: String = HandoverWorld.identifier, will: @escaping @Sendable () async throws -> Bool = { true },
        take: @escaping @Sendable () async throws -> Bool = { true },
        fail: @escaping @Sendable () async throws -> Void = {}
    ) async throws -> BatonBusClient {
        let client = try await BatonBusClient.connect(address: bus)
        apps.add(client)
        _ = try await ApplicationBusService.start(
            on: client, identifier: identifier,
            handler: FakeApp(journal: journal, will: will, take: take, fail: fail))
        return client
    }
}

/// The apps that run in the test's own process.
private final class RunningApps: Sendable {
    private let clients = Mutex<[BatonBusClient]>([])

    func add(_ client: BatonBusClient) { clients.withLock { $0.append(client) } }
    func close() { for client in clients.withLock(\.self) { client.close() } }
}

struct FakeFetcher: ActivityFetcher {
    let journal: Journal
    let body: @Sendable () async throws -> Void

    func fetch() async throws -> ContinuedActivity {
        try await body()
        journal.add("fetched")
        var state = ActivityState(activityType: HandoverWorld.type)
        state.title = "Shopping"
        state.userInfo = ["text": .string("milk")]
        return ContinuedActivity(
            continuation: "c-1", activity: state, device: "0a1b2c3d", deviceName: "desk", transport: "tcp")
    }

    func give(_ continuation: String, to app: ClientID) async throws { journal.add("given \(continuation)") }
    func accept(_ continuation: String, by app: ClientID, accepted: Bool) async { journal.add("accepted \(accepted)") }
    func decline(_ continuation: String) async { journal.add("declined") }
}

struct FakeNotices: HandoverNotices {
    let journal: Journal
    let phases: Journal

    func reached(_ phase: OfferProgress.Phase, _ coming: ComingActivity) async { phases.add("\(phase)") }
    func began(_ coming: ComingActivity, by app: DesktopEntry) async {
        journal.add(app.identifier == HandoverWorld.identifier ? "progress" : "progress of \(app.name)")
    }
    func ended(_ coming: ComingActivity) async { journal.add("progress over") }
    func failed(_ coming: ComingActivity, by app: DesktopEntry, _ error: BatonError) async {
        let who = app.identifier == HandoverWorld.identifier ? "" : " of \(app.name)"
        journal.add("user told\(who): \(error.message)")
    }
}

/// An app whose behaviour a test chooses.
private struct FakeApp: ApplicationBusHandler {
    let journal: Journal
    let will: @Sendable () async throws -> Bool
    let take: @Sendable () async throws -> Bool
    let fail: @Sendable () async throws -> Void

    func willContinue(_ coming: ComingActivity) async throws -> Bool {
        journal.add("will \(coming.type) from \(coming.deviceName)")
        return try await will()
    }

    func continueActivity(_ activity: ContinuedActivity) async throws -> Bool {
        let place = activity.application.map { " in \($0)" } ?? ""
        journal.add("continue \(activity.continuation) \(activity.activity.userInfo["text"] ?? .null)\(place)")
        return try await take()
    }

    func didFail(type: String, error: BatonError) async throws {
        journal.add("failed \(error.code)")
        try await fail()
    }
}
