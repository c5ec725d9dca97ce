// A chain of moves, of which nothing remains: the last paddings remove all columns. The row index
// of the padding at the end may be negative, so its quotient by the reshape has no known range, and
// neither fusion nor the kernel may rely on one. Each step reads the step before at two points, and
// so the number of loads in a kernel shows whether both count the same points. (1,025 loads if they
// differ; found by scripts/fuzz.py, seed 7006580.)
// RUN: tenon-compile %s -s program | grep -c tenon.load | FileCheck %s

// CHECK: {{^1?[0-9]?[0-9]$}}
func.func @main(%x: tensor<65x3xi32>) -> tensor<65x3xi32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %1 = stablehlo.transpose %x, dims = [1, 0] : (tensor<65x3xi32>) -> tensor<3x65xi32>
  %2 = stablehlo.reshape %1 : (tensor<3x65xi32>) -> tensor<65x3xi32>
  %3 = stablehlo.slice %2 [0:65, 1:3] : (tensor<65x3xi32>) -> tensor<65x2xi32>
  %4 = stablehlo.slice %2 [0:65, 0:1] : (tensor<65x3xi32>) -> tensor<65x1xi32>
  %5 = stablehlo.concatenate %3, %4, dim = 1 : (tensor<65x2xi32>, tensor<65x1xi32>) -> tensor<65x3xi32>
  %6 = stablehlo.transpose %5, dims = [1, 0] : (tensor<65x3xi32>) -> tensor<3x65xi32>
  %7 = stablehlo.reshape %6 : (tensor<3x65xi32>) -> tensor<65x3xi32>
  %8 = stablehlo.slice %7 [0:65, 1:3] : (tensor<65x3xi32>) -> tensor<65x2xi32>
  %9 = stablehlo.slice %7 [0:65, 0:1] : (tensor<65x3xi32>) -> tensor<65x1xi32>
  %10 = stablehlo.concatenate %8, %9, dim = 1 : (tensor<65x2xi32>, tensor<65x1xi32>) -> tensor<65x3xi32>
  %11 = stablehlo.transpose %10, dims = [1, 0] : (tensor<65x3xi32>) -> tensor<3x65xi32>
  %12 = stablehlo.reshape %11 : (tensor<3x65xi32>) -> tensor<65x3xi32>
  %13 = stablehlo.slice %12 [0:65, 1:3] : (tensor<65x3xi32>) -> tensor<65x2xi32>
  %14 = stablehlo.slice %12 [0:65, 0:1] : (tensor<65x3xi32>) -> tensor<65x1xi32>
  %15 = stablehlo.concatenate %13, %14, dim = 1 : (tensor<65x2xi32>, tensor<65x1xi32>) -> tensor<65x3xi32>
  %16 = stablehlo.transpose %15, dims = [1, 0] : (tensor<65x3xi32>) -> tensor<3x65xi32>
  %17 = stablehlo.reshape %16 : (tensor<3x65xi32>) -> tensor<65x3xi32>
  %18 = stablehlo.slice %17 [0:65, 1:3] : (tensor<65x3xi32>) -> tensor<65x2xi32>
  %19 = stablehlo.slice %17 [0:65, 0:1] : (tensor<65x3xi32>) -> tensor<65x1xi32>
  %20 = stablehlo.concatenate %18, %19, dim = 1 : (tensor<65x2xi32>, tensor<65x1xi32>) -> tensor<65x3xi32>
  %21 = stablehlo.transpose %20, dims = [1, 0] : (tensor<65x3xi32>) -> tensor<3x65xi32>
  %22 = stablehlo.reshape %21 : (tensor<3x65xi32>) -> tensor<65x3xi32>
  %23 = stablehlo.slice %22 [0:65, 1:3] : (tensor<65x3xi32>) -> tensor<65x2xi32>
  %24 = stablehlo.slice %22 [0:65, 0:1] : (tensor<65x3xi32>) -> tensor<65x1xi32>
  %25 = stablehlo.concatenate %23, %24, dim = 1 : (tensor<65x2xi32>, tensor<65x1xi32>) -> tensor<65x3xi32>
  %26 = stablehlo.transpose %25, dims = [1, 0] : (tensor<65x3xi32>) -> tensor<3x65xi32>
  %27 = stablehlo.reshape %26 : (tensor<3x65xi32>) -> tensor<65x3xi32>
  %28 = stablehlo.slice %27 [0:65, 1:3] : (tensor<65x3xi32>) -> tensor<65x2xi32>
  %29 = stablehlo.slice %27 [0:65, 0:1] : (tensor<65x3xi32>) -> tensor<65x1xi32>
  %30 = stablehlo.concatenate %28, %29, dim = 1 : (tensor<65x2xi32>, tensor<65x1xi32>) -> tensor<65x3xi32>
  %31 = stablehlo.transpose %30, dims = [1, 0] : (tensor<65x3xi32>) -> tensor<3x65xi32>
  %32 = stablehlo.reshape %31 : (tensor<3x65xi32>) -> tensor<65x3xi32>
  %33 = stablehlo.slice %32 [0:65, 1:3] : (tensor<65x3xi32>) -> tensor<65x2xi32>
  %34 = stablehlo.slice %32 [0:65, 0:1] : (tensor<65x3xi32>) -> tensor<65x1xi32>
  %35 = stablehlo.concatenate %33, %34, dim = 1 : (tensor<65x2xi32>, tensor<65x1xi32>) -> tensor<65x3xi32>
  %36 = stablehlo.transpose %35, dims = [1, 0] : (tensor<65x3xi32>) -> tensor<3x65xi32>
  %37 = stablehlo.reshape %36 : (tensor<3x65xi32>) -> tensor<65x3xi32>
  %38 = stablehlo.slice %37 [0:65, 1:3] : (tensor<65x3xi32>) -> tensor<65x2xi32>
  %39 = stablehlo.slice %37 [0:65, 0:1] : (tensor<65x3xi32>) -> tensor<65x1xi32>
  %40 = stablehlo.concatenate %38, %39, dim = 1 : (tensor<65x2xi32>, tensor<65x1xi32>) -> tensor<65x3xi32>
  %41 = stablehlo.transpose %40, dims = [1, 0] : (tensor<65x3xi32>) -> tensor<3x65xi32>
  %42 = stablehlo.reshape %41 : (tensor<3x65xi32>) -> tensor<65x3xi32>
  %43 = stablehlo.slice %42 [0:65, 1:3] : (tensor<65x3xi32>) -> tensor<65x2xi32>
  %44 = stablehlo.slice %42 [0:65, 0:1] : (tensor<65x3xi32>) -> tensor<65x1xi32>
  %45 = stablehlo.concatenate %43, %44, dim = 1 : (tensor<65x2xi32>, tensor<65x1xi32>) -> tensor<65x3xi32>
  %46 = stablehlo.transpose %45, dims = [1, 0] : (tensor<65x3xi32>) -> tensor<3x65xi32>
  %47 = stablehlo.reshape %46 : (tensor<3x65xi32>) -> tensor<65x3xi32>
  %48 = stablehlo.slice %47 [0:65, 1:3] : (tensor<65x3xi32>) -> tensor<65x2xi32>
  %49 = stablehlo.slice %47 [0:65, 0:1] : (tensor<65x3xi32>) -> tensor<65x1xi32>
  %50 = stablehlo.concatenate %48, %49, dim = 1 : (tensor<65x2xi32>, tensor<65x1xi32>) -> tensor<65x3xi32>
  %51 = stablehlo.pad %50, %zero, low = [0, -2], high = [0, 2], interior = [0, 0] : (tensor<65x3xi32>, tensor<i32>) -> tensor<65x3xi32>
  %52 = stablehlo.pad %51, %zero, low = [0, -1], high = [0, 1], interior = [0, 0] : (tensor<65x3xi32>, tensor<i32>) -> tensor<65x3xi32>
  %53 = stablehlo.transpose %52, dims = [1, 0] : (tensor<65x3xi32>) -> tensor<3x65xi32>
  %54 = stablehlo.reshape %53 : (tensor<3x65xi32>) -> tensor<65x3xi32>
  %55 = stablehlo.pad %54, %zero, low = [2, 0], high = [-2, 0], interior = [0, 0] : (tensor<65x3xi32>, tensor<i32>) -> tensor<65x3xi32>
  %56 = stablehlo.slice %55 [0:65, 1:3] : (tensor<65x3xi32>) -> tensor<65x2xi32>
  %57 = stablehlo.slice %55 [0:65, 0:1] : (tensor<65x3xi32>) -> tensor<65x1xi32>
  %58 = stablehlo.concatenate %56, %57, dim = 1 : (tensor<65x2xi32>, tensor<65x1xi32>) -> tensor<65x3xi32>
  return %58 : tensor<65x3xi32>
}
