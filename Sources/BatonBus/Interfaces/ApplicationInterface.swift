// SPDX-License-Identifier: Apache-2.0

internal import DBus

/// `org.batonproject.Application1`: the interface that an app implements to receive activities.
///
/// An answer that contains no Boolean counts as no. Apps that do not use Baton's library may send
/// one.
enum ApplicationInterface: BusInterface {
    static let name = BatonBusName.application
    static let willContinue = BusCall(name, "WillContinue", takes: coming, returns: .affirmation("shown"))
    static let `continue` = BusCall(
        name, "Continue", takes: OffersInterface.continued, returns: .affirmation("taken"))
    static let didFail = BusCall(name, "DidFail", takes: .both(.text("type"), .failure))

    static let methods: [any BusMethod] = [willContinue, `continue`, didFail]

    private static let coming = BusArguments<(String, [String: DBusValue])>
        .both(.text("type"), .values("details")).map(
            { try ComingActivity(type: $0, bus: .properties($1)) }, { ($0.type, $0.bus) })
}
