// Preloaded into a process, this makes the disk full: writing to regular files fails, as it does
// when no space is left, once RGU_TEST_DISK_BYTES bytes were written, or from write number
// RGU_TEST_DISK_WRITES on (the first is 1; of a large one that fails, half is written before). The
// file RGU_TEST_DISK_FAILED, if named, then comes to be.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

typedef ssize_t (*Write)(int, const void*, size_t);

static atomic_long written;
static atomic_long writes;

static int is_full(long number, size_t size) {
  const char* bytes = getenv("RGU_TEST_DISK_BYTES");
  const char* first = getenv("RGU_TEST_DISK_WRITES");
  if (bytes && atomic_fetch_add(&written, (long)size) + (long)size > atol(bytes)) return 1;
  return first && number >= atol(first);
}

ssize_t write(int descriptor, const void* data, size_t size) {
  static Write real;
  if (!real) real = (Write)dlsym(RTLD_NEXT, "write");
  struct stat status;
  if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return real(descriptor, data, size);
  const long number = atomic_fetch_add(&writes, 1) + 1;
  if (!is_full(number, size)) return real(descriptor, data, size);
  const char* first = getenv("RGU_TEST_DISK_WRITES");
  if (first && number == atol(first) && size > 1) return real(descriptor, data, size / 2);
  const char* mark = getenv("RGU_TEST_DISK_FAILED");
  if (mark) close(open(mark, O_WRONLY | O_CREAT, 0666));
  errno = ENOSPC;
  return -1;
}
