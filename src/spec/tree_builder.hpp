#pragma once

#include "spec/document.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace ydl::spec {

// Why a document is refused. TreeBuilder throws it through the parser, because an event-based parser cannot be stopped
// in another way. It is caught where the parser is called, and never leaves this module.
struct Refusal {
  int line;
  std::string sentence;
};

// Builds a TreeNode tree from the events of a parser and enforces the limits of document.hpp. A call that would exceed
// a limit throws Refusal.
class TreeBuilder {
 public:
  using AnchorId = std::size_t;
  static constexpr AnchorId kNoAnchor = 0;
  enum class Style { plain, quoted };

  void null(Position at, AnchorId anchor = kNoAnchor);
  void scalar(Position at, std::string text, Style style, AnchorId anchor = kNoAnchor);
  void begin(NodeKind kind, Position at, AnchorId anchor = kNoAnchor);
  void end();
  void alias(Position at, AnchorId anchor);

  // The finished tree; a null node if there were no events.
  [[nodiscard]] TreeNode take();

 private:
  struct Frame {
    TreeNode node;
    AnchorId anchor = kNoAnchor;
    std::optional<Entry> pending;  // a key of a map whose value has not arrived yet
    std::unordered_map<std::string, int> key_lines;
  };
  struct Size {
    std::size_t nodes = 0;
    std::size_t bytes = 0;
    std::size_t height = 0;
  };
  struct Anchored {
    TreeNode node;
    Size size;
  };

  void add(TreeNode node, AnchorId anchor);
  void attach(TreeNode node);
  void take_key(Frame& frame, const TreeNode& node);
  void charge(const Size& size, int line);
  [[nodiscard]] static Size measure(const TreeNode& node);

  TreeNode root_;
  std::vector<Frame> open_;
  std::unordered_map<AnchorId, Anchored> anchors_;
  std::size_t nodes_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace ydl::spec
