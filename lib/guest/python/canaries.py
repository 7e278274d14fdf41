"""Canaries: tries, from inside the run and before any program, what the isolation of the run forbids.

The host lists what it granted, and what it is itself; what is found here can only lower what the host claims, never raise it.
Each trial is made and reported whatever the level, because the host knows which layers it claims. What cannot be tried here says
nothing.
"""

import os
import resource

# Layers that are namespaces, by what /proc/self/ns calls them.
_NAMESPACES = {"user": "user_namespace", "pid": "process_namespace", "ipc": "ipc_namespace", "mnt": "mount_namespace",
               "net": "network_namespace"}


def examine(granted):
    """Canary frames as a list of members. `granted` is the member `canaries` of the request (docs/guest-protocol.md)."""
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
    if status.get("Seccomp", "2") != "2":
        found.append(_canary("syscall_filter", False, "Seccomp: " + status["Seccomp"]))
    found.extend(_sockets())
    found.extend(_folder(path) for path in granted.get("refused", ()))
    namespaces = granted.get("namespaces", {})
    found.extend(_namespace(kind, theirs) for kind, theirs in namespaces.items() if kind in _NAMESPACES and _own_namespace(kind))
    # In a process namespace of the run's own the host's number is that of another process, or of none.
    if "process" in granted and namespaces.get("pid") and _own_namespace("pid") == namespaces["pid"]:
        found.append(_signal(granted["process"]))
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


def _sockets():
    try:
        import _socket  # what the module socket wraps; it takes long to import
    except ImportError:
        return
    try:
        _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM).close()
    except OSError as error:
        yield _canary("syscall_filter", True, "socket(AF_INET): %s" % error.strerror)
    else:
        yield _canary("syscall_filter", False, "socket(AF_INET) succeeded")


def _folder(path):
    try:
        os.close(os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
    except OSError as error:
        return _canary("path_filter", True, "opening %s: %s" % (path, error.strerror))
    return _canary("path_filter", False, "opening %s succeeded" % path)


def _own_namespace(kind):
    try:
        return os.readlink("/proc/self/ns/" + kind)
    except OSError:
        return ""  # /proc is hidden


def _namespace(kind, theirs):
    own = _own_namespace(kind)
    return _canary(_NAMESPACES[kind], own != theirs, "%s, %s" % (own, "the host's" if own == theirs else "not the host's"))


def _signal(process):
    try:
        os.kill(process, 0)  # asks for permission and sends nothing
    except OSError as error:
        return _canary("signal_scope", True, "kill of the host: %s" % error.strerror)
    return _canary("signal_scope", False, "a signal could be sent to the host")
