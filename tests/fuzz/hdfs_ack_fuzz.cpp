// Acknowledgements of a pipeline.
#include "hdfs/proto/data_transfer.pb.h"
#include "hdfs_delimited.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return check_delimited<hadoop::hdfs::PipelineAckProto>(data, size);
}
