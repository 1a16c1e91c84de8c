// SPDX-License-Identifier: Apache-2.0

// Every caller that dials needs an endpoint, so this module exports the types of endpoints.
@_exported public import TransportModel
