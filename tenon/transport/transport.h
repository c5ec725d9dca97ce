/* How the plugin uses a network library: a table of C functions that a small shared
 * library gives, such as tenon_gloo.so. The plugin loads it when the first collective
 * needs another process, so that the plugin itself depends on no network library.
 *
 * A transport belongs to one process. A link connects it with one other process and
 * carries messages both ways. A message is sent and received under a number, the slot; a
 * slot has at most one message at a time. Memory stays the caller's, and must stay valid
 * until the operation is released. All functions may be called from any thread.
 *
 * A function that can fail takes a buffer for the text of the error, which ends in NUL.
 * It returns null or a number other than 0 after an error. No function throws or ends the
 * process. */
#ifndef TENON_TRANSPORT_TRANSPORT_H_
#define TENON_TRANSPORT_TRANSPORT_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TENON_TRANSPORT_VERSION 1

typedef struct {
  uint32_t version; /* TENON_TRANSPORT_VERSION */
  /* `hostname` is the name or address under which the other processes reach this one;
   * `interface` is the name of a network interface. One of them may be "". */
  void* (*create)(const char* hostname, const char* interface, char* error,
                  size_t error_size);
  void (*destroy)(void* transport); /* after all of its links */

  /* Makes one end of a link. One process has side 0 and the other side 1. */
  void* (*open)(void* transport, int side, char* error, size_t error_size);
  /* The address of this end, for the other process: fills `bytes` and returns the size,
   * or 0 if it is more than `capacity`. */
  size_t (*address)(void* link, void* bytes, size_t capacity);
  /* Connects with the other end; blocks until that end does the same. */
  int (*connect)(void* link, const void* bytes, size_t size, char* error,
                 size_t error_size);
  /* Ends all waits of this link with an error, now and later. */
  void (*abort)(void* link);
  void (*close)(void* link); /* after all of its operations are released */

  /* Begin to send, or to receive at most `size` bytes. Do not block. */
  void* (*send)(void* link, uint64_t slot, const void* data, size_t size, char* error,
                size_t error_size);
  void* (*receive)(void* link, uint64_t slot, void* data, size_t size, char* error,
                   size_t error_size);
  /* Blocks until the operation has ended. */
  int (*wait)(void* operation, char* error, size_t error_size);
  void (*release)(void* operation);
} TenonTransport;

/* The one symbol that such a library exports. */
typedef const TenonTransport* (*TenonGetTransportFunction)(void);
#define TENON_TRANSPORT_SYMBOL "TenonGetTransport"

#ifdef __cplusplus
}
#endif

#endif /* TENON_TRANSPORT_TRANSPORT_H_ */
