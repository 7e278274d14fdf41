/* The two policies of the system call filter, as values: for each call its numbers and its rule at each level, and for calls
 * whose arguments decide, the questions asked of them. Plain constant data without state; filter_compiler.h makes programs of
 * it.
 *
 * Level 0 allows what no rule speaks of, level 1 answers it with ENOSYS. filter.md shows the outcome and says why.
 *
 * Thread safety: everything is constant. */
#ifndef CONCLAVE_LIB_GUEST_SUPERVISOR_FILTER_RULES_H_
#define CONCLAVE_LIB_GUEST_SUPERVISOR_FILTER_RULES_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum filter_architecture { FILTER_X86_64, FILTER_ARM64, FILTER_ARCHITECTURES };
enum { FILTER_LEVELS = 2, FILTER_ABSENT = -1 };

enum filter_action {
  FILTER_ALLOW,
  FILTER_REFUSE, /* with an errno */
  FILTER_KILL,   /* the process, by SIGSYS: a violation of the policy that no honest program commits */
  FILTER_CHECK,  /* arguments decide */
};

/* When a refusal is none, by how the filter is used (struct filter_options). */
enum filter_exception {
  FILTER_ALWAYS,
  FILTER_UNLESS_SEVERAL,   /* more than one process is allowed */
  FILTER_UNLESS_UNKNOWN,   /* or the process's own pid is not known: others cannot be told from it */
  FILTER_UNLESS_CONFINING, /* a trusted parent that goes on to confine its children */
};

enum filter_check_name {
  FILTER_CHECK_NONE,
  FILTER_CHECK_CLONE,
  FILTER_CHECK_SHARED_MEMORY,
  FILTER_CHECK_CLOSE_RANGE,
  FILTER_CHECK_FCNTL_SIGNAL,
  FILTER_CHECK_FCNTL,
  FILTER_CHECK_IOCTL,
  FILTER_CHECK_PRCTL_DUMPABLE,
  FILTER_CHECK_PRCTL,
  FILTER_CHECK_PERSONALITY,
  FILTER_CHECK_SPARE_SUPERVISOR,
  FILTER_CHECK_SIGNAL,
  FILTER_CHECK_LIMITS,
  FILTER_CHECKS
};

struct filter_rule {
  uint8_t action;    /* enum filter_action */
  uint8_t exception; /* enum filter_exception; with FILTER_REFUSE */
  uint16_t detail;   /* FILTER_REFUSE: the errno; FILTER_CHECK: enum filter_check_name */
};

enum filter_comparison { FILTER_EQUAL, FILTER_NOT_EQUAL, FILTER_ANY_BIT, FILTER_NO_BIT };

/* Pids of struct filter_options stand in for values; a question about one that is 0 is not asked. */
enum filter_operand { FILTER_VALUE, FILTER_SELF, FILTER_SELF_GROUP, FILTER_SUPERVISOR, FILTER_SUPERVISOR_GROUP };

/* One question about the low 32 bits of an argument. That is all the kernel reads of the arguments asked for here, or the high
 * half makes the call fail, so a high half changes no answer. */
struct filter_question {
  uint8_t argument;        /* 0 to 5 */
  uint8_t comparison;      /* enum filter_comparison */
  uint8_t operand;         /* enum filter_operand */
  uint32_t value;          /* FILTER_VALUE */
  struct filter_rule rule; /* when the answer is yes; never FILTER_CHECK */
};

/* Questions in order: the first that is answered with yes decides. */
struct filter_check {
  const struct filter_question* questions;
  size_t count;
  struct filter_rule otherwise;
};

struct filter_call {
  const char* name;
  int16_t number[FILTER_ARCHITECTURES]; /* FILTER_ABSENT: the architecture has no such call */
  struct filter_rule rule[FILTER_LEVELS];
};

/* In the order of filter_calls.def, each name and number once. */
const struct filter_call* filter_calls(size_t* count);

/* `name` is one of enum filter_check_name but the first and the last. */
const struct filter_check* filter_check_of(unsigned name);

/* For calls that the table does not have, and for calls by another architecture's numbers; x32 entries are refused with ENOSYS.
 */
struct filter_rule filter_rule_for_unknown(int level);
struct filter_rule filter_rule_for_foreign(int level);

#ifdef __cplusplus
}
#endif

#endif /* CONCLAVE_LIB_GUEST_SUPERVISOR_FILTER_RULES_H_ */
