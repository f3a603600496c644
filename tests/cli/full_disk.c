// Preloaded into a process, this makes the disk full: once RGU_TEST_DISK_BYTES bytes were written
// to regular files, writing fails as it does when no space is left.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static atomic_long written;

ssize_t write(int descriptor, const void* data, size_t size) {
  static ssize_t (*real)(int, const void*, size_t);
  if (!real) real = (ssize_t(*)(int, const void*, size_t))dlsym(RTLD_NEXT, "write");
  struct stat status;
  const char* limit = getenv("RGU_TEST_DISK_BYTES");
  if (limit && fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) {
    if (atomic_fetch_add(&written, (long)size) + (long)size > atol(limit)) {
      errno = ENOSPC;
      return -1;
    }
  }
  return real(descriptor, data, size);
}
