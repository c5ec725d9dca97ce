// Collectives extension (type 21): lets the framework use the plugin's collectives.
#ifndef TENON_PJRT_ABI_COLLECTIVES_EXTENSION_H_
#define TENON_PJRT_ABI_COLLECTIVES_EXTENSION_H_

#include "tenon/pjrt/abi/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PJRT_COLLECTIVES_EXTENSION_VERSION = 1 };

typedef struct PJRT_Collectives PJRT_Collectives;
typedef struct PJRT_Collectives_Communicator PJRT_Collectives_Communicator;
typedef struct PJRT_Collectives_Communicators PJRT_Collectives_Communicators;
typedef struct PJRT_Collectives_ToString_Holder PJRT_Collectives_ToString_Holder;
typedef struct PJRT_Collectives_Destroy_Args PJRT_Collectives_Destroy_Args;
typedef struct PJRT_Collectives_CreateCommunicators_Args
    PJRT_Collectives_CreateCommunicators_Args;
typedef struct PJRT_Collectives_Communicator_Destroy_Args
    PJRT_Collectives_Communicator_Destroy_Args;
typedef struct PJRT_Collectives_CpuExecutor PJRT_Collectives_CpuExecutor;
typedef struct PJRT_Collectives_Communicator_AllReduce_Args
    PJRT_Collectives_Communicator_AllReduce_Args;
typedef struct PJRT_Collectives_Communicator_ReduceScatter_Args
    PJRT_Collectives_Communicator_ReduceScatter_Args;
typedef struct PJRT_Collectives_Communicator_AllGather_Args
    PJRT_Collectives_Communicator_AllGather_Args;
typedef struct PJRT_Collectives_Communicator_CollectivePermute_Args
    PJRT_Collectives_Communicator_CollectivePermute_Args;
typedef struct PJRT_Collectives_Communicator_AllToAll_Args
    PJRT_Collectives_Communicator_AllToAll_Args;
typedef struct PJRT_Collectives_Communicator_ToString_Args
    PJRT_Collectives_Communicator_ToString_Args;
typedef struct PJRT_Collectives_Extension PJRT_Collectives_Extension;

typedef enum PJRT_ENUM_BASE {
  PJRT_Collectives_ReductionKind_SUM = 0,
  PJRT_Collectives_ReductionKind_PRODUCT = 1,
  PJRT_Collectives_ReductionKind_MIN = 2,
  PJRT_Collectives_ReductionKind_MAX = 3,
} PJRT_Collectives_ReductionKind;

typedef enum PJRT_ENUM_BASE {
  PJRT_Collectives_CollectiveOpKind_CROSS_MODULE = 0,
  PJRT_Collectives_CollectiveOpKind_CROSS_REPLICA = 1,
} PJRT_Collectives_CollectiveOpKind;

struct PJRT_Collectives_Destroy_Args {
  size_t struct_size;
  PJRT_Collectives* collectives;
};
PJRT_STRUCT_SIZE(PJRT_Collectives_Destroy_Args, collectives);

struct PJRT_Collectives_CreateCommunicators_Args {
  size_t struct_size;
  PJRT_Collectives* collectives;
  const int64_t* device_ids;
  size_t num_device_ids;
  const char** clique_ids;
  const size_t* clique_id_sizes;
  size_t num_clique_ids;
  int64_t* rank_ids;
  size_t num_device_ranks;
  PJRT_Collectives_Communicator** communicators;                              // out
  size_t num_communicators;                                                   // out
  PJRT_Collectives_Communicators* communicators_holder;                       // out
  void (*communicators_holder_deleter)(PJRT_Collectives_Communicators* ptr);  // out
};
PJRT_STRUCT_SIZE(PJRT_Collectives_CreateCommunicators_Args, communicators_holder_deleter);

struct PJRT_Collectives_Communicator_Destroy_Args {
  size_t struct_size;
  PJRT_Collectives_Communicator* communicator;
};
PJRT_STRUCT_SIZE(PJRT_Collectives_Communicator_Destroy_Args, communicator);

struct PJRT_Collectives_CpuExecutor {
  int64_t run_id;
  int64_t* global_device_ids;
  size_t num_global_device_ids;
  int32_t num_local_participants;
  PJRT_Collectives_CollectiveOpKind collective_op_kind;
  int64_t op_id;
  int64_t timeout_in_ns;
};

struct PJRT_Collectives_Communicator_AllReduce_Args {
  size_t struct_size;
  PJRT_Collectives_Communicator* communicator;
  void* send_buffer_ptr;
  size_t send_buffer_size;
  void* recv_buffer_ptr;
  size_t recv_buffer_size;
  PJRT_Buffer_Type primitive_type;
  size_t count;
  PJRT_Collectives_ReductionKind reduction_kind;
  PJRT_Collectives_CpuExecutor* cpu_executor;
  PJRT_Event* event;  // out
};
PJRT_STRUCT_SIZE(PJRT_Collectives_Communicator_AllReduce_Args, event);

struct PJRT_Collectives_Communicator_ReduceScatter_Args {
  size_t struct_size;
  PJRT_Collectives_Communicator* communicator;
  void* send_buffer_ptr;
  size_t send_buffer_size;
  void* recv_buffer_ptr;
  size_t recv_buffer_size;
  PJRT_Buffer_Type primitive_type;
  size_t count;
  PJRT_Collectives_ReductionKind reduction_kind;
  PJRT_Collectives_CpuExecutor* cpu_executor;
  PJRT_Event* event;  // out
};
PJRT_STRUCT_SIZE(PJRT_Collectives_Communicator_ReduceScatter_Args, event);

struct PJRT_Collectives_Communicator_AllGather_Args {
  size_t struct_size;
  PJRT_Collectives_Communicator* communicator;
  void* send_buffer_ptr;
  size_t send_buffer_size;
  void* recv_buffer_ptr;
  size_t recv_buffer_size;
  PJRT_Buffer_Type primitive_type;
  size_t count;
  PJRT_Collectives_CpuExecutor* cpu_executor;
  PJRT_Event* event;  // out
};
PJRT_STRUCT_SIZE(PJRT_Collectives_Communicator_AllGather_Args, event);

struct PJRT_Collectives_Communicator_CollectivePermute_Args {
  size_t struct_size;
  PJRT_Collectives_Communicator* communicator;
  void* send_buffer_ptr;
  size_t send_buffer_size;
  void* recv_buffer_ptr;
  size_t recv_buffer_size;
  PJRT_Buffer_Type primitive_type;
  size_t count;
  bool has_source_rank;
  int64_t source_rank;
  int64_t* target_ranks;
  size_t num_target_ranks;
  PJRT_Collectives_CpuExecutor* cpu_executor;
  PJRT_Event* event;  // out
};
PJRT_STRUCT_SIZE(PJRT_Collectives_Communicator_CollectivePermute_Args, event);

struct PJRT_Collectives_Communicator_AllToAll_Args {
  size_t struct_size;
  PJRT_Collectives_Communicator* communicator;
  void** send_buffers_ptrs;
  const size_t* send_buffers_sizes;
  size_t num_send_buffers;
  void** recv_buffers_ptrs;
  const size_t* recv_buffers_sizes;
  size_t num_recv_buffers;
  PJRT_Buffer_Type primitive_type;
  size_t count;
  PJRT_Collectives_CpuExecutor* cpu_executor;
  PJRT_Event* event;  // out
};
PJRT_STRUCT_SIZE(PJRT_Collectives_Communicator_AllToAll_Args, event);

struct PJRT_Collectives_Communicator_ToString_Args {
  size_t struct_size;
  PJRT_Collectives_Communicator* communicator;
  const char* str;                                                    // out
  size_t str_size;                                                    // out
  PJRT_Collectives_ToString_Holder* str_holder;                       // out
  void (*str_holder_deleter)(PJRT_Collectives_ToString_Holder* ptr);  // out
};
PJRT_STRUCT_SIZE(PJRT_Collectives_Communicator_ToString_Args, str_holder_deleter);

struct PJRT_Collectives_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*collectives_destroy)(PJRT_Collectives_Destroy_Args* args);
  PJRT_Error* (*collectives_create_communicators)(
      PJRT_Collectives_CreateCommunicators_Args* args);
  PJRT_Error* (*communicator_destroy)(PJRT_Collectives_Communicator_Destroy_Args* args);
  PJRT_Error* (*communicator_all_reduce)(
      PJRT_Collectives_Communicator_AllReduce_Args* args);
  PJRT_Error* (*communicator_reduce_scatter)(
      PJRT_Collectives_Communicator_ReduceScatter_Args* args);
  PJRT_Error* (*communicator_all_gather)(
      PJRT_Collectives_Communicator_AllGather_Args* args);
  PJRT_Error* (*communicator_collective_permute)(
      PJRT_Collectives_Communicator_CollectivePermute_Args* args);
  PJRT_Error* (*communicator_all_to_all)(
      PJRT_Collectives_Communicator_AllToAll_Args* args);
  PJRT_Error* (*communicator_to_string)(
      PJRT_Collectives_Communicator_ToString_Args* args);
};
PJRT_STRUCT_SIZE(PJRT_Collectives_Extension, communicator_to_string);

#ifdef __cplusplus
}
#endif

#endif  // TENON_PJRT_ABI_COLLECTIVES_EXTENSION_H_
