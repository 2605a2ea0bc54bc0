#pragma once

#include <gssapi/gssapi.h>
#include <string>
#include <string_view>
#include <utility>

namespace ydl::hrpc::sasl {

// Owns a handle of the GSSAPI library.
template <class Handle, auto release>
class GssHandle {
 public:
  GssHandle() = default;
  GssHandle(GssHandle&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  GssHandle& operator=(GssHandle&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~GssHandle() {
    OM_uint32 minor = 0;
    if (handle_ != nullptr) release(&minor, &handle_);
  }

  [[nodiscard]] Handle get() const { return handle_; }
  // For the library to fill.
  [[nodiscard]] Handle* put() { return &handle_; }

 private:
  Handle handle_ = nullptr;
};

inline OM_uint32 delete_context(OM_uint32* minor, gss_ctx_id_t* context) {
  return gss_delete_sec_context(minor, context, GSS_C_NO_BUFFER);
}

using GssName = GssHandle<gss_name_t, gss_release_name>;
using GssCredential = GssHandle<gss_cred_id_t, gss_release_cred>;
using GssContext = GssHandle<gss_ctx_id_t, delete_context>;

// Owns bytes that the library allocated.
class GssBuffer {
 public:
  GssBuffer() = default;
  GssBuffer(const GssBuffer&) = delete;
  GssBuffer& operator=(const GssBuffer&) = delete;
  ~GssBuffer() {
    OM_uint32 minor = 0;
    gss_release_buffer(&minor, &buffer_);
  }
  [[nodiscard]] gss_buffer_t put() { return &buffer_; }
  [[nodiscard]] std::string str() const { return {static_cast<const char*>(buffer_.value), buffer_.length}; }

 private:
  gss_buffer_desc buffer_ = GSS_C_EMPTY_BUFFER;
};

// Passes our bytes to the library, which only reads them.
inline gss_buffer_desc borrowed(std::string_view bytes) {
  return {bytes.size(), const_cast<char*>(bytes.data())};
}

}  // namespace ydl::hrpc::sasl
