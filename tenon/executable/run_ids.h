// The ids of an execution, and the user data that its custom-call handlers may ask for.
#ifndef TENON_EXECUTABLE_RUN_IDS_H_
#define TENON_EXECUTABLE_RUN_IDS_H_

#include <cstdint>

namespace tenon {

struct RunIds {
  int64_t run_id = 0;
  int32_t device_id = 0;
  int32_t replica_id = 0;
  int32_t partition_id = 0;
  void* (*user_data)(const void* context, int64_t type_id) = nullptr;
  const void* user_data_context = nullptr;
};

}  // namespace tenon

#endif  // TENON_EXECUTABLE_RUN_IDS_H_
