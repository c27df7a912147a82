"""A cluster of two nodes on this machine, one of which dies in the middle of a run."""

import os
import threading
import time
from pathlib import Path

import pytest
import sakiyomi

# Ray reads these when it is imported.
os.environ.setdefault("RAY_AUTH_MODE", "disabled")
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
if "SAKIYOMI_RAY" not in os.environ:
    pytest.skip("the cluster of two nodes is tested with SAKIYOMI_RAY=1 and ray installed", allow_module_level=True)
ray = pytest.importorskip("ray")
SMALL = Path(__file__).with_name("small.toml")


def tallies(store, source):
    [report] = sakiyomi.report(str(source), scale="paper", store=store)
    return [(cell["name"], cell["wins"], cell["draws"], cell["losses"]) for cell in report.cells]


@pytest.fixture
def cluster():
    from ray.cluster_utils import Cluster

    memory = {"object_store_memory": 100 * 2**20}
    cluster = Cluster(
        initialize_head=True,
        head_node_args={"num_cpus": 1, "node_ip_address": "127.0.0.2", "include_dashboard": False, **memory},
    )
    second = cluster.add_node(num_cpus=1, node_ip_address="127.0.0.3", **memory)
    ray.init(address=cluster.address, _node_ip_address="127.0.0.2", log_to_driver=False)
    yield cluster, second
    ray.shutdown()
    cluster.shutdown()


def test_a_lost_node_changes_no_number(cluster, tmp_path):
    from sakiyomi import ray as on_ray

    nodes, second = cluster
    local, remote = tmp_path / "local.sqlite", tmp_path / "remote.sqlite"
    sakiyomi.run(str(SMALL), scale="paper", store=local)
    killed = threading.Event()

    def watch(progress):
        # As soon as something is done one node goes, with what it is doing.
        if progress["done"] > 0 and not killed.is_set():
            killed.set()
            threading.Thread(target=nodes.remove_node, args=(second, False)).start()
            time.sleep(0.5)

    result = on_ray.run(str(SMALL), scale="paper", store=remote, unit_seconds=0.05, progress=watch)
    assert killed.is_set() and result.is_complete
    assert tallies(local, SMALL) == tallies(remote, SMALL)
    again = on_ray.run(str(SMALL), scale="paper", store=remote)
    assert again.games_played == 0


def test_a_missing_package_is_named(monkeypatch):
    import sys

    from sakiyomi import ray as on_ray

    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(sakiyomi.MissingPackage, match="pip install ray"):
        on_ray.run("all")
