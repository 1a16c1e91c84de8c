// SPDX-License-Identifier: GPL-3.0-or-later

import BatonBus
import BatonTesting
import ChildProcesses
import Foundation
import Glibc
import Testing

@testable import batond

/// A real daemon whose descriptors have run out, by a limit of its process.
@Suite(.serialized, .timeLimit(.minutes(3))) struct DescriptorLimitTests {
    @Test("Without a free descriptor batond waits without spinning, and then serves who has dialled meanwhile")
    func listening() async throws {
        try await RunningDaemon.withRoot { root in
            let daemon = try await RunningDaemon.start(in: root)
            #expect(await daemon.isServing())
            let status = try await daemon.baton(["status"]).text
            let line = try #require(status.split(separator: "\n").first { $0.contains("tcp:") }, "\(status)")
            let port = try #require(line.split(separator: ":").last.flatMap { UInt16($0) })
            let used = try await daemon.exhaustDescriptors()
            // Some may find a descriptor that was given back meanwhile.
            let diallers = try (0..<8).map { _ in try Dialler(port: port) }
            let (before, begun) = (try used.busiest(), ContinuousClock.now)
            // The kernel has accepted, batond cannot: there is nothing to wait for but time.
            try await Task.sleep(for: .seconds(2))
            let busy = try used.busiest() - before
            #expect(busy < (ContinuousClock.now - begun) / 4, "a thread ran for \(busy)")
            #expect(diallers.contains { !$0.hasBytes })
            try await daemon.limitDescriptors(to: 1_024)
            // What a door says first: Channel.md, "Knock".
            for dialler in diallers { #expect(dialler.read(16) == 16) }
            _ = await daemon.end()
        }
    }

    @Test(
        "batond may have 16,384 descriptors, or as many as the hard limit allows",
        arguments: [(1_024, 524_288, 16_384), (256, 4_096, 4_096), (20_000, 20_000, 20_000)]
            as [(rlim_t, rlim_t, rlim_t)])
    func raised(soft: rlim_t, hard: rlim_t, expected: rlim_t) {
        #expect(DescriptorLimit.raised(rlimit(rlim_cur: soft, rlim_max: hard)) == expected)
    }

    @Test("Without a free descriptor dialling fails with that reason")
    func dialling() async throws {
        try await RunningDaemon.withRoot { root in
            let (host, guest) = (root.appending(path: "host"), root.appending(path: "guest"))
            for directory in [host, guest] {
                try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
            }
            let radio = root.appending(path: "radio")
            let anna = try await RunningDaemon.start(in: host, radio: radio)
            let berta = try await RunningDaemon.start(in: guest, radio: radio)
            let (isServing, servesToo) = (await anna.isServing(), await berta.isServing())
            #expect(isServing && servesToo)
            let invitation = root.appending(path: "invitation").path
            #expect(try await anna.baton(["circle", "create"]).status == 0)
            #expect(try await anna.baton(["circle", "invite", invitation]).status == 0)
            let text = try String(contentsOfFile: invitation, encoding: .utf8)
            // Somebody whom batond knows already: it takes a descriptor to find out who asks.
            let client = try await BatonBusClient.connect(address: berta.bus.address)
            _ = try await client.status()
            _ = try await berta.exhaustDescriptors()
            let refused = await #expect(throws: BatonBusError.self) {
                _ = try await client.joinCircle(invitation: text)
            }
            #expect(refused?.message.contains("EMFILE") == true, "\(String(describing: refused))")
            try await berta.limitDescriptors(to: 1_024)
            _ = try await client.joinCircle(invitation: text)
            client.close()
            for daemon in [berta, anna] { _ = await daemon.end() }
        }
    }
}

/// How busy a process's threads are.
private struct Threads {
    let directory: String

    /// The longest time that one of them has run.
    ///
    /// Source: Documentation/scheduler/sched-stats.rst of the kernel.
    func busiest() throws -> Duration {
        let threads = try FileManager.default.contentsOfDirectory(atPath: directory)
        let times = try threads.map { thread in
            try String(contentsOfFile: "\(directory)/\(thread)/schedstat", encoding: .utf8)
                .split(separator: " ").first.flatMap { Int64($0) } ?? 0
        }
        return .nanoseconds(times.max() ?? 0)
    }
}

extension RunningDaemon {
    /// Leaves it no descriptor beyond those that it has.
    fileprivate func exhaustDescriptors() async throws -> Threads {
        let used = Set(
            try FileManager.default.contentsOfDirectory(atPath: "/proc/\(processID)/fd").compactMap { Int($0) })
        try await limitDescriptors(to: try #require((0...).first { !used.contains($0) }))
        return Threads(directory: "/proc/\(processID)/task")
    }

    fileprivate func limitDescriptors(to count: Int) async throws {
        let prlimit = try await ChildProcess(
            "/usr/bin/prlimit", ["--pid", "\(processID)", "--nofile=\(count):1024"])
        try #require(try await prlimit.end.status == 0)
    }
}

/// Somebody who dials a port of this machine, and says nothing.
private final class Dialler {
    private let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)

    init(port: UInt16) throws {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isOpen = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        try #require(isOpen)
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// Whether anything has come; waits for nothing.
    var hasBytes: Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT | MSG_PEEK)) > 0
    }

    /// Waits for so many bytes; how many have come.
    func read(_ count: Int) -> Int {
        var bytes = [UInt8](repeating: 0, count: count)
        return recv(descriptor, &bytes, count, Int32(MSG_WAITALL))
    }
}
