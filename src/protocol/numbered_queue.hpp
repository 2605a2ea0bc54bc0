#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

namespace ydl::protocol {

using Sequence = std::uint64_t;

// Items that are kept until the other side has confirmed them. The first one has the number 1.
template <class T>
class Outbox {
 public:
  void push(T item) { items_.push_back(std::move(item)); }

  // The other side has received all items up to and including `seq`.
  void confirm(Sequence seq) {
    while (!items_.empty() && first_ <= seq) {
      items_.pop_front();
      ++first_;
    }
  }

  // Starts again for another reader: with these items, numbered from 1.
  void restart(std::deque<T> items) {
    items_ = std::move(items);
    first_ = 1;
  }

  [[nodiscard]] bool empty() const { return items_.empty(); }
  [[nodiscard]] Sequence first() const { return first_; }
  // The number of the newest item; first() - 1 if there is none.
  [[nodiscard]] Sequence last() const { return first_ + items_.size() - 1; }
  [[nodiscard]] const std::deque<T>& items() const { return items_; }

 private:
  std::deque<T> items_;
  Sequence first_ = 1;
};

// Recognises items that were received before.
class Inbox {
 public:
  // Whether the item with this number is new. The numbers have no gaps.
  [[nodiscard]] bool accept(Sequence seq) {
    if (seq <= last_) return false;
    last_ = seq;
    return true;
  }
  [[nodiscard]] Sequence last() const { return last_; }
  // Starts again for another writer, whose items are numbered from 1.
  void restart() { last_ = 0; }

 private:
  Sequence last_ = 0;
};

}  // namespace ydl::protocol
