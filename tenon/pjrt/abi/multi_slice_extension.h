// MultiSlice extension (type 22): the configuration of a job over several slices.
#ifndef TENON_PJRT_ABI_MULTI_SLICE_EXTENSION_H_
#define TENON_PJRT_ABI_MULTI_SLICE_EXTENSION_H_

#include "tenon/pjrt/abi/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PJRT_MULTI_SLICE_EXTENSION_VERSION = 1 };

typedef struct PJRT_MultiSlice_NumDevicesPerSlice PJRT_MultiSlice_NumDevicesPerSlice;
typedef struct PJRT_MultiSlice_SerializedConfig PJRT_MultiSlice_SerializedConfig;
typedef struct PJRT_MultiSlice_Config_Destroy_Args PJRT_MultiSlice_Config_Destroy_Args;
typedef struct PJRT_MultiSlice_Config_NumSlices_Args
    PJRT_MultiSlice_Config_NumSlices_Args;
typedef struct PJRT_MultiSlice_Config_SliceId_Args PJRT_MultiSlice_Config_SliceId_Args;
typedef struct PJRT_MultiSlice_Config_NumDevicesPerSlice_Args
    PJRT_MultiSlice_Config_NumDevicesPerSlice_Args;
typedef struct PJRT_MultiSlice_Config_Serialize_Args
    PJRT_MultiSlice_Config_Serialize_Args;
typedef struct PJRT_MultiSlice_Extension PJRT_MultiSlice_Extension;

struct PJRT_MultiSlice_Config_Destroy_Args {
  size_t struct_size;
  PJRT_MultiSlice_Config* config;
};
PJRT_STRUCT_SIZE(PJRT_MultiSlice_Config_Destroy_Args, config);

struct PJRT_MultiSlice_Config_NumSlices_Args {
  size_t struct_size;
  PJRT_MultiSlice_Config* config;
  int32_t num_slices;  // out
};
PJRT_STRUCT_SIZE(PJRT_MultiSlice_Config_NumSlices_Args, num_slices);

struct PJRT_MultiSlice_Config_SliceId_Args {
  size_t struct_size;
  PJRT_MultiSlice_Config* config;
  int32_t slice_id;  // out
};
PJRT_STRUCT_SIZE(PJRT_MultiSlice_Config_SliceId_Args, slice_id);

struct PJRT_MultiSlice_Config_NumDevicesPerSlice_Args {
  size_t struct_size;
  PJRT_MultiSlice_Config* config;
  size_t num_devices_per_slice_map;                                                // out
  const int32_t* slice_ids;                                                        // out
  const int32_t* num_devices;                                                      // out
  PJRT_MultiSlice_NumDevicesPerSlice* devices_per_slice_map;                       // out
  void (*devices_per_slice_map_deleter)(PJRT_MultiSlice_NumDevicesPerSlice* ptr);  // out
};
PJRT_STRUCT_SIZE(PJRT_MultiSlice_Config_NumDevicesPerSlice_Args,
                 devices_per_slice_map_deleter);

struct PJRT_MultiSlice_Config_Serialize_Args {
  size_t struct_size;
  PJRT_MultiSlice_Config* config;
  const char* serialized;                                                    // out
  size_t size;                                                               // out
  PJRT_MultiSlice_SerializedConfig* serialized_config;                       // out
  void (*serialized_config_deleter)(PJRT_MultiSlice_SerializedConfig* ptr);  // out
};
PJRT_STRUCT_SIZE(PJRT_MultiSlice_Config_Serialize_Args, serialized_config_deleter);

struct PJRT_MultiSlice_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*config_destroy)(PJRT_MultiSlice_Config_Destroy_Args* args);
  PJRT_Error* (*config_num_slices)(PJRT_MultiSlice_Config_NumSlices_Args* args);
  PJRT_Error* (*config_slice_id)(PJRT_MultiSlice_Config_SliceId_Args* args);
  PJRT_Error* (*config_num_devices_per_slice)(
      PJRT_MultiSlice_Config_NumDevicesPerSlice_Args* args);
  PJRT_Error* (*config_serialize)(PJRT_MultiSlice_Config_Serialize_Args* args);
};
PJRT_STRUCT_SIZE(PJRT_MultiSlice_Extension, config_serialize);

#ifdef __cplusplus
}
#endif

#endif  // TENON_PJRT_ABI_MULTI_SLICE_EXTENSION_H_
