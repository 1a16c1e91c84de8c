// SPDX-License-Identifier: GPL-3.0-or-later

import BatonTesting
import BatonTransport
import ChildProcesses
import DBus
import Diagnosis
import Foundation
import Glibc
import Testing

@testable import BlueZTransport

/// A fake bluetoothd with one adapter. It is a separate process, so SIGSTOP can stop it.
@Suite(.timeLimit(.minutes(5))) struct HungBluetoothdTests {
    private static let program = """
        import sys
        from gi.repository import Gio, GLib
        address = sys.argv[1]
        bus = Gio.DBusConnection.new_for_address_sync(address,
            Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION, None, None)
        def interface(name, members=''):
            return Gio.DBusNodeInfo.new_for_xml(
                f"<node><interface name='{name}'>{members}</interface></node>").interfaces[0]
        def method(name, *arguments):
            inputs = ''.join(f"<arg type='{a}' direction='in'/>" for a in arguments)
            return f"<method name='{name}'>{inputs}</method>"
        adapter = {'Address': GLib.Variant('s', '00:AA:01:00:00:00'), 'Powered': GLib.Variant('b', True)}
        def called(bus, sender, path, name, member, arguments, call):
            if member == 'GetManagedObjects':
                objects = {'/org/bluez/hci0': {'org.bluez.Adapter1': adapter, 'org.bluez.LEAdvertisingManager1': {}}}
                return call.return_value(GLib.Variant('(a{oa{sa{sv}}})', (objects,)))
            call.return_value(None)
            if member == 'StartDiscovery':
                # The test may stop this program now, because it has answered.
                bus.flush_sync()
                print(flush=True)
        objects = "<method name='GetManagedObjects'><arg type='a{oa{sa{sv}}}' direction='out'/></method>"
        for path, info in [
            ('/', interface('org.freedesktop.DBus.ObjectManager', objects)),
            ('/org/bluez/hci0', interface('org.bluez.Adapter1', method('SetDiscoveryFilter', 'a{sv}')
                + method('StartDiscovery') + method('StopDiscovery'))),
            ('/org/bluez/hci0', interface('org.bluez.LEAdvertisingManager1',
                method('RegisterAdvertisement', 'o', 'a{sv}') + method('UnregisterAdvertisement', 'o'))),
        ]:
            bus.register_object(path, info, called, None, None)
        bus.call_sync('org.freedesktop.DBus', '/org/freedesktop/DBus', 'org.freedesktop.DBus', 'RequestName',
            GLib.Variant('(su)', ('org.bluez', 4)), None, 0, -1, None)
        print(flush=True)
        def changed(stream, condition):
            sys.stdin.readline() or sys.exit()
            bus.emit_signal(None, '/org/bluez/hci0', 'org.freedesktop.DBus.Properties', 'PropertiesChanged',
                GLib.Variant('(sa{sv}as)', ('org.bluez.Adapter1', {'Alias': GLib.Variant('s', 'x')}, [])))
            return True
        GLib.io_add_watch(sys.stdin, GLib.IO_IN | GLib.IO_HUP, changed)
        GLib.MainLoop().run()
        """

    /// Runs a test with a radio on this bluetoothd, and with a file handle that makes bluetoothd
    /// send a signal.
    private func with(
        _ body: @Sendable (RadioFixture, ChildProcess, FileHandle) async throws -> Void
    ) async throws {
        try await RadioFixture.with(askAfterSilence: BlueZConfiguration().askAfterSilence) { fixture in
            let (input, output) = (Pipe(), Pipe())
            let bluetoothd = try await ChildProcess(
                "/usr/bin/python3", ["-c", Self.program, fixture.bus.address],
                input: .handle(input.fileHandleForReading),
                output: .handle(output.fileHandleForWriting))
            _ = try await output.fileHandleForReading.upcoming(1)
            try await fixture.radio.start()
            _ = try await fixture.status(.ready)
            // The process has now answered all initial questions.
            _ = try await output.fileHandleForReading.upcoming(1)
            try await body(fixture, bluetoothd, input.fileHandleForWriting)
            bluetoothd.send(SIGKILL)
            _ = try await bluetoothd.end
        }
    }

    private func isSilent(_ status: RadioStatus) -> Bool { status.findings.map(\.code) == ["bluetoothd-silent"] }

    @Test("An idle radio notices a hang after a minute, and the recovery at the next signal")
    func stopped() async throws {
        try await with { fixture, bluetoothd, signals in
            await fixture.clock.waitForSleepers(1)
            // The first check is due after a minute.
            #expect(fixture.clock.moments == [fixture.clock.uptime + .seconds(60)])
            bluetoothd.stop()
            // The time limit for the answer uses the real clock, not the test's.
            let began = ContinuousClock.now
            fixture.clock.advance(by: .seconds(60))
            #expect(isSilent(try await fixture.status(.unavailable)))
            #expect(ContinuousClock.now - began >= .seconds(10))
            bluetoothd.send(SIGCONT)
            try signals.write(contentsOf: Data("\n".utf8))
            _ = try await fixture.status(.ready)
        }
    }

    @Test("A bluetoothd that recovers without a signal is asked again")
    func goesOnInSilence() async throws {
        try await with { fixture, bluetoothd, _ in
            await fixture.clock.waitForSleepers(1)
            bluetoothd.stop()
            fixture.clock.advance(by: .seconds(60))
            #expect(isSilent(try await fixture.status(.unavailable)))
            bluetoothd.send(SIGCONT)
            await fixture.clock.waitForSleepers(1)
            fixture.clock.advance(by: .seconds(30))
            _ = try await fixture.status(.ready)
        }
    }

    @Test("Only a missing answer counts as a hang, and the checks pause until the hang is over")
    func question() async throws {
        try await PrivateBus.with { bus in
            let connection = try await DBusConnection.open(address: bus.address)
            var known = KnownBluetoothd()
            #expect(known.question(after: .seconds(60)) == nil)
            known.daemon = BlueZDaemon(connection: connection, owner: ":1.7")
            known.heard = .seconds(3)
            #expect(known.question(after: .seconds(60)) == .seconds(63))
            known.failure = DBusError(name: DBusError.noReply, message: "")
            #expect(known.hangs && known.question(after: .seconds(60)) == nil)
            known.failure = DBusError(name: DBusError.accessDenied, message: "")
            #expect(!known.hangs)
            connection.close()
        }
    }
}

extension ChildProcess {
    /// Stops the process until SIGCONT. Waits until it has stopped, because after the signal alone
    /// it might still answer.
    fileprivate func stop() {
        send(SIGSTOP)
        var information = siginfo_t()
        waitid(P_PID, id_t(processIdentifier), &information, WSTOPPED | WNOWAIT)
    }
}
