// REQUIRES: plugin
// RUN: not tenon-run %t.missing -p %plugin 2>&1 | FileCheck %s --check-prefix=PROGRAM
// RUN: not tenon-run %s -p %t.so 2>&1 | FileCheck %s --check-prefix=PLUGIN
// RUN: not tenon-run %s -p %plugin -i %t.npy 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not tenon-run %s -p %plugin -i %t.npy -i %t.npy 2>&1 | FileCheck %s --check-prefix=INPUT
// RUN: not tenon-run %s -p %plugin --option threads 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not tenon-run %s -p %plugin --option colour=red 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not tenon-run %s -p %plugin --repeat -1 2>&1 | FileCheck %s --check-prefix=REPEAT
// RUN: tenon-run %s -p %plugin -q -o %t.
// RUN: not tenon-run %s -p %plugin -i %t.0.npy -i %t.0.npy 2>&1 | FileCheck %s --check-prefix=SHAPE
// RUN: not tenon-run %s -p %plugin -e %t.0.npy -e %t.0.npy 2>&1 | FileCheck %s --check-prefix=RESULTS
// RUN: printf '\211Tenon\r\n and nothing more' > %t.image
// RUN: not tenon-run %t.image -p %plugin 2>&1 | FileCheck %s --check-prefix=IMAGE
// RUN: tenon-run --help | FileCheck %s --check-prefix=HELP

// PROGRAM: tenon-run: NOT_FOUND: cannot read '
// PLUGIN: tenon-run: NOT_FOUND: cannot load the plugin '
// COUNT: tenon-run: INVALID_ARGUMENT: the program takes 2 arguments, but --input was given 1 times
// INPUT: tenon-run: NOT_FOUND: {{.*}}.npy
// OPTION: tenon-run: INVALID_ARGUMENT: --option threads: expected <name>=<value>
// UNKNOWN: tenon-run: INVALID_ARGUMENT: {{.*}}'colour'
// REPEAT: --repeat: Value -1 not in range
// SHAPE: tenon-run: INVALID_ARGUMENT: '{{.*}}.0.npy' has f32[2,3], but argument 1 of the program is f32[3]
// RESULTS: tenon-run: INVALID_ARGUMENT: --expect was given 2 times, but the program has 1 results
// IMAGE: tenon-run: DATA_LOSS:
// HELP: Runs a StableHLO program
// HELP: --plugin
func.func @main(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
  %1 = stablehlo.add %x, %0 : tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}
