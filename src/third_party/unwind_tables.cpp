// The start files of a static program register its unwind tables with libgcc, which then sorts all of them, some ten
// thousand, when the first exception is thrown: 5 ms and half a megabyte in every process that throws once. Without
// that registration libgcc finds the table that the linker has sorted already (PT_GNU_EH_FRAME). The linker is told to
// use these functions instead of libgcc's (--wrap). Part of the static binary only.
extern "C" {

void __wrap___register_frame_info(const void* /*tables*/, void* /*object*/) {}  // NOLINT(bugprone-reserved-identifier)
void* __wrap___deregister_frame_info(const void* /*tables*/) {                  // NOLINT(bugprone-reserved-identifier)
  return nullptr;
}

}  // extern "C"
