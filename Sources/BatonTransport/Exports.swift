// SPDX-License-Identifier: Apache-2.0

// Whoever dials names an endpoint: the values are part of what the seams speak in.
@_exported public import TransportModel
