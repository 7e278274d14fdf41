#include "lib/guest/supervisor/filter_compiler.h"

#include <errno.h>
#include <string.h>

/* Jumps only lead forward and most skip at most 255 steps, so programs are written from their end: what a jump leads to is
 * there already and its distance known. A place is named by the number of steps from it to the end of the program. */
typedef uint16_t place;

enum {
  NUMBERS = 512, /* calls have lower numbers */
  RESULTS = 16,  /* different things to return */
  SHORT_JUMP = 255,
  NEARBY = 200, /* a return that far off is shared; a nearer one of its own saves a long jump */
};

/* What decides a call: below FILTER_CHECKS that check, else what to return, at RESULT_BASE and its index. */
typedef uint8_t decision;
enum { RESULT_BASE = FILTER_CHECKS };

/* Small, as each page that a new process touches costs more than all the work here. */
struct compiler {
  const struct filter_options* options;
  struct filter_step* steps; /* filled from the back */
  place count;
  uint8_t overflow;
  uint8_t result_count;
  uint16_t range_count;
  uint32_t results[RESULTS];
  place returns[RESULTS];             /* where the result was last written; 0: nowhere yet */
  place checks[FILTER_CHECKS];        /* likewise */
  decision decisions[NUMBERS + 1];    /* of each number; the last stands for the entries of x32 */
  uint16_t range_begins[NUMBERS + 1]; /* where the decision is another than before */
};

static place prepend(struct compiler* compiler, uint16_t code, uint8_t jump_true, uint8_t jump_false, uint32_t k) {
  if (compiler->count == FILTER_CAPACITY) {
    compiler->overflow = 1;
    return compiler->count;
  }
  const struct filter_step step = {code, jump_true, jump_false, k};
  ++compiler->count;
  compiler->steps[FILTER_CAPACITY - compiler->count] = step;
  return compiler->count;
}

static uint32_t distance(const struct compiler* compiler, place target) { return (uint32_t)compiler->count - target; }

static place write_jump(struct compiler* compiler, place target) {
  return prepend(compiler, FILTER_JUMP, 0, 0, distance(compiler, target));
}

/* Far targets are reached by way of a long jump right behind the branch. That moves the other target one step away. */
static place write_branch(struct compiler* compiler, uint16_t code, uint32_t k, place when_true, place when_false) {
  while (!compiler->overflow && (distance(compiler, when_true) > SHORT_JUMP || distance(compiler, when_false) > SHORT_JUMP)) {
    if (distance(compiler, when_true) > SHORT_JUMP) when_true = write_jump(compiler, when_true);
    if (distance(compiler, when_false) > SHORT_JUMP) when_false = write_jump(compiler, when_false);
  }
  return prepend(compiler, code, (uint8_t)distance(compiler, when_true), (uint8_t)distance(compiler, when_false), k);
}

/* A step that is followed by what is at `target`. */
static place write_load(struct compiler* compiler, uint32_t offset, place target) {
  if (target != compiler->count) write_jump(compiler, target);
  return prepend(compiler, FILTER_LOAD, 0, 0, offset);
}

static place write_return(struct compiler* compiler, decision wanted) {
  const unsigned index = (unsigned)wanted - RESULT_BASE;
  place* const at = &compiler->returns[index];
  if (*at == 0 || distance(compiler, *at) > NEARBY) *at = prepend(compiler, FILTER_RETURN, 0, 0, compiler->results[index]);
  return *at;
}

static int is_exempt(const struct filter_options* options, unsigned exception) {
  switch (exception) {
    case FILTER_UNLESS_SEVERAL: return !options->one_process;
    case FILTER_UNLESS_UNKNOWN: return !options->one_process || options->self == 0;
    case FILTER_UNLESS_CONFINING: return options->confining;
    default: return 0;
  }
}

static decision decide_result(struct compiler* compiler, uint32_t result) {
  unsigned i = 0;
  while (i < compiler->result_count && compiler->results[i] != result) ++i;
  if (i == RESULTS) {
    compiler->overflow = 1;
    return RESULT_BASE;
  }
  compiler->results[i] = result;
  if (i == compiler->result_count) ++compiler->result_count;
  return (decision)(RESULT_BASE + i);
}

static decision decide(struct compiler* compiler, struct filter_rule rule) {
  if (rule.action == FILTER_CHECK) return (decision)rule.detail;
  if (rule.action == FILTER_KILL) return decide_result(compiler, FILTER_RETURN_KILL);
  const int refused = rule.action == FILTER_REFUSE && !is_exempt(compiler->options, rule.exception);
  return decide_result(compiler, refused ? FILTER_RETURN_ERRNO | rule.detail : FILTER_RETURN_ALLOW);
}

/* Returns whether the question is to be asked, and what to compare with. */
static int operand_of(const struct filter_options* options, const struct filter_question* question, uint32_t* out) {
  const uint32_t self = (uint32_t)options->self;
  const uint32_t supervisor = (uint32_t)options->supervisor;
  switch (question->operand) {
    case FILTER_SELF: *out = self; return self != 0;
    case FILTER_SELF_GROUP: *out = 0u - self; return self != 0;
    case FILTER_SUPERVISOR: *out = supervisor; return supervisor != 0;
    case FILTER_SUPERVISOR_GROUP: *out = 0u - supervisor; return supervisor != 0;
    default: *out = question->value; return 1;
  }
}

static place write_question(struct compiler* compiler, const struct filter_question* question, uint32_t operand, place no) {
  const place yes = write_return(compiler, decide(compiler, question->rule));
  switch (question->comparison) {
    case FILTER_NOT_EQUAL: return write_branch(compiler, FILTER_JUMP_EQUAL, operand, no, yes);
    case FILTER_ANY_BIT: return write_branch(compiler, FILTER_JUMP_ANY_BIT, operand, yes, no);
    case FILTER_NO_BIT: return write_branch(compiler, FILTER_JUMP_ANY_BIT, operand, no, yes);
    default: return write_branch(compiler, FILTER_JUMP_EQUAL, operand, yes, no);
  }
}

/* From the last question to the first; an argument is loaded where the question before is about another one. */
static place write_check(struct compiler* compiler, const struct filter_check* check) {
  place next = write_return(compiler, decide(compiler, check->otherwise));
  unsigned argument = 0;
  int asked = 0;
  for (size_t i = check->count; i-- > 0;) {
    const struct filter_question* const question = &check->questions[i];
    uint32_t operand;
    if (!operand_of(compiler->options, question, &operand)) continue;
    if (asked && question->argument != argument) next = write_load(compiler, FILTER_OFFSET_ARGUMENT_LOW(argument), next);
    next = write_question(compiler, question, operand, next);
    argument = question->argument;
    asked = 1;
  }
  return asked ? write_load(compiler, FILTER_OFFSET_ARGUMENT_LOW(argument), next) : next;
}

static place write_decision(struct compiler* compiler, decision wanted) {
  if (wanted >= RESULT_BASE) return write_return(compiler, wanted);
  place* const at = &compiler->checks[wanted];
  if (*at == 0) *at = write_check(compiler, filter_check_of(wanted));
  return *at;
}

static int decide_all(struct compiler* compiler, enum filter_architecture architecture) {
  const int level = compiler->options->level;
  size_t call_count;
  const struct filter_call* const calls = filter_calls(&call_count);
  memset(compiler->decisions, decide(compiler, filter_rule_for_unknown(level)), sizeof compiler->decisions);
  for (size_t i = 0; i < call_count; ++i) {
    const int number = calls[i].number[architecture];
    if (number == FILTER_ABSENT) continue;
    if (number >= NUMBERS) return E2BIG;
    compiler->decisions[number] = decide(compiler, calls[i].rule[level]);
  }
  if (architecture == FILTER_X86_64) compiler->decisions[NUMBERS] = decide_result(compiler, FILTER_RETURN_ERRNO | ENOSYS);
  for (unsigned number = 0; number <= NUMBERS; ++number) {
    if (number > 0 && compiler->decisions[number] == compiler->decisions[number - 1]) continue;
    compiler->range_begins[compiler->range_count++] = (uint16_t)number;
  }
  return 0;
}

static uint32_t first_number(const struct compiler* compiler, unsigned range) {
  const uint32_t begin = compiler->range_begins[range];
  return begin == NUMBERS ? FILTER_X32_BIT : begin;
}

/* The ranges from `begin` to `end`. One number with the same decision on both sides is found by a single comparison. */
static place write_tree(struct compiler* compiler, unsigned begin, unsigned end) {
  const decision first = compiler->decisions[compiler->range_begins[begin]];
  if (end - begin == 1) return write_decision(compiler, first);
  const uint32_t number = first_number(compiler, begin + 1);
  if (end - begin == 3 && first_number(compiler, begin + 2) == number + 1 &&
      compiler->decisions[compiler->range_begins[begin + 2]] == first) {
    const place others = write_decision(compiler, first);
    const place alone = write_decision(compiler, compiler->decisions[number]);
    return write_branch(compiler, FILTER_JUMP_EQUAL, number, alone, others);
  }
  const unsigned middle = begin + (end - begin) / 2;
  const place above = write_tree(compiler, middle, end);
  const place below = write_tree(compiler, begin, middle);
  return write_branch(compiler, FILTER_JUMP_AT_LEAST, first_number(compiler, middle), above, below);
}

int filter_compile(const struct filter_options* options, enum filter_architecture architecture,
                   struct filter_program* program) {
  static const uint32_t kAuditNames[FILTER_ARCHITECTURES] = {FILTER_AUDIT_X86_64, FILTER_AUDIT_ARM64};
  if (options->level < 0 || options->level >= FILTER_LEVELS || options->self < 0 || options->supervisor < 0) return EINVAL;
  if ((unsigned)architecture >= FILTER_ARCHITECTURES) return EINVAL;
  struct compiler compiler;
  memset(&compiler, 0, offsetof(struct compiler, decisions));
  compiler.options = options;
  compiler.steps = program->steps;
  const int error = decide_all(&compiler, architecture);
  if (error != 0) return error;
  const place tree = write_tree(&compiler, 0, compiler.range_count);
  const place own = write_load(&compiler, FILTER_OFFSET_NUMBER, tree);
  const place foreign = write_return(&compiler, decide(&compiler, filter_rule_for_foreign(options->level)));
  write_load(&compiler, FILTER_OFFSET_ARCHITECTURE,
             write_branch(&compiler, FILTER_JUMP_EQUAL, kAuditNames[architecture], own, foreign));
  if (compiler.overflow) return E2BIG;
  program->count = compiler.count;
  memmove(program->steps, program->steps + FILTER_CAPACITY - compiler.count, compiler.count * sizeof *program->steps);
  return 0;
}
