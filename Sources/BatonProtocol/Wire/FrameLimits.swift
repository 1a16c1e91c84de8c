// SPDX-License-Identifier: Apache-2.0

import ActivityModel

/// Checks of the fields' limits, which are the same for sending and receiving.
extension Hello {
    /// Checks every field against its limit.
    ///
    /// - Throws: ``WireError`` with `invalidField`.
    public func check() throws(WireError) {
        guard protocolVersion > 0 else { throw WireError(.invalidField, "protocol version 0") }
        try Limit.text(name, 1...Self.maximumNameLength, "device name")
        try Limit.readable(name, "device name")
        if let activity { try Limit.hash(activity) }
        try Limit.count(types.count, 0...Self.maximumTypes, "types")
        for entry in types {
            try Limit.hash(entry.hash)
            try Limit.text(entry.team, 0...ActivityState.maximumIdentifierLength, "team")
            try Limit.text(entry.type, 1...ActivityState.maximumIdentifierLength, "activity type")
            try Limit.visible(entry.team, "team")
            try Limit.visible(entry.type, "activity type")
        }
        try Limit.endpoints(endpoints)
        try Limit.count(circle.count, 0...Self.maximumCircleLength, "circle", of: "bytes")
    }
}

extension LinkOffer {
    func check() throws(WireError) {
        if let activity { try Limit.hash(activity) }
        if let title { try Limit.text(title, 1...Self.maximumTitleLength, "title") }
    }
}

extension ContinueRequest {
    func check() throws(WireError) { try Limit.hash(activity) }
}

extension ContinueGrant {
    func check() throws(WireError) {
        try Limit.sixteen(instance, "instance")
        if let origin { try Limit.sixteen(origin, "origin") }
        if let id { try Limit.sixteen(id, "grant") }
    }
}

extension Acceptance {
    func check() throws(WireError) {
        try Limit.sixteen(instance, "instance")
        if let grant { try Limit.sixteen(grant, "grant") }
    }
}

extension ProbeReport {
    func check() throws(WireError) {
        if let signal = heard?.signal, Int8(exactly: signal) == nil {
            throw WireError(.invalidField, "a signal of \(signal) dBm")
        }
        try Limit.count(ways.count, 0...Self.maximumWays, "ways")
        for way in ways {
            try Limit.transport(way.transport)
            try Limit.visible(way.transport, "transport")
            if case .success(let time) = way.outcome, time > Self.maximumMilliseconds {
                throw WireError(.invalidField, "a way of \(time) ms")
            }
        }
    }
}

extension StreamRequest {
    func check() throws(WireError) { try Limit.sixteen(instance, "instance") }
}

extension StreamGrant {
    func check() throws(WireError) {
        try Limit.sixteen(token, "token")
        try Limit.endpoints(endpoints)
    }
}

extension Attach {
    func check() throws(WireError) {
        try Limit.sixteen(token, "token")
        guard generation > 0 else { throw WireError(.invalidField, "generation 0") }
    }
}

extension Reattach {
    func check() throws(WireError) {
        try Limit.sixteen(token, "token")
        guard generation > 0 else { throw WireError(.invalidField, "generation 0") }
    }
}

extension StreamData {
    func check() throws(WireError) { try Limit.count(bytes.count, 1...Self.maximumLength, "stream data", of: "bytes") }
}

extension Limit {
    static func hash(_ bytes: [UInt8]) throws(WireError) {
        try count(bytes.count, ActivityTypeEntry.hashLength...ActivityTypeEntry.hashLength, "hash")
    }

    static func sixteen(_ bytes: [UInt8], _ name: String) throws(WireError) {
        try count(bytes.count, 16...16, name)
    }

    static func transport(_ name: String) throws(WireError) {
        try text(name, 1...EndpointRecord.maximumTransportLength, "transport")
    }

    static func endpoints(_ endpoints: [EndpointRecord]) throws(WireError) {
        try count(endpoints.count, 0...Hello.maximumEndpoints, "endpoints")
        for endpoint in endpoints {
            try transport(endpoint.transport)
            try text(endpoint.address, 1...EndpointRecord.maximumAddressLength, "address")
            guard !endpoint.namesInterface else { throw WireError(.invalidField, "an address with an interface") }
        }
    }
}

extension HandoffError {
    /// Returns a text that is safe for a user's terminal. Invisible characters become spaces, and a
    /// text that is too long is cut.
    static func sanitized(_ message: String) -> String {
        var text = String.UnicodeScalarView()
        var count = 0
        for scalar in VisibleText.replacing(message, with: { _ in " " }).unicodeScalars {
            count += UTF8.width(scalar)
            guard count <= maximumMessageLength else { break }
            text.append(scalar)
        }
        return String(text)
    }
}
