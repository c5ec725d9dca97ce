// What most sources need, and GoogleTest.
#pragma once
#include <gtest/gtest.h>
#include "cmake/pch/std.h"
