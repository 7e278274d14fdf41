#include "lib/guest/supervisor/filter_compiler.h"

#include <errno.h>
#include <string.h>

/* Jumps only lead forward and most skip at most 255 steps, so programs are written from their end: what a jump leads to is
 * there already and its distance known. A place is named by the number of steps from it to the end of the program. */
typedef size_t place;

enum {
  NUMBERS = 512,        /* calls have lower numbers */
  RANGES = NUMBERS + 1, /* and the entries of x32 */
  SHORT_JUMP = 255,
  SHARED_RETURNS = 16,
  NEARBY = 200, /* a return that far off is shared; a nearer one of its own saves a long jump */
};

/* What decides a call: a check, or without one what to return. */
struct decision {
  uint32_t check;
  uint32_t result;
};

/* Numbers from `first` to the next range's. */
struct range {
  uint32_t first;
  struct decision decision;
};

struct compiler {
  const struct filter_options* options;
  struct filter_step steps[FILTER_CAPACITY]; /* filled from the back */
  size_t count;
  int overflow;
  struct {
    uint32_t result;
    place at;
  } returns[SHARED_RETURNS];
  size_t return_count;
  place checks[FILTER_CHECKS]; /* 0: not written yet */
  struct range ranges[RANGES];
  size_t range_count;
};

static place prepend(struct compiler* compiler, uint16_t code, uint8_t jump_true, uint8_t jump_false, uint32_t k) {
  if (compiler->count == FILTER_CAPACITY) {
    compiler->overflow = 1;
    return compiler->count;
  }
  const struct filter_step step = {code, jump_true, jump_false, k};
  compiler->steps[FILTER_CAPACITY - ++compiler->count] = step;
  return compiler->count;
}

static uint32_t distance(const struct compiler* compiler, place target) { return (uint32_t)(compiler->count - target); }

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

static place write_return(struct compiler* compiler, uint32_t result) {
  size_t i = 0;
  while (i < compiler->return_count && compiler->returns[i].result != result) ++i;
  if (i < compiler->return_count && distance(compiler, compiler->returns[i].at) <= NEARBY) return compiler->returns[i].at;
  const place at = prepend(compiler, FILTER_RETURN, 0, 0, result);
  if (i == SHARED_RETURNS) return at;
  compiler->returns[i].result = result;
  compiler->returns[i].at = at;
  if (i == compiler->return_count) ++compiler->return_count;
  return at;
}

static int is_exempt(const struct filter_options* options, unsigned exception) {
  switch (exception) {
    case FILTER_UNLESS_SEVERAL: return !options->one_process;
    case FILTER_UNLESS_UNKNOWN: return !options->one_process || options->self == 0;
    case FILTER_UNLESS_CONFINING: return options->confining;
    default: return 0;
  }
}

static struct decision decide(const struct filter_options* options, struct filter_rule rule) {
  struct decision decision = {FILTER_CHECK_NONE, FILTER_RETURN_ALLOW};
  if (rule.action == FILTER_CHECK) decision.check = rule.detail;
  if (rule.action == FILTER_KILL) decision.result = FILTER_RETURN_KILL;
  if (rule.action == FILTER_REFUSE && !is_exempt(options, rule.exception)) decision.result = FILTER_RETURN_ERRNO | rule.detail;
  return decision;
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
  const place yes = write_return(compiler, decide(compiler->options, question->rule).result);
  switch (question->comparison) {
    case FILTER_NOT_EQUAL: return write_branch(compiler, FILTER_JUMP_EQUAL, operand, no, yes);
    case FILTER_ANY_BIT: return write_branch(compiler, FILTER_JUMP_ANY_BIT, operand, yes, no);
    case FILTER_NO_BIT: return write_branch(compiler, FILTER_JUMP_ANY_BIT, operand, no, yes);
    default: return write_branch(compiler, FILTER_JUMP_EQUAL, operand, yes, no);
  }
}

/* From the last question to the first; an argument is loaded where the question before is about another one. */
static place write_check(struct compiler* compiler, const struct filter_check* check) {
  place next = write_return(compiler, decide(compiler->options, check->otherwise).result);
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

static place write_decision(struct compiler* compiler, struct decision decision) {
  if (decision.check == FILTER_CHECK_NONE) return write_return(compiler, decision.result);
  place* const at = &compiler->checks[decision.check];
  if (*at == 0) *at = write_check(compiler, filter_check_of(decision.check));
  return *at;
}

static int same(struct decision a, struct decision b) { return a.check == b.check && a.result == b.result; }

static void add_range(struct compiler* compiler, uint32_t first, struct decision decision) {
  if (compiler->range_count > 0 && same(compiler->ranges[compiler->range_count - 1].decision, decision)) return;
  compiler->ranges[compiler->range_count].first = first;
  compiler->ranges[compiler->range_count].decision = decision;
  ++compiler->range_count;
}

static int find_ranges(struct compiler* compiler, enum filter_architecture architecture) {
  size_t call_count;
  const struct filter_call* const calls = filter_calls(&call_count);
  const int level = compiler->options->level;
  int16_t call_of[NUMBERS];
  for (size_t number = 0; number < NUMBERS; ++number) call_of[number] = -1;
  for (size_t i = 0; i < call_count; ++i) {
    const int number = calls[i].number[architecture];
    if (number == FILTER_ABSENT) continue;
    if (number >= NUMBERS) return E2BIG;
    call_of[number] = (int16_t)i;
  }
  const struct decision unknown = decide(compiler->options, filter_rule_for_unknown(level));
  for (uint32_t number = 0; number < NUMBERS; ++number) {
    const int call = call_of[number];
    add_range(compiler, number, call < 0 ? unknown : decide(compiler->options, calls[call].rule[level]));
  }
  const struct decision no_such_call = {FILTER_CHECK_NONE, FILTER_RETURN_ERRNO | ENOSYS};
  if (architecture == FILTER_X86_64) add_range(compiler, FILTER_X32_BIT, no_such_call);
  return 0;
}

/* The ranges from `begin` to `end`. One number with the same decision on both sides is found by a single comparison. */
static place write_tree(struct compiler* compiler, size_t begin, size_t end) {
  const struct range* const range = &compiler->ranges[begin];
  if (end - begin == 1) return write_decision(compiler, range->decision);
  if (end - begin == 3 && range[2].first - range[1].first == 1 && same(range[0].decision, range[2].decision)) {
    const place others = write_decision(compiler, range[0].decision);
    return write_branch(compiler, FILTER_JUMP_EQUAL, range[1].first, write_decision(compiler, range[1].decision), others);
  }
  const size_t middle = begin + (end - begin) / 2;
  const place above = write_tree(compiler, middle, end);
  const place below = write_tree(compiler, begin, middle);
  return write_branch(compiler, FILTER_JUMP_AT_LEAST, compiler->ranges[middle].first, above, below);
}

int filter_compile(const struct filter_options* options, enum filter_architecture architecture,
                   struct filter_program* program) {
  static const uint32_t kAuditNames[FILTER_ARCHITECTURES] = {FILTER_AUDIT_X86_64, FILTER_AUDIT_ARM64};
  if (options->level < 0 || options->level >= FILTER_LEVELS || options->self < 0 || options->supervisor < 0) return EINVAL;
  if ((unsigned)architecture >= FILTER_ARCHITECTURES) return EINVAL;
  struct compiler compiler;
  memset(&compiler, 0, sizeof compiler);
  compiler.options = options;
  const int error = find_ranges(&compiler, architecture);
  if (error != 0) return error;
  const place tree = write_tree(&compiler, 0, compiler.range_count);
  const place own = write_load(&compiler, FILTER_OFFSET_NUMBER, tree);
  const place foreign = write_return(&compiler, decide(options, filter_rule_for_foreign(options->level)).result);
  write_load(&compiler, FILTER_OFFSET_ARCHITECTURE,
             write_branch(&compiler, FILTER_JUMP_EQUAL, kAuditNames[architecture], own, foreign));
  if (compiler.overflow) return E2BIG;
  program->count = compiler.count;
  memcpy(program->steps, compiler.steps + FILTER_CAPACITY - compiler.count, compiler.count * sizeof *program->steps);
  return 0;
}
