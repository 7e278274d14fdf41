/* Calls itself without end, as far as the compiler can tell with one. */
static int deeper(const volatile int* above) {
  if (*above < 0) return 0;
  volatile int here[64] = {*above + 1};
  return deeper(&here[0]) + here[0];
}

int main(void) {
  volatile int start = 0;
  return deeper(&start);
}
