#include "internal.h"

#include <stdlib.h>
#include <string.h>

static void put_le(unsigned char* to, uint64_t value, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) to[i] = (unsigned char)(value >> (8 * i));
}

static uint64_t get_le(const unsigned char* from, size_t bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < bytes; ++i) value |= (uint64_t)from[i] << (8 * i);
  return value;
}

static unsigned char* grow(struct message* message, size_t more) {
  if (message->failed) return NULL;
  if (message->capacity - message->size < more) {
    const size_t capacity = (message->size + more) * 2;
    unsigned char* data = (unsigned char*)realloc(message->data, capacity);
    if (data == NULL) {
      message->failed = true;
      return NULL;
    }
    message->data = data;
    message->capacity = capacity;
  }
  unsigned char* at = message->data + message->size;
  message->size += more;
  return at;
}

void message_begin(struct message* message, unsigned kind) {
  memset(message, 0, sizeof *message);
  unsigned char* header = grow(message, kYdlFrameHeader);
  if (header != NULL) encode_header(header, kind, 0);
}

void message_u32(struct message* message, uint32_t value) {
  unsigned char* at = grow(message, 4);
  if (at != NULL) put_le(at, value, 4);
}

void message_u64(struct message* message, uint64_t value) {
  unsigned char* at = grow(message, 8);
  if (at != NULL) put_le(at, value, 8);
}

void message_text(struct message* message, const char* text) {
  const size_t size = text == NULL ? 0 : strlen(text);
  message_u32(message, (uint32_t)size);
  unsigned char* at = size <= kYdlLargestRequest ? grow(message, size) : NULL;
  if (at == NULL)
    message->failed = message->failed || size > 0;
  else if (size > 0)
    memcpy(at, text, size);
}

int message_end(struct message* message) {
  if (message->failed) return ENOMEM;
  const size_t size = message->size - kYdlFrameHeader;
  if (size > kYdlLargestRequest) return ENAMETOOLONG;
  put_le(message->data, size, 4);
  return 0;
}

void message_free(struct message* message) {
  free(message->data);
  message->data = NULL;
}

void encode_header(unsigned char bytes[kYdlFrameHeader], unsigned kind, size_t size) {
  put_le(bytes, size, 4);
  put_le(bytes + 4, kind, 2);
  put_le(bytes + 6, 0, 2);
}

int decode_header(const unsigned char bytes[kYdlFrameHeader], struct frame_header* header) {
  header->size = (uint32_t)get_le(bytes, 4);
  header->kind = (unsigned)get_le(bytes + 4, 2);
  const uint32_t limit = header->kind == kYdlData ? kYdlLargestData : kYdlLargestReply;
  if (header->kind < kYdlOk || header->kind > kYdlError || header->size > limit) return EPROTO;
  if (header->kind == kYdlData && header->size == 0) return EPROTO;
  return 0;
}

static const unsigned char* take(struct body* body, size_t count) {
  if (body->broken || body->size - body->at < count) {
    body->broken = true;
    return NULL;
  }
  const unsigned char* at = body->data + body->at;
  body->at += count;
  return at;
}

uint32_t body_u32(struct body* body) {
  const unsigned char* at = take(body, 4);
  return at == NULL ? 0 : (uint32_t)get_le(at, 4);
}

uint64_t body_u64(struct body* body) {
  const unsigned char* at = take(body, 8);
  return at == NULL ? 0 : get_le(at, 8);
}

char* body_text(struct body* body) {
  const uint32_t size = body_u32(body);
  const unsigned char* at = take(body, size);
  if (at == NULL) return NULL;
  if (memchr(at, 0, size) != NULL) {
    body->broken = true;
    return NULL;
  }
  char* text = (char*)malloc((size_t)size + 1);
  if (text == NULL) {
    body->broken = true;
    return NULL;
  }
  memcpy(text, at, size);
  text[size] = 0;
  return text;
}

bool body_done(const struct body* body) {
  return !body->broken && body->at == body->size;
}
