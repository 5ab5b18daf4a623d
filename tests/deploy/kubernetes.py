#!/usr/bin/env python3
"""deploy/kubernetes.yaml: its parts refer to one another, its configuration is one that tscoped takes, and a server that starts with it
(its paths in a folder of the test, its port a free one) answers the probe: kubernetes.py BUILD. No cluster is asked."""
import http.client
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import yaml

build = os.path.abspath(sys.argv[1])


def check(condition, *what):
    if not condition:
        sys.exit("kubernetes: " + " ".join(str(w) for w in what))


def read():
    with open("deploy/kubernetes.yaml", encoding="utf-8") as f:
        return {part["kind"]: part for part in yaml.safe_load_all(f)}


def parts_fit(parts):
    pod = parts["StatefulSet"]["spec"]["template"]
    (server,), labels = pod["spec"]["containers"], pod["metadata"]["labels"]
    for selector in (parts["Service"]["spec"]["selector"], parts["StatefulSet"]["spec"]["selector"]["matchLabels"],
                     parts["NetworkPolicy"]["spec"]["podSelector"]["matchLabels"]):
        check(selector == labels, selector, labels)
    claims = {c["metadata"]["name"] for c in parts["StatefulSet"]["spec"]["volumeClaimTemplates"]}
    volumes = {v["name"] for v in pod["spec"]["volumes"]} | claims
    check({m["name"] for m in server["volumeMounts"]} == volumes, "volumes and mounts differ")
    ports = {p["name"]: p["containerPort"] for p in server["ports"]}
    (service,), (allowed,) = parts["Service"]["spec"]["ports"], parts["NetworkPolicy"]["spec"]["ingress"][0]["ports"]
    check(ports[service["targetPort"]] == allowed["port"], "the ports differ")
    with open("deploy/Containerfile", encoding="utf-8") as f:
        image = f.read()
    check(f"--uid {pod['spec']['securityContext']['runAsUser']} " in image, "the user is not that of the image")
    drain = re.search(r"^drain = (\d+)$", parts["ConfigMap"]["data"]["tscoped.conf"], re.M)
    check(int(drain.group(1)) < pod["spec"]["terminationGracePeriodSeconds"], "the cluster kills before the server has drained")
    return server, ports["grpc"]


def scraped_from_outside(parts, files, metrics, text):
    """Metrics of a server reach Prometheus: HAProxy asks for them where the server listens, and its port is one that is let in and scraped."""
    (policy,) = (p for p in parts if p["kind"] == "NetworkPolicy")
    (port,) = metrics["ports"]
    check(port["containerPort"] in [p["port"] for rule in policy["spec"]["ingress"] for p in rule["ports"]], "the port of metrics is not let in")
    check(f"bind :{port['containerPort']}\n" in files["haproxy.cfg"], "HAProxy listens at another port")
    own = re.search(r"^metrics-port = (\d+)$", files["tscoped.conf"], re.M).group(1)
    check(f" 127.0.0.1:{own}\n" in files["haproxy.cfg"], "HAProxy asks for metrics at another port than the server's")
    check(f"regex: tscope-cluster;{port['name']}," in text and "job_name: tscoped\n" in text, "Prometheus is told to scrape another port")
    haproxy = shutil.which("haproxy", path=os.environ["PATH"] + ":/usr/sbin")
    if not haproxy:
        return
    with tempfile.TemporaryDirectory(prefix="tscope-k8s-") as top:
        inner, outer = free_port(), free_port()
        with open(f"{top}/haproxy.cfg", "w", encoding="utf-8") as f:
            f.write(files["haproxy.cfg"].replace(f":{own}\n", f":{inner}\n").replace(f"bind :{port['containerPort']}\n", f"bind 127.0.0.1:{outer}\n"))
        running = [subprocess.Popen([f"{build}/tscoped", "--store", f"{top}/store", "--socket", f"{top}/s", "--metrics-port", str(inner)], stderr=subprocess.DEVNULL),
                   subprocess.Popen([haproxy, "-db", "-f", f.name])]  # fmt: skip
        try:
            for path, status in (("/metrics", 200), ("/ready", 403)):
                for _ in range(300):
                    said = status_of(outer, path)
                    if said == status:
                        break
                    time.sleep(0.1)
                check(said == status, path, "is answered through HAProxy by", said)
        finally:
            for process in running:
                process.terminate()
                process.wait()


def status_of(port, path):
    """The status of an answer to a name that the server itself refuses; None while nobody answers."""
    asked = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        asked.request("GET", path, headers={"Host": "tscope-0.example.org"})
        return asked.getresponse().status
    except (OSError, http.client.HTTPException):
        return None
    finally:
        asked.close()


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def cluster_fits():
    """deploy/cluster/kubernetes.yaml: its parts refer to one another, and its configuration has settings that tscoped knows."""
    with open("deploy/cluster/kubernetes.yaml", encoding="utf-8") as f:
        text = f.read()
    parts = list(yaml.safe_load_all(text))
    (servers,) = (p for p in parts if p["kind"] == "StatefulSet")
    (config,) = (p for p in parts if p["kind"] == "ConfigMap")
    spec, labels = servers["spec"], servers["spec"]["template"]["metadata"]["labels"]
    pod = spec["template"]["spec"]
    selectors = [p["spec"]["selector"] for p in parts if p["kind"] == "Service"] + [spec["selector"]["matchLabels"]]
    selectors += [p["spec"]["selector"]["matchLabels"] for p in parts if p["kind"] == "PodDisruptionBudget"]
    selectors += [p["spec"]["podSelector"]["matchLabels"] for p in parts if p["kind"] == "NetworkPolicy"]
    check(len(selectors) == 5 and all(s == labels for s in selectors), selectors)
    check(spec["serviceName"] in [p["metadata"]["name"] for p in parts if p["kind"] == "Service" and p["spec"].get("clusterIP") == "None"])
    (server, metrics), (keys,) = pod["containers"], pod["initContainers"]
    check(f"kubectl rollout restart statefulset/{servers['metadata']['name']}\n" in text, "nothing says how changed keys reach the servers")
    scraped_from_outside(parts, config["data"], metrics, text)
    mounted = {m["name"] for c in (server, metrics, keys) for m in c["volumeMounts"]}
    check({v["name"] for v in pod["volumes"]} == mounted, "volumes and mounts differ")
    check({v["configMap"]["name"] for v in pod["volumes"] if "configMap" in v} == {config["metadata"]["name"]})
    check({m["subPath"] for c in (server, metrics) for m in c["volumeMounts"] if "subPath" in m} == set(config["data"]), "files of the configuration are not mounted")
    drain = int(re.search(r"^drain = (\d+)$", config["data"]["tscoped.conf"], re.M).group(1))
    check(drain + int(server["lifecycle"]["preStop"]["exec"]["command"][1]) < pod["terminationGracePeriodSeconds"], "servers are killed before they have drained")
    cache = int(re.search(r"^cache_mib = (\d+)$", config["data"]["cluster.conf"], re.M).group(1))
    room = next(v["emptyDir"]["sizeLimit"] for v in pod["volumes"] if v["name"] == "cache")
    check(cache < int(room.removesuffix("Gi")) * 1024, "the cache is larger than its volume, and the pod would be evicted")
    with tempfile.TemporaryDirectory(prefix="tscope-k8s-") as top:
        os.mkdir(f"{top}/tls")
        certificate(f"{top}/tls")
        text = config["data"]["cluster.conf"].replace("db.example.org", "/nowhere").replace("/var/cache/tscope", f"{top}/cache")
        text = text.replace("/run/tscope/credentials", f"{top}/keys")
        with open(f"{top}/keys", "w", encoding="utf-8") as f:
            f.write("aws_access_key_id = a\naws_secret_access_key = b\n")
        os.chmod(f.name, 0o600)
        with open(f"{top}/cluster.conf", "w", encoding="utf-8") as f:
            f.write(text)
        with open(f"{top}/tscoped.conf", "w", encoding="utf-8") as f:
            f.write(config["data"]["tscoped.conf"].replace("/etc/tscope/tls", f"{top}/tls").replace("/etc/tscope", top).replace("/run/tscope", top)
                    .replace("0.0.0.0:7443", "127.0.0.1:0").replace("metrics-port = 9464", "metrics-port = 0"))  # fmt: skip
        said = subprocess.run([f"{build}/tscoped", "--config", f.name, "--check"], capture_output=True, text=True)
        said = said.stdout + said.stderr
        check("no setting" not in said and ("cannot be reached" in said or "libpq" in said), "with no database at its address, a server says:", said)
    schemas = shutil.which("kubernetes-validate")
    if not schemas:
        return "their schemas are not asked: kubernetes-validate, from PyPI, is not on this machine"
    for path in ("deploy/kubernetes.yaml", "deploy/cluster/kubernetes.yaml"):
        asked = subprocess.run([schemas, "--strict", path], capture_output=True, text=True)
        check(asked.returncode == 0, asked.stdout, asked.stderr)
    return "the schemas of Kubernetes allow both"


def certificate(folder):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=tscope",
                    "-addext", "subjectAltName=DNS:localhost", "-keyout", f"{folder}/tls.key", "-out", f"{folder}/tls.crt"], check=True, capture_output=True)


def main():
    parts = read()
    server, port = parts_fit(parts)
    config = parts["ConfigMap"]["data"]["tscoped.conf"]
    check(f":{port}" in config, "the configuration listens at another port")
    with tempfile.TemporaryDirectory(prefix="tscope-k8s-") as top:
        for mount in server["volumeMounts"]:
            if mount["name"] in ("store", "run", "tls"):
                os.makedirs(top + mount["mountPath"], exist_ok=True)
                config = config.replace(mount["mountPath"] + "/", top + mount["mountPath"] + "/")
        certificate(f"{top}/etc/tscope/tls")
        path = f"{top}/tscoped.conf"
        with open(path, "w", encoding="utf-8") as f:
            f.write(config.replace(f"0.0.0.0:{port}", "127.0.0.1:0").replace("metrics-port = 9464", "metrics-port = 0"))
        checked = subprocess.run([f"{build}/tscoped", "--config", path, "--check"], capture_output=True, text=True)
        check(checked.returncode == 0, checked.stdout, checked.stderr)
        with open(f"{top}/log", "w", encoding="utf-8") as log:
            running = subprocess.Popen([f"{build}/tscoped", "--config", path], stderr=log)
        probe = [word.replace("/run/", f"{top}/run/") for word in server["readinessProbe"]["exec"]["command"]]
        check(probe[0] == "/usr/bin/tscope", probe)
        for _ in range(100):
            asked = subprocess.run([f"{build}/tscope", *probe[1:]], capture_output=True, text=True)
            if asked.returncode == 0 or running.poll() is not None:
                break
            time.sleep(0.1)
        running.send_signal(signal.SIGTERM)
        check(running.wait(timeout=30) == 0 and asked.returncode == 0, asked.stderr, open(f"{top}/log", encoding="utf-8").read())
    print(f"kubernetes: the parts fit, and a server with this configuration answers the probe; those of several servers fit, too: {cluster_fits()}")


if __name__ == "__main__":
    main()
