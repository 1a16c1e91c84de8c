// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus
import BatonTesting
import DBus
import Diagnosis
import Foundation
import Glibc
import Synchronization
import Testing

/// Tests values that take long to decode.
@Suite(.timeLimit(.minutes(5)))
struct ExpensiveValueTests {
    private static let invalid = "org.batonproject.Baton1.Error.InvalidArgument"
    private static let tooLarge = "org.batonproject.Baton1.Error.UserInfoTooLarge"

    private static func tagged(_ tag: String, _ value: DBusValue) -> DBusValue {
        .structure([.string(tag), .variant(value)])
    }

    private static func variants(_ values: [DBusValue]) -> DBusValue {
        .array(elementSignature: "v", values.map { .variant($0) })
    }

    private static func set(_ members: [DBusValue]) -> DBusValue { tagged("set", variants(members)) }

    private static func token(_ kind: String, _ count: Int) -> DBusValue {
        .structure([.string(kind), .uint32(UInt32(count))])
    }

    private static func refusal(_ ends: Ends, _ value: DBusValue) async -> DBusError? {
        let userInfo = DBusValue.properties(["k": value])
        do {
            _ = try await ends.raw(
                BatonBusName.activities, "Publish", [.string("t"), .properties(["userInfo": userInfo])])
            return nil
        } catch { return error as? DBusError }
    }

    /// Returns the message about a wrong value.
    ///
    /// - Parameter place: The place of the value in `userInfo["k"]`, or nil for the whole userInfo.
    private static func message(_ place: String?, _ failure: FailureCode, _ greatest: Int? = nil) -> String {
        let values = greatest.map { ["greatest": Reason.Value.count($0)] } ?? [:]
        return BatonError(argument: "userInfo" + (place.map { "[\"k\"]\($0)" } ?? ""), failure, values).message
    }

    @Test("A NaN in a set or as a key is refused with an error that names its place, and accepted as a value")
    func nanInASetOrAKeyIsRefused() async throws {
        let nan = DBusValue.double(.nan)
        let pair = { (key: DBusValue) in
            Self.tagged(
                "dictionary",
                .array(elementSignature: "(vv)", [.structure([.variant(key), .variant(.byte(1))])]))
        }
        let bad: [(DBusValue, String)] = [
            (Self.set([.byte(1), nan]), "{1}"), (pair(nan), "[a key]"),
            (Self.set([Self.variants([.byte(1), nan])]), "{0}"),
            (Self.set([pair(.byte(2)), .properties(["x": nan])]), "{1}"),
            (pair(Self.variants([nan])), "[a key]"), (Self.variants([.byte(1), Self.set([nan])]), "[1]{0}"),
            (.properties(["x": Self.set([nan])]), "[\"x\"]{0}"),
            (Self.tagged("set", .array(elementSignature: "d", [nan])), "{0}"),
            (.dictionary(keySignature: "d", valueSignature: "y", [DBusValue.Entry(nan, .byte(1))]), "[a key]"),
            (Self.tagged("flat", Self.variants([Self.token("set", 2), .byte(1), nan])), "{1}"),
            (Self.tagged("flat", Self.variants([Self.token("dictionary", 1), nan, .byte(1)])), "[a key]"),
        ]
        try await Ends.with { ends in
            for (value, place) in bad {
                let error = await Self.refusal(ends, value)
                #expect(error?.name == Self.invalid, "\(value)")
                #expect(error?.message == Self.message(place, .argumentNaN))
            }
            #expect(await Self.refusal(ends, nan) == nil)
            #expect(await Self.refusal(ends, Self.variants([nan, .properties(["x": nan])])) == nil)
        }
    }

    @Test("72,000 NaNs in a set are refused, and another program is answered meanwhile")
    func setOfNaNsDoesNotStopTheDaemon() async throws {
        try await Ends.with { ends in
            let attack = Self.tagged(
                "set", .array(elementSignature: "d", Array(repeating: .double(.nan), count: 72_000)))
            async let refused = Self.refusal(ends, attack)
            _ = try await ends.client.status()
            #expect(await refused?.name == Self.invalid)
            // This set is within the limit for values, so its first NaN is named as the reason.
            let fewer = Self.tagged(
                "set", .array(elementSignature: "d", Array(repeating: .double(.nan), count: 16_000)))
            #expect(await Self.refusal(ends, fewer)?.message == Self.message("{0}", .argumentNaN))
            #expect(ends.handler.calls.isEmpty)
        }
    }

    @Test("Too many values or bytes are refused")
    func valuesAndBytesAreCounted() async throws {
        let most = UserInfoValue.maximumCount
        let flat = { @Sendable (count: Int) in
            Self.tagged(
                "flat", Self.variants([Self.token("array", count)] + Array(repeating: .byte(1), count: count)))
        }
        let bytes = { @Sendable (count: Int) in
            Self.variants([.bytes(Array(repeating: 1, count: count)), .string("12345678")])
        }
        try await Ends.with { ends in
            // The key "k" and the container count as values.
            for (within, beyond) in [
                (
                    DBusValue.array(elementSignature: "b", Array(repeating: .bool(true), count: most - 2)),
                    DBusValue.array(elementSignature: "b", Array(repeating: .bool(true), count: most - 1))
                ),
                (flat(most - 2), flat(most - 1)),
            ] {
                #expect(await Self.refusal(ends, within) == nil)
                let error = await Self.refusal(ends, beyond)
                #expect(error?.name == Self.invalid)
                #expect(error?.message == Self.message(nil, .argumentCount, most))
            }
            let many = DBusValue.array(elementSignature: "b", Array(repeating: .bool(true), count: most + 1))
            let tooMany = await Self.refusal(ends, many)
            #expect(tooMany?.message == Self.message("", .argumentCount, most))
            // The key has one byte.
            #expect(await Self.refusal(ends, bytes(UserInfoValue.maximumSize - 9)) == nil)
            // An error about the sum of all values names no place, but an error about one value
            // that is too large does.
            let all = await Self.refusal(ends, bytes(UserInfoValue.maximumSize - 8))
            #expect(all?.name == Self.tooLarge)
            #expect(all?.message == Self.message(nil, .argumentSize, UserInfoValue.maximumSize))
            let one = await Self.refusal(ends, bytes(UserInfoValue.maximumSize + 1))
            #expect(one?.name == Self.tooLarge)
            #expect(one?.message == Self.message("[0]", .argumentSize, UserInfoValue.maximumSize))
        }
    }

    @Test("A text of one letter and very many combining marks is refused at any place in a call")
    func textOfMarksIsRefused() async throws {
        let within = "a" + String(repeating: "\u{301}", count: 64)
        let marks = "a" + String(repeating: "\u{301}\u{316}", count: 40_000)
        try await Ends.with { ends in
            #expect(await Self.refusal(ends, .string(within)) == nil)
            #expect(await Self.refusal(ends, .string(marks))?.name == DBusError.limitsExceeded)
            #expect(await Self.refusal(ends, .properties([marks: .byte(1)]))?.name == DBusError.limitsExceeded)
            #expect(
                await Self.refusal(ends, Self.tagged("string", .bytes([UInt8]((marks + "\0").utf8))))?.name
                    == Self.invalid)
            do {
                _ = try await ends.raw(
                    BatonBusName.activities, "Publish", [.string("t"), .properties([marks: .byte(1)])])
                Issue.record("a property of any name")
            } catch let error as DBusError { #expect(error.name == DBusError.limitsExceeded) }
        }
    }

    /// Records the threads on which values are read.
    private final class Threads: Sendable {
        private let seen = Mutex<[pthread_t]>([])
        func note() { seen.withLock { $0.append(pthread_self()) } }
        var all: [pthread_t] { seen.withLock { $0 } }
    }

    @Test("Arguments are decoded outside the connection's thread, which serves all clients")
    func argumentsAreNotReadOnTheConnectionsThread() async throws {
        try await Ends.with { ends in
            let (connections, readers) = (Threads(), Threads())
            // A method of another object begins on the thread that receives messages, and so
            // identifies that thread.
            try ends.daemon.export(
                DBusObject(interfaces: [
                    DBusInterface(
                        "org.example.Probe",
                        methods: [
                            DBusMethod("Probe") { _ in
                                connections.note(); return []
                            }
                        ])
                ]), at: "/probe")
            ends.handler.state.withLock { $0.onCall = { readers.note() } }
            let program = try await DBusConnection.open(address: ends.bus.address)
            _ = try await program.call(
                destination: BatonBusName.bus, path: "/probe", interface: "org.example.Probe", member: "Probe")
            for number in 0..<20 {
                _ = try await program.call(
                    destination: BatonBusName.bus, path: BatonBusName.path, interface: BatonBusName.activities,
                    member: "BecomeCurrent", arguments: [.string("a\(number)")])
            }
            #expect(connections.all.count == 1 && readers.all.count == 20)
            #expect(!readers.all.contains(connections.all[0]))
            program.close()
        }
    }

    @Test("A program's calls begin in the order in which it made them, whatever their size")
    func largeCallsKeepTheirOrder() async throws {
        try await Ends.with { ends in
            let large = DBusValue.array(elementSignature: "b", Array(repeating: .bool(true), count: 16_000))
            let program = try await DBusConnection.open(address: ends.bus.address)
            let userInfo: DBusValue = .properties(["userInfo": .properties(["k": large])])
            @Sendable func call(_ member: String, _ arguments: [DBusValue]) async throws {
                _ = try await program.call(
                    destination: BatonBusName.bus, path: BatonBusName.path, interface: BatonBusName.activities,
                    member: member, arguments: arguments)
            }
            // Admit the client first, so that admission does not order the calls.
            try await call("ResignCurrent", [.string("a0")])
            let calls = (1...10).flatMap { number in
                // Send the calls synchronously, one after the other.
                [
                    Task.immediate { try await call("Publish", [.string("t"), userInfo]) },
                    Task.immediate { try await call("Update", [.string("a\(number)"), userInfo]) },
                    Task.immediate { try await call("BecomeCurrent", [.string("a\(number)")]) },
                ]
            }
            for task in calls { try await task.value }
            #expect(
                ends.handler.calls == ["resign a0"] + (1...10).flatMap { ["publish", "update", "current a\($0)"] })
            program.close()
        }
    }
}
