// SPDX-License-Identifier: Apache-2.0

import CGtk

/// A closure that GObject keeps for as long as its signal is connected.
private final class Handler<Value: Sendable>: Sendable {
    let body: @MainActor @Sendable (Value) -> Void

    init(_ body: @escaping @MainActor @Sendable (Value) -> Void) { self.body = body }

    /// Passes the closure to C, which returns it to ``release``.
    var retained: UnsafeMutableRawPointer { Unmanaged.passRetained(self).toOpaque() }

    static func of(_ data: UnsafeMutableRawPointer?) -> Handler? {
        data.map { Unmanaged<Handler>.fromOpaque($0).takeUnretainedValue() }
    }
}

/// A closure that is kept until the answer to a call arrives.
final class KeptClosure: Sendable {
    let body: @MainActor () -> Void

    init(_ body: @escaping @MainActor () -> Void) { self.body = body }

    /// Passes the closure to C, whose callback passes it to ``take(_:)``.
    var retained: UnsafeMutableRawPointer { Unmanaged.passRetained(self).toOpaque() }

    static func take(_ data: UnsafeMutableRawPointer) -> KeptClosure {
        Unmanaged<KeptClosure>.fromOpaque(data).takeRetainedValue()
    }
}

private let release: GClosureNotify = { data, _ in
    if let data { Unmanaged<AnyObject>.fromOpaque(data).release() }
}

/// Connects closures to signals. Each closure lives until its object ends. GTK emits all signals on
/// the main thread.
@MainActor
enum Signals {
    /// Connects a signal that has no arguments, such as `clicked`.
    static func connect(_ object: UnsafeMutableRawPointer, _ signal: String, _ body: @escaping @MainActor () -> Void) {
        let call: @convention(c) (gpointer?, gpointer?) -> Void = { _, data in
            let handler = Handler<Void>.of(data)
            MainActor.assumeIsolated { handler?.body(()) }
        }
        connect(object, signal, unsafeBitCast(call, to: GCallback.self), Handler<Void> { body() }.retained)
    }

    /// Connects a signal with one argument that the closure does not need, such as
    /// `notify::active`.
    static func connectNotice(
        _ object: UnsafeMutableRawPointer, _ signal: String, _ body: @escaping @MainActor () -> Void
    ) {
        let call: @convention(c) (gpointer?, gpointer?, gpointer?) -> Void = { _, _, data in
            let handler = Handler<Void>.of(data)
            MainActor.assumeIsolated { handler?.body(()) }
        }
        connect(object, signal, unsafeBitCast(call, to: GCallback.self), Handler<Void> { body() }.retained)
    }

    /// Connects a signal with a text, such as `response`.
    static func connectText(
        _ object: UnsafeMutableRawPointer, _ signal: String, _ body: @escaping @MainActor (String) -> Void
    ) {
        let call: @convention(c) (gpointer?, UnsafePointer<CChar>?, gpointer?) -> Void = { _, text, data in
            let (handler, text) = (Handler<String>.of(data), text.map { String(cString: $0) } ?? "")
            MainActor.assumeIsolated { handler?.body(text) }
        }
        connect(object, signal, unsafeBitCast(call, to: GCallback.self), Handler<String>(body).retained)
    }

    /// Connects a signal with a number, such as `response` of a file chooser.
    static func connectNumber(
        _ object: UnsafeMutableRawPointer, _ signal: String, _ body: @escaping @MainActor (Int) -> Void
    ) {
        let call: @convention(c) (gpointer?, Int32, gpointer?) -> Void = { _, number, data in
            let handler = Handler<Int>.of(data)
            MainActor.assumeIsolated { handler?.body(Int(number)) }
        }
        connect(object, signal, unsafeBitCast(call, to: GCallback.self), Handler<Int>(body).retained)
    }

    private static func connect(
        _ object: UnsafeMutableRawPointer, _ signal: String, _ callback: GCallback, _ data: UnsafeMutableRawPointer
    ) {
        _ = g_signal_connect_data(object, signal, callback, data, release, GConnectFlags(rawValue: 0))
    }
}
