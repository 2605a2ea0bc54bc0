#include "spec/tree_builder.hpp"

#include "core/assert.hpp"
#include "spec/problems.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace ydl::spec {
namespace {

TreeNode make_node(NodeKind kind, Position at) {
  TreeNode node;
  node.kind = kind;
  node.at = at;
  return node;
}

}  // namespace

void TreeBuilder::null(Position at, AnchorId anchor) {
  add(make_node(NodeKind::null, at), anchor);
}

void TreeBuilder::scalar(Position at, std::string text, Style style, AnchorId anchor) {
  // Raw NUL bytes are refused before parsing, so this one was written as an escape. It cannot be passed to a process.
  if (text.find('\0') != std::string::npos) {
    throw Refusal{at.line, "this text holds a NUL character, which no command or variable can carry; remove it"};
  }
  TreeNode node = make_node(NodeKind::scalar, at);
  node.text = std::move(text);
  node.quoted = style == Style::quoted;
  add(std::move(node), anchor);
}

void TreeBuilder::begin(NodeKind kind, Position at, AnchorId anchor) {
  if (open_.size() >= kMaxDepth) {
    throw Refusal{at.line, fmt::format("values are nested more than {} deep here", kMaxDepth)};
  }
  charge(Size{.nodes = 1}, at.line);
  auto& frame = open_.emplace_back();
  frame.node = make_node(kind, at);
  frame.anchor = anchor;
}

void TreeBuilder::end() {
  YDL_ASSERT(!open_.empty());
  Frame done = std::move(open_.back());
  open_.pop_back();
  if (done.anchor != kNoAnchor) {
    const auto size = measure(done.node);
    charge(size, done.node.at.line);  // the copy kept for aliases needs memory too
    anchors_.insert_or_assign(done.anchor, Anchored{done.node, size});
  }
  attach(std::move(done.node));
}

void TreeBuilder::alias(Position at, AnchorId anchor) {
  const auto found = anchors_.find(anchor);
  if (found == anchors_.end()) {
    throw Refusal{at.line, "this alias stands inside the value it names, which would never end"};
  }
  if (open_.size() + found->second.size.height > kMaxDepth) {
    throw Refusal{at.line, fmt::format("with this alias written out, values are nested more than {} deep", kMaxDepth)};
  }
  charge(found->second.size, at.line);
  attach(found->second.node);
}

TreeNode TreeBuilder::take() {
  YDL_ASSERT(open_.empty());
  return std::move(root_);
}

void TreeBuilder::add(TreeNode node, AnchorId anchor) {
  const Size size{.nodes = 1, .bytes = node.text.size()};
  charge(size, node.at.line);
  if (anchor != kNoAnchor) {
    charge(size, node.at.line);
    anchors_.insert_or_assign(anchor, Anchored{node, size});
  }
  attach(std::move(node));
}

void TreeBuilder::attach(TreeNode node) {
  if (open_.empty()) {
    root_ = std::move(node);
    return;
  }
  Frame& parent = open_.back();
  if (parent.node.kind == NodeKind::sequence) {
    parent.node.items.push_back(std::move(node));
  } else if (parent.pending) {
    parent.pending->value = std::move(node);
    parent.node.entries.push_back(std::move(*parent.pending));
    parent.pending.reset();
  } else {
    take_key(parent, node);
  }
}

void TreeBuilder::take_key(Frame& frame, const TreeNode& node) {
  if (node.kind == NodeKind::null) throw Refusal{node.at.line, "a key is missing before ':'"};
  if (node.kind != NodeKind::scalar) {
    throw Refusal{node.at.line, "a list or mapping stands where a key must be; a key is one word"};
  }
  if (node.text == "<<" && !node.quoted) {
    throw Refusal{node.at.line, "merge keys ('<<') are not read; name a whole value with &NAME and use it with *NAME"};
  }
  const auto [first, is_new] = frame.key_lines.try_emplace(node.text, node.at.line);
  if (!is_new) {
    throw Refusal{node.at.line, fmt::format("the key {} is here twice: first on line {}, again on line {}; remove one",
                                            in_quotes(node.text), first->second, node.at.line)};
  }
  frame.pending = Entry{.key = node.text, .at = node.at, .value = {}};
}

void TreeBuilder::charge(const Size& size, int line) {
  nodes_ += size.nodes;
  bytes_ += size.bytes;
  if (nodes_ > kMaxNodes) {
    throw Refusal{
        line, fmt::format("with its aliases written out, the file holds more than {} values up to here", kMaxNodes)};
  }
  if (bytes_ > kMaxTreeBytes) {
    throw Refusal{line, fmt::format("with its aliases written out, the file holds more than {} MiB of text up to here",
                                    kMaxTreeBytes >> 20U)};
  }
}

TreeBuilder::Size TreeBuilder::measure(const TreeNode& node) {
  Size total{.nodes = 1, .bytes = node.text.size(), .height = 0};
  const auto add_child = [&total](const TreeNode& child) {
    const Size size = measure(child);
    total.nodes += size.nodes;
    total.bytes += size.bytes;
    total.height = std::max(total.height, size.height);
  };
  for (const auto& item : node.items) add_child(item);
  for (const auto& entry : node.entries) {
    total.nodes += 1;
    total.bytes += entry.key.size();
    add_child(entry.value);
  }
  if (node.kind == NodeKind::sequence || node.kind == NodeKind::map) total.height += 1;
  return total;
}

}  // namespace ydl::spec
