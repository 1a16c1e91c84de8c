// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import FoundationEssentials

extension CircleInvitation {
    /// The output arguments of `Invite`.
    var reply: [DBusValue] { [plain(text), unixTime(expires)] }

    init(reply: [DBusValue]) throws {
        guard reply.count == 2, let text = reply[0].stringValue, let expires = date(reply[1]) else {
            throw BatonError.invalid("reply", "an invitation")
        }
        self.init(text: text, expires: expires)
    }
}

extension PairingDigits {
    /// The output arguments of `Pair`.
    var reply: [DBusValue] { [plain(pairing), plain(digits)] }

    init(reply: [DBusValue]) throws {
        guard reply.count == 2, let pairing = reply[0].stringValue, let digits = reply[1].stringValue else {
            throw BatonError.invalid("reply", "a pairing")
        }
        self.init(pairing: pairing, digits: digits)
    }
}

extension PairingCode {
    /// The output arguments of `PairByCode`.
    var reply: [DBusValue] { [plain(pairing), plain(code), unixTime(expires)] }

    init(reply: [DBusValue]) throws {
        guard reply.count == 3, let pairing = reply[0].stringValue, let code = reply[1].stringValue,
            let expires = date(reply[2])
        else { throw BatonError.invalid("reply", "a pairing") }
        self.init(pairing: pairing, code: code, expires: expires)
    }
}

/// Whole seconds since 1970.
private func unixTime(_ date: Date) -> DBusValue {
    .int64(Int64(exactly: date.timeIntervalSince1970.rounded(.down)) ?? 0)
}

private func date(_ unixTime: DBusValue) -> Date? {
    unixTime.integer(as: Int64.self).map { Date(timeIntervalSince1970: Double($0)) }
}
