"""Canaries: tries, from inside the run and before any program, what the isolation of the run forbids.

The host lists what it granted; what is found here can only lower what the host claims, never raise it.
"""

import os
import resource


def examine(granted):
    """Canary frames as a list of members. `granted` holds `descriptors` and `environment` (names), as the host gave them."""
    found = [_unprivileged()]
    status = _own_status()
    if "NoNewPrivs" in status:
        found.append(_canary("no_new_privs", status["NoNewPrivs"] == "1", "NoNewPrivs: " + status["NoNewPrivs"]))
    if "CapEff" in status:
        nothing = all(int(status.get(name, "0"), 16) == 0 for name in ("CapEff", "CapPrm", "CapAmb"))
        found.append(_canary("no_capabilities", nothing, "CapEff: " + status["CapEff"]))
    found.append(_limits())
    if "descriptors" in granted:
        found.append(_descriptors(set(granted["descriptors"])))
    if "environment" in granted:
        found.append(_environment(set(granted["environment"])))
    return found


def _canary(name, achieved, detail):
    return {"name": name, "achieved": bool(achieved), "detail": detail}


def _unprivileged():
    try:
        os.setuid(0)
    except OSError as error:
        return _canary("unprivileged_uid", os.getuid() != 0, "setuid(0): %s, uid %d" % (error.strerror, os.getuid()))
    return _canary("unprivileged_uid", False, "setuid(0) succeeded")


def _own_status():
    try:
        with open("/proc/self/status") as status:
            return dict((line.split(":", 1)[0], line.split(":", 1)[1].strip()) for line in status if ":" in line)
    except OSError:
        return {}  # /proc is hidden; what it would say is then not claimed here


def _limits():
    wanted = ("RLIMIT_CPU", "RLIMIT_DATA", "RLIMIT_AS", "RLIMIT_FSIZE", "RLIMIT_NOFILE")
    endless = [name for name in wanted if resource.getrlimit(getattr(resource, name))[1] == resource.RLIM_INFINITY]
    detail = "unlimited: " + ", ".join(endless) if endless else "all of %s are finite" % ", ".join(wanted)
    return _canary("rlimits", not endless, detail)


def _descriptors(granted):
    found = set()
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    for number in range(4096 if limit == resource.RLIM_INFINITY else min(limit, 4096)):
        try:
            os.fstat(number)
            found.add(number)
        except OSError:
            pass
    extra = sorted(found - granted)
    detail = "open though not granted: %s" % extra[:16] if extra else "fstat of every number: only granted ones are open"
    return _canary("descriptors_closed", not extra, detail)


def _environment(granted):
    extra = sorted(set(os.environ) - granted)
    detail = "variables not given: " + ", ".join(extra[:16]) if extra else "%d variables, all given" % len(os.environ)
    return _canary("environment_clean", not extra, detail)
