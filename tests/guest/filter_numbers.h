/* The numbers that this machine's headers give to the calls of the filter's table, as text: "63", or "__NR_name" where they
 * have none. Each architecture's headers define the same names, so each has a source of its own. */
#ifndef CONCLAVE_TESTS_GUEST_FILTER_NUMBERS_H_
#define CONCLAVE_TESTS_GUEST_FILTER_NUMBERS_H_

#ifdef __cplusplus
extern "C" {
#endif

struct filter_number {
  const char* name;
  const char* number;
};

/* In the table's order; a null name ends them. */
extern const struct filter_number kNativeNumbers[];
extern const struct filter_number kArm64Numbers[];

#ifdef __cplusplus
}
#endif

#endif /* CONCLAVE_TESTS_GUEST_FILTER_NUMBERS_H_ */
