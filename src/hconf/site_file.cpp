#include "hconf/site_file.hpp"

#include "core/strings.hpp"

#include <expat.h>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

namespace ydl::hconf {
namespace {

constexpr int kMaxIncludes = 16;                          // depth of nesting
constexpr std::size_t kMaxProperties = 100'000;           // including those of included files
constexpr std::size_t kMaxValue = std::size_t{1} << 20U;  // bytes
// Limits the expansion of XML entities, so that a small file cannot grow to gigabytes in memory ("billion laughs").
constexpr unsigned long long kEntityBytes = 1ULL << 20U;
constexpr float kEntityFactor = 10;

struct Context {
  const ReadFile& read;
  std::vector<Property> properties = {};
};

core::Result<void> parse(const std::filesystem::path& file, std::string_view text, int depth, Context& context);

// Reads one file. Expat calls start(), end() and characters(); the first error stops it.
class Reader {
 public:
  Reader(const std::filesystem::path& file, int depth, Context& context)
      : file_(file), depth_(depth), context_(context), parser_(XML_ParserCreateNS(nullptr, kSeparator)) {
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(
        parser_.get(),
        [](void* self, const XML_Char* name, const XML_Char** attributes) {
          static_cast<Reader*>(self)->start(name, attributes);
        },
        [](void* self, const XML_Char* name) { static_cast<Reader*>(self)->end(local_name(name)); });
    XML_SetCharacterDataHandler(parser_.get(), [](void* self, const XML_Char* text, int length) {
      static_cast<Reader*>(self)->characters({text, static_cast<std::size_t>(length)});
    });
    XML_SetBillionLaughsAttackProtectionActivationThreshold(parser_.get(), kEntityBytes);
    XML_SetBillionLaughsAttackProtectionMaximumAmplification(parser_.get(), kEntityFactor);
  }

  core::Result<void> read(std::string_view text) {
    const auto status = XML_Parse(parser_.get(), text.data(), static_cast<int>(text.size()), 1);
    if (error_) return core::fail(*std::move(error_));
    if (status == XML_STATUS_ERROR) {
      return core::fail(core::Errc::corrupt, fmt::format("{}: this is not valid XML: {}", place(),
                                                         XML_ErrorString(XML_GetErrorCode(parser_.get()))));
    }
    return {};
  }

 private:
  static constexpr char kSeparator = '|';
  static constexpr std::string_view kXInclude = "http://www.w3.org/2001/XInclude|";

  struct Free {
    void operator()(XML_Parser parser) const { XML_ParserFree(parser); }
  };

  static std::string_view local_name(std::string_view name) {
    const auto at = name.rfind(kSeparator);
    return at == std::string_view::npos ? name : name.substr(at + 1);
  }

  std::string place() const { return fmt::format("{}:{}", file_.string(), XML_GetCurrentLineNumber(parser_.get())); }
  void stop(core::Error error) {
    if (!error_) error_ = std::move(error);
    XML_StopParser(parser_.get(), XML_FALSE);
  }

  void start(std::string_view qualified, const XML_Char** attributes) {
    const auto name = local_name(qualified);
    text_.clear();
    if (!has_root_) {
      has_root_ = true;
      if (name != "configuration") {
        stop({core::Errc::corrupt,
              fmt::format("{}: the root element is <{}>; it must be <configuration>", place(), name)});
      }
    } else if (qualified.starts_with(kXInclude) && name == "include") {
      include(attribute(attributes, "href"));
    } else if (qualified.starts_with(kXInclude) && name == "fallback") {
      // A fallback is used only if its include failed.
      skipping_ = !include_failed_.has_value();
      include_failed_.reset();
    } else if (name == "property") {
      property_ =
          Property{.name = std::string(core::trim(attribute(attributes, "name"))),
                   .value = std::string(attribute(attributes, "value")),
                   .is_final = core::trim(attribute(attributes, "final")) == "true",
                   .source = fmt::format("{}:{}", file_.filename().string(), XML_GetCurrentLineNumber(parser_.get()))};
    }
  }

  void end(std::string_view name) {
    if (name == "include" && include_failed_) stop(*std::exchange(include_failed_, std::nullopt));
    if (name == "fallback") skipping_ = false;
    if (!property_) return;
    if (name == "name") property_->name = core::trim(text_);
    if (name == "value") property_->value = text_;
    if (name == "final") property_->is_final = core::trim(text_) == "true";
    if (name != "property") return;
    if (!skipping_ && !property_->name.empty() && !property_->value.empty()) keep(*std::move(property_));
    property_.reset();
  }

  void keep(Property property) {
    if (context_.properties.size() >= kMaxProperties) {
      return stop({core::Errc::corrupt,
                   fmt::format("{}: the configuration has more than {} properties", place(), kMaxProperties)});
    }
    context_.properties.push_back(std::move(property));
  }

  void characters(std::string_view text) {
    if (!property_) return;
    if (text_.size() + text.size() > kMaxValue) {
      return stop({core::Errc::corrupt, fmt::format("{}: the value is longer than {} bytes", place(), kMaxValue)});
    }
    text_ += text;
  }

  void include(std::string_view href) {
    if (skipping_) return;
    if (href.empty() || depth_ >= kMaxIncludes) {
      return stop({core::Errc::corrupt,
                   href.empty()
                       ? fmt::format("{}: this include has no href attribute", place())
                       : fmt::format("{}: includes are nested more than {} deep; probably the files include each other",
                                     place(), kMaxIncludes)});
    }
    const auto path = file_.parent_path() / href;
    auto text = context_.read(path);
    if (!text) {
      include_failed_ = std::move(text).error().within(place());
      return;
    }
    if (auto done = parse(path, *text, depth_ + 1, context_); !done) stop(std::move(done).error());
  }

  static std::string_view attribute(const XML_Char** attributes, std::string_view name) {
    for (; *attributes != nullptr; attributes += 2) {
      if (*attributes == name) return attributes[1];
    }
    return {};
  }

  const std::filesystem::path& file_;
  int depth_;
  Context& context_;
  std::unique_ptr<std::remove_pointer_t<XML_Parser>, Free> parser_;
  bool has_root_ = false;
  bool skipping_ = false;  // inside a fallback that is not needed
  std::optional<Property> property_;
  std::string text_;
  std::optional<core::Error> include_failed_;  // set from the failure until the fallback or the end of the include
  std::optional<core::Error> error_;
};

core::Result<void> parse(const std::filesystem::path& file, std::string_view text, int depth, Context& context) {
  return Reader(file, depth, context).read(text);
}

}  // namespace

core::Result<std::vector<Property>> parse_site_file(const std::filesystem::path& file, std::string_view text,
                                                    const ReadFile& read) {
  Context context{read};
  if (auto done = parse(file, text, 0, context); !done) return core::fail(std::move(done).error());
  return std::move(context.properties);
}

}  // namespace ydl::hconf
