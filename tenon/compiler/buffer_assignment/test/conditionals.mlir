// RUN: split-file %s %t
// RUN: tenon-compile %t/loop.mlir -s program | FileCheck %s --check-prefix=LOOP
// RUN: tenon-compile %t/nested.mlir -s program | FileCheck %s --check-prefix=NESTED
// RUN: tenon-compile %t/loop_in_branch.mlir -s program | FileCheck %s --check-prefix=INNER
// RUN: tenon-compile %t/used_after.mlir -s program | FileCheck %s --check-prefix=AFTER
// RUN: tenon-compile %t/two_results.mlir -s program | FileCheck %s --check-prefix=TWO
// RUN: tenon-compile %t/captured.mlir -s program | FileCheck %s --check-prefix=CAPTURED
// RUN: tenon-compile %t/outside_loop.mlir -s program | FileCheck %s --check-prefix=OUTSIDE
// RUN: tenon-compile %t/condition.mlir -s program | FileCheck %s --check-prefix=CONDITION
// RUN: tenon-compile %t/donated.mlir -s program | FileCheck %s --check-prefix=DONATED

// Carried arrays are updated in place and passed on without a copy. The only copy is that of the
// argument, before the loop.
// LOOP: ^bb0(%[[X:.*]]: memref<5000xi32>, %{{.*}}: memref<i32>, %[[R:.*]]: memref<5000xi32>):
// LOOP: tenon.copy %[[X]] to %[[R]]
// LOOP-NOT: tenon.copy
// LOOP: tenon.case
// LOOP-NOT: tenon.copy
// LOOP: tenon.launch @{{.*}}%[[R]])
// LOOP-NOT: tenon.copy

// The same holds for nested conditionals,
// NESTED: tenon.copy
// NESTED-NOT: tenon.copy
// NESTED-COUNT-2: tenon.case
// NESTED-NOT: tenon.copy

// and for a loop inside a branch.
// INNER: tenon.copy
// INNER-NOT: tenon.copy
// INNER: tenon.case
// INNER-NOT: tenon.copy
// INNER: tenon.while
// INNER-NOT: tenon.copy

// A conditional does not change a value that is read after it.
// AFTER: } do {
// AFTER: tenon.case
// AFTER: tenon.copy
// AFTER: tenon.launch @update_slice

// Two results update the same array: one of them takes over its buffer, the other one a copy.
// TWO: ^bb0(%[[X:.*]]: memref<5000xi32>, %{{.*}}: memref<i1>, %[[R:.*]]: memref<5000xi32>, %[[S:.*]]: memref<5000xi32>):
// TWO-NOT: tenon.copy
// TWO: tenon.case
// TWO: tenon.copy %[[R]] to %[[S]]
// TWO: tenon.launch @update_slice.{{[0-9]+}}({{.*}}%[[S]])
// TWO: tenon.copy %[[R]] to %[[S]]
// TWO-NOT: tenon.copy

// Another result of the branch reads the updated array later in the branch.
// CAPTURED: tenon.case
// CAPTURED: tenon.copy
// CAPTURED: tenon.launch @update_slice

// A branch inside a loop must not change an array that the next iteration reads again.
// OUTSIDE: tenon.while
// OUTSIDE: tenon.case
// OUTSIDE: tenon.copy
// OUTSIDE: tenon.launch @update_slice

// A loop's condition must not change arrays that the body reads afterwards.
// CONDITION: tenon.while
// CONDITION: tenon.copy
// CONDITION: tenon.launch @update_slice
// CONDITION: } do {

// A donated argument is updated without a copy.
// DONATED: aliases [0]
// DONATED-NOT: tenon.copy
// DONATED: tenon.launch @update_slice
// DONATED-NOT: tenon.copy

//--- loop.mlir
func.func @main(%x: tensor<5000xi32>, %n: tensor<i32>) -> tensor<5000xi32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %u = stablehlo.constant dense<1> : tensor<1xi32>
  %0:2 = stablehlo.while(%i = %zero, %b = %x) : tensor<i32>, tensor<5000xi32>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %k = stablehlo.and %i, %one : tensor<i32>
    %r = "stablehlo.case"(%k) ({
      stablehlo.return %b : tensor<5000xi32>
    }, {
      %d = stablehlo.dynamic_update_slice %b, %u, %i : (tensor<5000xi32>, tensor<1xi32>, tensor<i32>) -> tensor<5000xi32>
      stablehlo.return %d : tensor<5000xi32>
    }) : (tensor<i32>) -> tensor<5000xi32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %r : tensor<i32>, tensor<5000xi32>
  }
  return %0#1 : tensor<5000xi32>
}

//--- nested.mlir
func.func @main(%x: tensor<5000xi32>, %n: tensor<i32>) -> tensor<5000xi32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %u = stablehlo.constant dense<1> : tensor<1xi32>
  %0:2 = stablehlo.while(%i = %zero, %b = %x) : tensor<i32>, tensor<5000xi32>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %s = stablehlo.dynamic_slice %b, %i, sizes = [1] : (tensor<5000xi32>, tensor<i32>) -> tensor<1xi32>
    %t = stablehlo.reshape %s : (tensor<1xi32>) -> tensor<i32>
    %p = stablehlo.compare LT, %t, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %q = stablehlo.compare LT, %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %r = "stablehlo.if"(%p) ({
      %m = "stablehlo.if"(%q) ({
        %d = stablehlo.dynamic_update_slice %b, %u, %t : (tensor<5000xi32>, tensor<1xi32>, tensor<i32>) -> tensor<5000xi32>
        stablehlo.return %d : tensor<5000xi32>
      }, {
        stablehlo.return %b : tensor<5000xi32>
      }) : (tensor<i1>) -> tensor<5000xi32>
      %e = stablehlo.dynamic_update_slice %m, %u, %i : (tensor<5000xi32>, tensor<1xi32>, tensor<i32>) -> tensor<5000xi32>
      stablehlo.return %e : tensor<5000xi32>
    }, {
      stablehlo.return %b : tensor<5000xi32>
    }) : (tensor<i1>) -> tensor<5000xi32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %r : tensor<i32>, tensor<5000xi32>
  }
  return %0#1 : tensor<5000xi32>
}

//--- loop_in_branch.mlir
func.func @main(%x: tensor<5000xi32>, %n: tensor<i32>) -> tensor<5000xi32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %u = stablehlo.constant dense<1> : tensor<1xi32>
  %0:2 = stablehlo.while(%i = %zero, %b = %x) : tensor<i32>, tensor<5000xi32>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %k = stablehlo.and %i, %one : tensor<i32>
    %r = "stablehlo.case"(%k) ({
      stablehlo.return %b : tensor<5000xi32>
    }, {
      %1:2 = stablehlo.while(%l = %zero, %d = %b) : tensor<i32>, tensor<5000xi32>
      cond {
        %c = stablehlo.compare LT, %l, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        %e = stablehlo.dynamic_update_slice %d, %u, %l : (tensor<5000xi32>, tensor<1xi32>, tensor<i32>) -> tensor<5000xi32>
        %m = stablehlo.add %l, %one : tensor<i32>
        stablehlo.return %m, %e : tensor<i32>, tensor<5000xi32>
      }
      stablehlo.return %1#1 : tensor<5000xi32>
    }) : (tensor<i32>) -> tensor<5000xi32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %r : tensor<i32>, tensor<5000xi32>
  }
  return %0#1 : tensor<5000xi32>
}

//--- used_after.mlir
func.func @main(%x: tensor<5000xi32>, %n: tensor<i32>) -> (tensor<5000xi32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %u = stablehlo.constant dense<1> : tensor<1xi32>
  %0:3 = stablehlo.while(%i = %zero, %b = %x, %s = %zero) : tensor<i32>, tensor<5000xi32>, tensor<i32>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %k = stablehlo.and %i, %one : tensor<i32>
    %r = "stablehlo.case"(%k) ({
      stablehlo.return %b : tensor<5000xi32>
    }, {
      %d = stablehlo.dynamic_update_slice %b, %u, %i : (tensor<5000xi32>, tensor<1xi32>, tensor<i32>) -> tensor<5000xi32>
      stablehlo.return %d : tensor<5000xi32>
    }) : (tensor<i32>) -> tensor<5000xi32>
    %q = stablehlo.dynamic_slice %r, %i, sizes = [1] : (tensor<5000xi32>, tensor<i32>) -> tensor<1xi32>
    %o = stablehlo.dynamic_slice %b, %i, sizes = [1] : (tensor<5000xi32>, tensor<i32>) -> tensor<1xi32>
    %t = stablehlo.subtract %q, %o : tensor<1xi32>
    %v = stablehlo.reshape %t : (tensor<1xi32>) -> tensor<i32>
    %w = stablehlo.add %s, %v : tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %r, %w : tensor<i32>, tensor<5000xi32>, tensor<i32>
  }
  return %0#1, %0#2 : tensor<5000xi32>, tensor<i32>
}

//--- two_results.mlir
func.func @main(%x: tensor<5000xi32> {tf.aliasing_output = 0 : i32}, %p: tensor<i1>) -> (tensor<5000xi32>, tensor<5000xi32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %u = stablehlo.constant dense<1> : tensor<1xi32>
  %0:2 = "stablehlo.if"(%p) ({
    %d = stablehlo.dynamic_update_slice %x, %u, %zero : (tensor<5000xi32>, tensor<1xi32>, tensor<i32>) -> tensor<5000xi32>
    stablehlo.return %x, %d : tensor<5000xi32>, tensor<5000xi32>
  }, {
    stablehlo.return %x, %x : tensor<5000xi32>, tensor<5000xi32>
  }) : (tensor<i1>) -> (tensor<5000xi32>, tensor<5000xi32>)
  return %0#0, %0#1 : tensor<5000xi32>, tensor<5000xi32>
}

//--- captured.mlir
func.func @main(%x: tensor<5000xi32> {tf.aliasing_output = 0 : i32}, %p: tensor<i1>, %i: tensor<i32>) -> (tensor<5000xi32>, tensor<5000xi32>) {
  %u = stablehlo.constant dense<1> : tensor<1xi32>
  %0:2 = "stablehlo.if"(%p) ({
    %d = stablehlo.dynamic_update_slice %x, %u, %i : (tensor<5000xi32>, tensor<1xi32>, tensor<i32>) -> tensor<5000xi32>
    stablehlo.return %d, %d : tensor<5000xi32>, tensor<5000xi32>
  }, {
    %d = stablehlo.dynamic_update_slice %x, %u, %i : (tensor<5000xi32>, tensor<1xi32>, tensor<i32>) -> tensor<5000xi32>
    %r = stablehlo.reverse %x, dims = [0] : tensor<5000xi32>
    %s = stablehlo.add %r, %d : tensor<5000xi32>
    stablehlo.return %d, %s : tensor<5000xi32>, tensor<5000xi32>
  }) : (tensor<i1>) -> (tensor<5000xi32>, tensor<5000xi32>)
  return %0#0, %0#1 : tensor<5000xi32>, tensor<5000xi32>
}

//--- outside_loop.mlir
func.func @main(%x: tensor<5000xi32>, %n: tensor<i32>) -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %u = stablehlo.constant dense<1> : tensor<1xi32>
  %y = stablehlo.reverse %x, dims = [0] : tensor<5000xi32>
  %0:2 = stablehlo.while(%i = %zero, %s = %zero) : tensor<i32>, tensor<i32>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %k = stablehlo.and %i, %one : tensor<i32>
    %r = "stablehlo.case"(%k) ({
      stablehlo.return %y : tensor<5000xi32>
    }, {
      %d = stablehlo.dynamic_update_slice %y, %u, %i : (tensor<5000xi32>, tensor<1xi32>, tensor<i32>) -> tensor<5000xi32>
      stablehlo.return %d : tensor<5000xi32>
    }) : (tensor<i32>) -> tensor<5000xi32>
    %q = stablehlo.dynamic_slice %r, %s, sizes = [1] : (tensor<5000xi32>, tensor<i32>) -> tensor<1xi32>
    %t = stablehlo.reshape %q : (tensor<1xi32>) -> tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %t : tensor<i32>, tensor<i32>
  }
  return %0#1 : tensor<i32>
}

//--- condition.mlir
func.func @main(%x: tensor<5000xi32>) -> tensor<5000xi32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %many = stablehlo.constant dense<100> : tensor<i32>
  %u = stablehlo.constant dense<1> : tensor<1xi32>
  %0:2 = stablehlo.while(%i = %zero, %b = %x) : tensor<i32>, tensor<5000xi32>
  cond {
    %d = stablehlo.dynamic_update_slice %b, %u, %i : (tensor<5000xi32>, tensor<1xi32>, tensor<i32>) -> tensor<5000xi32>
    %q = stablehlo.dynamic_slice %d, %one, sizes = [1] : (tensor<5000xi32>, tensor<i32>) -> tensor<1xi32>
    %t = stablehlo.reshape %q : (tensor<1xi32>) -> tensor<i32>
    %c = stablehlo.compare LT, %t, %many : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %e = stablehlo.add %b, %b : tensor<5000xi32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %e : tensor<i32>, tensor<5000xi32>
  }
  return %0#1 : tensor<5000xi32>
}

//--- donated.mlir
func.func @main(%x: tensor<5000xi32> {tf.aliasing_output = 0 : i32}, %p: tensor<i1>, %i: tensor<i32>) -> tensor<5000xi32> {
  %u = stablehlo.constant dense<1> : tensor<1xi32>
  %0 = "stablehlo.if"(%p) ({
    %d = stablehlo.dynamic_update_slice %x, %u, %i : (tensor<5000xi32>, tensor<1xi32>, tensor<i32>) -> tensor<5000xi32>
    stablehlo.return %d : tensor<5000xi32>
  }, {
    stablehlo.return %x : tensor<5000xi32>
  }) : (tensor<i1>) -> tensor<5000xi32>
  return %0 : tensor<5000xi32>
}
