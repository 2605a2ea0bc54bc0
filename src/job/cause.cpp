#include "job/cause.hpp"

namespace ydl::job {

bool may_help_to_retry(Cause cause) {
  return cause != Cause::cannot_start;
}

}  // namespace ydl::job
