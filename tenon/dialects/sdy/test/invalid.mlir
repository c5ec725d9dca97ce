// RUN: tenon-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{mesh axis "x" is given twice}}
sdy.mesh @twice = <["x"=2, "x"=2]>

// -----

// expected-error @below {{mesh axis "x" needs a positive size, got 0}}
// expected-error @below {{failed to parse Sdy_MeshAttr parameter 'axes'}}
sdy.mesh @empty_axis = <["x"=0]>

// -----

// expected-error @below {{device ids must be a permutation of 0 to 1}}
sdy.mesh @ids = <["x"=2], device_ids=[0, 0]>

// -----

// expected-error @below {{mesh is too large}}
sdy.mesh @huge = <["x"=4294967296, "y"=4294967296]>

// -----

func.func @rank(%x: tensor<8x8xf32>) {
  // expected-error @below {{has 1 dimensions, but 'tensor<8x8xf32>' has 2}}
  %0 = sdy.sharding_constraint %x <@mesh, [{}]> : tensor<8x8xf32>
  return
}

// -----

func.func @shardings(%x: tensor<8xf32>) {
  // expected-error @below {{has 0 in_shardings for 1 values}}
  %0 = sdy.manual_computation(%x) in_shardings=[] out_shardings=[<@mesh, [{}]>] manual_axes={} (%a: tensor<8xf32>) {
    sdy.return %a : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @body(%x: tensor<8xf32>) {
  // expected-error @below {{body has 0 returned values for 1 values outside}}
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{}]>] out_shardings=[<@mesh, [{}]>] manual_axes={} (%a: tensor<8xf32>) {
    sdy.return
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @types(%x: tensor<8xf32>) {
  // expected-error @below {{type 'tensor<4xf32>' in the body does not fit}}
  %0 = sdy.named_computation<"f">(%x) (%a: tensor<4xf32>) {
    sdy.return %a : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @open(%x: tensor<8xf32>) {
  // expected-error @below {{expected `}` after `?`}}
  // expected-error @below {{failed to parse Sdy_TensorShardingAttr parameter 'dim_shardings'}}
  %0 = sdy.reshard %x <@mesh, [{?, "x"}]> : tensor<8xf32>
  return
}
