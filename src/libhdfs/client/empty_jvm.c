/* pyarrow looks for a Java virtual machine before it looks for libhdfs, and calls none of its functions. */
int ydl_is_no_jvm(void) {
  return 1;
}
