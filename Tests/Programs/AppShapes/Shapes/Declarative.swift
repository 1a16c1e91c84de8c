// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A converter in SwiftUI. One view offers the user's input as a typed payload, and another view
/// continues it.
private struct Conversion: Codable, Equatable {
    var amount: Double
    var unit: String
}

/// SwiftUI's modifiers, as a toolkit would implement them.
@MainActor private struct ConverterView {
    let modifiers: ViewActivities

    func build(_ conversion: Conversion?, perform: @escaping (Conversion?) -> Void) {
        modifiers.userActivity("org.example.converter", element: conversion) { conversion, activity in
            activity.title = conversion.unit
            try? activity.setTypedPayload(conversion)
        }
        modifiers.onContinueUserActivity("org.example.converter") { activity in
            perform(try? activity.typedPayload(Conversion.self))
        }
    }
}

@MainActor func converter() async throws {
    let devices = Devices()
    let application = devices.application(["org.example.converter"])
    let view = ConverterView(modifiers: ViewActivities(in: application))
    var continued: [Conversion?] = []
    for amount in [1, 2.5] {
        view.build(Conversion(amount: amount, unit: "cup")) { continued.append($0) }
    }
    try await devices.handOver("org.example.converter", to: application)
    try expect(continued == [Conversion(amount: 2.5, unit: "cup")], "the payload arrives: \(continued)")
    view.build(nil) { continued.append($0) }
    try expect(devices.sofa.offers.isEmpty, "nothing is offered without an element")
    view.modifiers.disappear()
}
