/* Removing what a run left in its folder, however it was built: folders without permissions, chains deeper than any path may
 * be long. Plain C, because the supervisor does the same when the host has died. */
#ifndef CONCLAVE_LIB_SANDBOX_EMPTY_FOLDER_H_
#define CONCLAVE_LIB_SANDBOX_EMPTY_FOLDER_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Removes everything in the open `folder`. No process of the run may live any more. Stops at `until_ns` of CLOCK_MONOTONIC,
 * which is looked at between two removals; 0: never. Returns 0, ETIME when it stopped, or another errno. */
int conclave_empty_folder(int folder, int64_t until_ns);

#ifdef __cplusplus
}
#endif

#endif /* CONCLAVE_LIB_SANDBOX_EMPTY_FOLDER_H_ */
