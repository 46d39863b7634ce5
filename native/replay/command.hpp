// The command `as2d-helper replay`.
#pragma once

namespace as2d::replay {

/// Reads replay jobs from the descriptor `input`, JSON lines, to its end and writes the answers to `output`.
/// Returns the exit status: 0; 2 after a line that cannot be used, which is answered by an `error` line. A
/// reader that is gone ends it like the end of its input.
int run(int input, int output);

}  // namespace as2d::replay
