// Repeated indices: an update computation that does not commute gets updates in index order,
// however many there are (enough here for kernels that cut the updates of a sum into parts).
// REQUIRES: plugin
// RUN: tenon-run --check %s -p %plugin -q
// RUN: tenon-run --check %s --reference -q

// 70,000 updates of 100 places. Update i is max(i - 5000, 0), so place p keeps what update
// 5000 + p brings (5100 for p = 0).
func.func @main() {
  %updates = stablehlo.iota dim = 0 : tensor<70000xi32>
  %hundred = stablehlo.constant dense<100> : tensor<70000xi32>
  %places = stablehlo.remainder %updates, %hundred : tensor<70000xi32>
  %indices = stablehlo.reshape %places : (tensor<70000xi32>) -> tensor<70000x1xi32>
  %most = stablehlo.constant dense<5000> : tensor<70000xi32>
  %zeros = stablehlo.constant dense<0> : tensor<70000xi32>
  %less = stablehlo.subtract %updates, %most : tensor<70000xi32>
  %values = stablehlo.maximum %less, %zeros : tensor<70000xi32>
  %array = stablehlo.constant dense<0> : tensor<100xi32>
  %r = "stablehlo.scatter"(%array, %indices, %values) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %none = stablehlo.constant dense<0> : tensor<i32>
    %found = stablehlo.compare NE, %a, %none : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %s = stablehlo.select %found, %a, %b : tensor<i1>, tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<100xi32>, tensor<70000x1xi32>, tensor<70000xi32>) -> tensor<100xi32>
  %iota = stablehlo.iota dim = 0 : tensor<100xi32>
  %zero = stablehlo.constant dense<0> : tensor<100xi32>
  %last = stablehlo.constant dense<100> : tensor<100xi32>
  %is_first = stablehlo.compare EQ, %iota, %zero : (tensor<100xi32>, tensor<100xi32>) -> tensor<100xi1>
  %want = stablehlo.select %is_first, %last, %iota : tensor<100xi1>, tensor<100xi32>
  stablehlo.custom_call @check.expect_eq(%r, %want) {has_side_effect = true} : (tensor<100xi32>, tensor<100xi32>) -> ()
  return
}

// -----
// x -> update - x, 70,000 times for one place.
func.func @main() {
  %updates = stablehlo.iota dim = 0 : tensor<70000xi32>
  %indices = stablehlo.constant dense<0> : tensor<70000x1xi32>
  %array = stablehlo.constant dense<[7, 9]> : tensor<2xi32>
  %r = "stablehlo.scatter"(%array, %indices, %updates) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.subtract %b, %a : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<2xi32>, tensor<70000x1xi32>, tensor<70000xi32>) -> tensor<2xi32>
  // 69999 - (69998 - (... - (0 - 7))): 35,000 pairs of difference 1, and 7.
  %want = stablehlo.constant dense<[35007, 9]> : tensor<2xi32>
  stablehlo.custom_call @check.expect_eq(%r, %want) {has_side_effect = true} : (tensor<2xi32>, tensor<2xi32>) -> ()
  return
}

// -----

// Windows overlap, and an inserted dimension that no index addresses.
module @inserted_dimension_without_index {
  func.func private @inputs() -> (tensor<6x1x2xi32>, tensor<3x1xi32>, tensor<3x3x2xi32>) {
    %x = stablehlo.constant dense<[[[0, 1]], [[2, 3]], [[4, 5]], [[6, 7]], [[8, 9]], [[10, 11]]]> : tensor<6x1x2xi32>
    %at = stablehlo.constant dense<[[2], [1], [4]]> : tensor<3x1xi32>
    %u = stablehlo.constant dense<[[[1, 2], [3, 4], [5, 6]], [[10, 20], [30, 40], [50, 60]], [[7, 7], [7, 7], [7, 7]]]> : tensor<3x3x2xi32>
    return %x, %at, %u : tensor<6x1x2xi32>, tensor<3x1xi32>, tensor<3x3x2xi32>
  }
  func.func @main() {
    %x, %at, %u = call @inputs() : () -> (tensor<6x1x2xi32>, tensor<3x1xi32>, tensor<3x3x2xi32>)
    %r = "stablehlo.scatter"(%x, %at, %u) ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %s = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %s : tensor<i32>
    }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], inserted_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}
      : (tensor<6x1x2xi32>, tensor<3x1xi32>, tensor<3x3x2xi32>) -> tensor<6x1x2xi32>
    %expected = stablehlo.constant dense<[[[0, 1]], [[12, 23]], [[35, 47]], [[59, 71]], [[13, 15]], [[10, 11]]]> : tensor<6x1x2xi32>
    stablehlo.custom_call @check.expect_eq(%r, %expected) {has_side_effect = true} : (tensor<6x1x2xi32>, tensor<6x1x2xi32>) -> ()
    return
  }
}
