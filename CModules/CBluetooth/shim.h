// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <bluetooth/bluetooth.h>
#include <bluetooth/l2cap.h>
