// SPDX-License-Identifier: Apache-2.0

// Knocks and invitations name a transport, so its type is part of this module's interface.
@_exported public import TransportModel
