// SPDX-License-Identifier: Apache-2.0

// What both browsers call by the same names, with promises.
export const api = globalThis.browser ?? globalThis.chrome;
export const action = api.action ?? api.browserAction;
