#include "http/admission.hpp"

#include "core/assert.hpp"

namespace ydl::http {

ConnectionBook::Admission ConnectionBook::admit() {
  Admission admission{++last_};
  if (strangers_.size() >= max_strangers_ && !strangers_.empty()) {
    admission.dropped = *strangers_.begin();
    strangers_.erase(strangers_.begin());
  }
  strangers_.insert(admission.id);
  return admission;
}

bool BodyBudget::take(std::size_t bytes) {
  if (bytes > left_) return false;
  left_ -= bytes;
  return true;
}

void BodyBudget::give_back(std::size_t bytes) {
  YDL_ASSERT(bytes <= total_ - left_);
  left_ += bytes;
}

}  // namespace ydl::http
