// SPDX-License-Identifier: Apache-2.0

// What the bus carries is what the service and its programs hold.
@_exported public import HandoffModel
