// How this process was started.
#pragma once

namespace rgu {

// What the environment says: by mpirun, srun or a relative of theirs, as one of several?
struct Launch {
  int rank = 0;
  int size = 1;
};
Launch launch();

}  // namespace rgu
