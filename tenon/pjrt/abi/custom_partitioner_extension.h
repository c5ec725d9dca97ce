// Custom_Partitioner extension (type 2): how a framework's custom calls are partitioned.
#ifndef TENON_PJRT_ABI_CUSTOM_PARTITIONER_EXTENSION_H_
#define TENON_PJRT_ABI_CUSTOM_PARTITIONER_EXTENSION_H_

#include "tenon/pjrt/abi/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PJRT_CUSTOM_PARTITIONER_EXTENSION_VERSION = 1 };

typedef struct JAX_CustomCallPartitioner_string JAX_CustomCallPartitioner_string;
typedef struct JAX_CustomCallPartitioner_aval JAX_CustomCallPartitioner_aval;
typedef struct JAX_CustomCallPartitioner_version_and_error
    JAX_CustomCallPartitioner_version_and_error;
typedef struct JAX_CustomCallPartitioner_Partition_Args
    JAX_CustomCallPartitioner_Partition_Args;
typedef struct JAX_CustomCallPartitioner_InferShardingFromOperands_Args
    JAX_CustomCallPartitioner_InferShardingFromOperands_Args;
typedef struct JAX_CustomCallPartitioner_PropagateUserSharding_Args
    JAX_CustomCallPartitioner_PropagateUserSharding_Args;
typedef struct JAX_CustomCallPartitioner_Callbacks JAX_CustomCallPartitioner_Callbacks;
typedef struct PJRT_Register_Custom_Partitioner_Args
    PJRT_Register_Custom_Partitioner_Args;
typedef struct PJRT_Register_Batch_Partitionable_Args
    PJRT_Register_Batch_Partitionable_Args;
typedef struct PJRT_Custom_Partitioner_Extension PJRT_Custom_Partitioner_Extension;

struct JAX_CustomCallPartitioner_string {
  const char* data;
  size_t size;
};

struct JAX_CustomCallPartitioner_aval {
  JAX_CustomCallPartitioner_string shape;
  bool has_sharding;
  JAX_CustomCallPartitioner_string sharding;
};

struct JAX_CustomCallPartitioner_version_and_error {
  int64_t api_version;
  void* data;                      // out
  void (*cleanup_fn)(void* data);  // out
  bool has_error;
  PJRT_Error_Code code;                        // out
  JAX_CustomCallPartitioner_string error_msg;  // out
};

struct JAX_CustomCallPartitioner_Partition_Args {
  JAX_CustomCallPartitioner_version_and_error header;
  size_t num_args;
  JAX_CustomCallPartitioner_aval* op_args;
  JAX_CustomCallPartitioner_aval op_result;
  JAX_CustomCallPartitioner_string backend_config;
  JAX_CustomCallPartitioner_string mlir_module;  // out
  JAX_CustomCallPartitioner_string* args_sharding;
  JAX_CustomCallPartitioner_string result_sharding;
};

struct JAX_CustomCallPartitioner_InferShardingFromOperands_Args {
  JAX_CustomCallPartitioner_version_and_error header;
  size_t num_args;
  JAX_CustomCallPartitioner_aval* op_args;
  JAX_CustomCallPartitioner_string result_shape;
  JAX_CustomCallPartitioner_string backend_config;
  bool has_result_sharding;
  JAX_CustomCallPartitioner_string result_sharding;
};

struct JAX_CustomCallPartitioner_PropagateUserSharding_Args {
  JAX_CustomCallPartitioner_version_and_error header;
  JAX_CustomCallPartitioner_string backend_config;
  JAX_CustomCallPartitioner_string result_shape;
  JAX_CustomCallPartitioner_string result_sharding;  // in and out
};

struct JAX_CustomCallPartitioner_Callbacks {
  int64_t version;
  void* private_data;
  void (*dtor)(struct JAX_CustomCallPartitioner_Callbacks* data);
  void (*partition)(struct JAX_CustomCallPartitioner_Callbacks* data,
                    JAX_CustomCallPartitioner_Partition_Args* args);
  void (*infer_sharding)(struct JAX_CustomCallPartitioner_Callbacks* data,
                         JAX_CustomCallPartitioner_InferShardingFromOperands_Args* args);
  void (*propagate_user_sharding)(
      struct JAX_CustomCallPartitioner_Callbacks* data,
      JAX_CustomCallPartitioner_PropagateUserSharding_Args* args);
  bool can_side_effecting_have_replicated_sharding;
};

struct PJRT_Register_Custom_Partitioner_Args {
  size_t struct_size;
  const char* name;
  size_t name_size;
  JAX_CustomCallPartitioner_Callbacks* callbacks;
};
PJRT_STRUCT_SIZE(PJRT_Register_Custom_Partitioner_Args, callbacks);

struct PJRT_Register_Batch_Partitionable_Args {
  size_t struct_size;
  const char* name;
  size_t name_size;
};
PJRT_STRUCT_SIZE(PJRT_Register_Batch_Partitionable_Args, name_size);

struct PJRT_Custom_Partitioner_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*register_custom_partitioner)(PJRT_Register_Custom_Partitioner_Args* args);
  PJRT_Error* (*register_batch_partitionable)(
      PJRT_Register_Batch_Partitionable_Args* args);
};
PJRT_STRUCT_SIZE(PJRT_Custom_Partitioner_Extension, register_batch_partitionable);

#ifdef __cplusplus
}
#endif

#endif  // TENON_PJRT_ABI_CUSTOM_PARTITIONER_EXTENSION_H_
