// CrossHostTransfers extension (type 12): copies between devices of different processes.
#ifndef TENON_PJRT_ABI_CROSS_HOST_TRANSFERS_EXTENSION_H_
#define TENON_PJRT_ABI_CROSS_HOST_TRANSFERS_EXTENSION_H_

#include "tenon/pjrt/abi/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PJRT_CROSS_HOST_TRANSFERS_EXTENSION_VERSION = 6 };

typedef struct PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args
    PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args;
typedef struct PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args
    PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args;
typedef struct PJRT_Transfers_CrossHostRecvNotifierInfo
    PJRT_Transfers_CrossHostRecvNotifierInfo;
typedef struct PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args
    PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args;
typedef struct PJRT_Transfers_CrossHostRemoteSendCallbackInfo
    PJRT_Transfers_CrossHostRemoteSendCallbackInfo;
typedef struct PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args
    PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args;
typedef struct PJRT_CrossHostTransfers_Extension PJRT_CrossHostTransfers_Extension;

// Callbacks own the errors that are passed to them.
typedef void (*PJRT_Transfers_OnCanceled)(PJRT_Error* error, void* user_arg);
typedef void (*PJRT_Transfers_SendCancelNotifier)(
    const char* serialized_descriptor, size_t serialized_descriptor_size,
    PJRT_Error_Code reason, const char* error_message, size_t error_message_size,
    PJRT_Transfers_OnCanceled on_canceled, void* on_canceled_user_arg, void* user_arg);
typedef void (*PJRT_Transfers_CrossHostRecvNotifier)(
    PJRT_Error* error, const char** serialized_descriptors, size_t* descriptors_sizes,
    size_t num_descriptors, void* user_arg,
    PJRT_Transfers_SendCancelNotifier cancel_notifier, void* cancel_notifier_user_arg);
typedef void (*PJRT_Transfers_CrossHostRemoteSendCallback)(PJRT_Error* error,
                                                           bool sends_were_enqueued,
                                                           void* user_arg);
typedef void (*PJRT_Transfers_DescriptorDestructor)(char** descriptor_data,
                                                    size_t* descriptor_size);

struct PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  size_t num_buffers;
  PJRT_Buffer** buffers;
  const int64_t* dst_global_device_ids;
  const int64_t* transfer_keys;
  PJRT_Event** send_events;  // out
};
PJRT_STRUCT_SIZE(PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args, send_events);

struct PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  size_t num_shapes;
  size_t* shape_num_dims;
  const int64_t** num_dims;
  PJRT_Buffer_Type* element_types;
  PJRT_Buffer_MemoryLayout** layouts;
  PJRT_Device* device;
  const int64_t* src_global_device_ids;
  const int64_t* transfer_keys;
  PJRT_Buffer** buffers;  // out
};
PJRT_STRUCT_SIZE(PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args, buffers);

struct PJRT_Transfers_CrossHostRecvNotifierInfo {
  void* user_arg;
  PJRT_Transfers_CrossHostRecvNotifier notifier;
};
PJRT_STRUCT_SIZE(PJRT_Transfers_CrossHostRecvNotifierInfo, notifier);

struct PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  size_t num_shapes;
  size_t* shape_num_dims;
  const int64_t** num_dims;
  PJRT_Buffer_Type* element_types;
  PJRT_Buffer_MemoryLayout** layouts;
  PJRT_Device* device;
  PJRT_Transfers_CrossHostRecvNotifierInfo notifier;
  PJRT_Buffer** buffers;  // out
  size_t num_buffers;     // out
};
PJRT_STRUCT_SIZE(PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args,
                 num_buffers);

struct PJRT_Transfers_CrossHostRemoteSendCallbackInfo {
  void* user_arg;
  PJRT_Transfers_CrossHostRemoteSendCallback on_done;
};
PJRT_STRUCT_SIZE(PJRT_Transfers_CrossHostRemoteSendCallbackInfo, on_done);

struct PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
  PJRT_Event* event;
  char** serialized_descriptor;
  size_t* serialized_descriptor_size;
  PJRT_Transfers_CrossHostRemoteSendCallbackInfo on_done;
  PJRT_Transfers_DescriptorDestructor descriptor_destructor;
};
PJRT_STRUCT_SIZE(PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args,
                 descriptor_destructor);

struct PJRT_CrossHostTransfers_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers)(
      PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args* args);
  void (*PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice)(
      PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args* args);
  PJRT_Error* (*PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers)(
      PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args* args);
  PJRT_Error* (*PJRT_Transfers_PJRT_Client_CrossHostSendBuffers)(
      PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args* args);
};
PJRT_STRUCT_SIZE(PJRT_CrossHostTransfers_Extension,
                 PJRT_Transfers_PJRT_Client_CrossHostSendBuffers);

#ifdef __cplusplus
}
#endif

#endif  // TENON_PJRT_ABI_CROSS_HOST_TRANSFERS_EXTENSION_H_
