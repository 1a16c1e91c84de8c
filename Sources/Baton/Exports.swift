// SPDX-License-Identifier: Apache-2.0

// Apps import only this module, but its interface uses types of these modules.
@_exported public import BatonClient
@_exported public import MainLoop
