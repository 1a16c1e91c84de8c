// SPDX-License-Identifier: Apache-2.0

// A knock and an invitation name their transport: the value is part of what the protocol speaks in.
@_exported public import TransportModel
