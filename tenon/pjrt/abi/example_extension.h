// Example extension (type 10), which only demonstrates extensions.
#ifndef TENON_PJRT_ABI_EXAMPLE_EXTENSION_H_
#define TENON_PJRT_ABI_EXAMPLE_EXTENSION_H_

#include "tenon/pjrt/abi/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PJRT_EXAMPLE_EXTENSION_VERSION = 1 };

typedef struct PJRT_ExampleExtensionCpp PJRT_ExampleExtensionCpp;
typedef struct PJRT_ExampleExtension_DestroyExampleExtensionCpp_Args
    PJRT_ExampleExtension_DestroyExampleExtensionCpp_Args;
typedef struct PJRT_ExampleExtension_ExampleMethod_Args
    PJRT_ExampleExtension_ExampleMethod_Args;
typedef struct PJRT_ExampleExtension_CreateExampleExtensionCpp_Args
    PJRT_ExampleExtension_CreateExampleExtensionCpp_Args;
typedef struct PJRT_Example_Extension PJRT_Example_Extension;

struct PJRT_ExampleExtension_ExampleMethod_Args {
  PJRT_ExampleExtensionCpp* extension_cpp;
  int64_t value;
};
PJRT_STRUCT_SIZE(PJRT_ExampleExtension_ExampleMethod_Args, value);

struct PJRT_ExampleExtension_CreateExampleExtensionCpp_Args {
  PJRT_ExampleExtensionCpp* extension_cpp;
};
PJRT_STRUCT_SIZE(PJRT_ExampleExtension_CreateExampleExtensionCpp_Args, extension_cpp);

struct PJRT_Example_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*example_method)(PJRT_ExampleExtension_ExampleMethod_Args* args);
  PJRT_Error* (*create)(PJRT_ExampleExtension_CreateExampleExtensionCpp_Args* args);
  PJRT_Error* (*destroy)(PJRT_ExampleExtension_DestroyExampleExtensionCpp_Args* args);
};
PJRT_STRUCT_SIZE(PJRT_Example_Extension, destroy);

#ifdef __cplusplus
}
#endif

#endif  // TENON_PJRT_ABI_EXAMPLE_EXTENSION_H_
