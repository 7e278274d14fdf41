# Started as `python -s -B -c <this>`. The runner's modules come as a bundle (cmake/BundleFiles.cmake) on descriptor 5, so that
# the unprivileged user of a run needs no path to them. The working directory is taken off the search path first: a run writes
# there, and must not be able to shadow a module.
import sys

sys.path[:] = [folder for folder in sys.path if folder not in ("", ".")]
from importlib.machinery import ModuleSpec

with open(5, "rb") as sealed:
    bundle = sealed.read()
sources = {}
while bundle:
    line, _, bundle = bundle.partition(b"\n")
    name, size = line.split()
    sources[name.decode()], bundle = bundle[: int(size)], bundle[int(size) :]


class Bundle:
    @staticmethod
    def find_spec(name, path=None, target=None):
        package, _, module = name.partition(".")
        if package != "conclave_guest" or (module and module not in sources):
            return None
        return ModuleSpec(name, Bundle, is_package=not module)

    @staticmethod
    def create_module(spec):
        return None

    @staticmethod
    def exec_module(module):
        name = module.__name__.partition(".")[2]
        if name:
            exec(compile(sources[name], "<conclave_guest/" + name + ".py>", "exec", dont_inherit=True), module.__dict__)


sys.meta_path.insert(0, Bundle)
from conclave_guest import runner

runner.main()
