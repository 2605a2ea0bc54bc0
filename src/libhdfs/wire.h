/* What libhdfs.so and its helper process say to each other (docs/libhdfs.md). For C and C++.
 *
 * A connection is a Unix stream socket between two programs of the same ydl on one machine: numbers are little-endian,
 * and errno values are those of Linux. Both directions carry frames:
 *
 *   u32 size of the body | u16 kind | u16 zero | body
 *
 * A body has numbers (u32, u64) and texts (u32 length, then bytes without a NUL), in the order that the comments give.
 * Requests are answered in their order. A connection that opened a file belongs to this file until it is closed.
 */
#ifndef YDL_LIBHDFS_WIRE_H
#define YDL_LIBHDFS_WIRE_H

#define YDL_WIRE_VERSION 1u

enum {
  kYdlFrameHeader = 8,
  kYdlLargestRequest = 128 << 10, /* except WRITE */
  kYdlLargestData = 1 << 20,      /* the body of WRITE and of DATA */
  kYdlLargestReply = 4 << 20,     /* the body of any other answer: a page of a directory */
  kYdlLargestText = 32 << 10,     /* paths, names, messages */
  kYdlLargestRead = 4 << 20,      /* the length of one READ */
};

/* Requests, with their bodies and the body of OK after "->". Paths are absolute or with scheme: hdfs://cluster/a. */
enum {
  kYdlHello = 1,       /* u32 version -> u32 version, text version of ydl; the first request of a connection */
  kYdlConnect = 2,     /* text URI, text user or "" -> text authority, text home directory */
  kYdlConf = 3,        /* text key -> u32 whether it is set, text value */
  kYdlStatus = 4,      /* text path -> entry */
  kYdlList = 5,        /* text path -> MORE: entries; the last ones with OK */
  kYdlMakeDir = 6,     /* text path -> nothing */
  kYdlRename = 7,      /* text from, text to -> nothing */
  kYdlDelete = 8,      /* text path, u32 recursive -> nothing */
  kYdlChmod = 9,       /* text path, u32 mode -> nothing */
  kYdlChown = 10,      /* text path, text owner or "", text group or "" -> nothing */
  kYdlUtime = 11,      /* text path, u64 modified, u64 accessed; seconds, 2^64-1 leaves it -> nothing */
  kYdlReplication = 12, /* text path, u32 replication -> nothing */
  kYdlHosts = 13,      /* text path, u64 offset, u64 length -> for each block: u32 hosts, text host ... */
  kYdlSpace = 14,      /* text path -> u64 capacity, u64 used */
  kYdlDefaults = 15,   /* text path -> u64 block size, u32 replication */
  kYdlOpen = 16,       /* text path -> u64 length; now READ and CLOSE are possible */
  kYdlRead = 17,       /* u64 offset, u32 length -> DATA ..., then OK with nothing; shorter at the end of the file */
  kYdlCreate = 18,     /* text path, u32 append, u32 replication or 0, u64 block size or 0 -> u64 length; now WRITE, FLUSH, CLOSE */
  kYdlWrite = 19,      /* bytes; answered only when it fails, and then only once */
  kYdlFlush = 20,      /* u32 to disk -> nothing */
  kYdlClose = 21,      /* -> nothing */
};

/* Answers. An entry is: u32 kind ('F' or 'D'), text name (of lists), u64 size, u64 modified, u64 accessed, u32 replication,
 * u64 block size, u32 permissions, u32 encrypted, text owner, text group. */
enum {
  kYdlOk = 128,
  kYdlMore = 129,
  kYdlData = 130,  /* bytes of a file, at least one */
  kYdlError = 131, /* u32 errno, text message, text Java exception or "" */
};

#endif
