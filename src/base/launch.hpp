// One process of several?
#pragma once

namespace rgu {

// What the environment says of how this process was started: by mpirun, srun or a relative of
// theirs, as one of several? Known without MPI too.
struct Launch {
  int rank = 0;
  int size = 1;
};
Launch launch();

}  // namespace rgu
