// SPDX-License-Identifier: Apache-2.0

// This module's interface uses the types of HandoffModel.
@_exported public import HandoffModel
