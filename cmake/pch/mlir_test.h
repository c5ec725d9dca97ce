// What most sources of the compiler need, and GoogleTest.
#pragma once
#include <gtest/gtest.h>
#include "cmake/pch/mlir.h"
