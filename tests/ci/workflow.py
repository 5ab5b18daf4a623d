"""Runs the shell steps of GitHub's workflows and GitLab's jobs on this machine: what the runner does, as far as our templates use it.

Expressions are those of the templates: contexts, ==, !=, &&, ||, always(), hashFiles(one path). Anything else is an error, so that a
template cannot come to use what is not tested. Of actions there are checkout, upload-artifact.
"""
import glob
import os
import re
import shutil
import subprocess

import yaml


def load(path):
    """YAML 1.1 reads the key `on` as true. Here it becomes `on` again."""
    with open(path, encoding="utf-8") as f:
        data = yaml.safe_load(f)
    return {("on" if key is True else key): value for key, value in data.items()}


class Expression:
    """An expression: the text between ${{ and }}, or behind if:."""

    def __init__(self, contexts, folder, ok):
        self.contexts, self.folder, self.ok = contexts, folder, ok

    def lookup(self, path):
        value = self.contexts
        for part in path.split("."):
            if not isinstance(value, dict):
                return ""
            value = value.get(part, "")
        return value

    def value(self, text):
        tokens = re.findall(r"'[^']*'|hashFiles\('[^']*'\)|always\(\)|[A-Za-z_][\w.-]*|==|!=|&&|\|\||\(|\)|\S", text)
        code = ""
        for token in tokens:
            if token.startswith("'") or token in ("==", "!=", "(", ")"):
                code += token
            elif token in ("&&", "||"):
                code += " and " if token == "&&" else " or "
            elif token == "always()":
                code += "True"
            elif token.startswith("hashFiles"):
                code += repr("x" if glob.glob(os.path.join(self.folder, token[11:-2])) else "")
            elif re.fullmatch(r"[A-Za-z_][\w.-]*", token):
                code += repr(self.lookup(token))
            else:
                raise ValueError(f"{token} in {text}")
        return eval(code, {"__builtins__": {}})

    def condition(self, text):
        return bool(self.value(text)) and (self.ok or "always()" in text)

    def fill(self, text):
        def one(match):
            value = self.value(match.group(1))
            return {True: "true", False: "false"}.get(value, str(value)) if isinstance(value, bool) else str(value)

        return re.sub(r"\$\{\{(.*?)\}\}", one, str(text))


def checkout(origin, folder, ref, depth):
    def git(*args):
        subprocess.run(["git", "-C", folder, *args], check=True, capture_output=True)

    os.makedirs(folder)
    git("init", "--quiet")
    git("remote", "add", "origin", "file://" + origin)
    git("fetch", "--quiet", "--depth", str(depth or 1), "origin", ref)
    git("checkout", "--quiet", "--detach", "FETCH_HEAD")


def upload(folder, paths, target):
    """The root of an artifact is what all search paths have in common, whether they are there or not."""
    paths = [p for p in paths.split("\n") if p]
    root = os.path.commonpath([os.path.dirname(p) or "." for p in paths]) if paths != ["tscope-baselines"] else "."
    found = 0
    for path in paths:
        source, to = os.path.join(folder, path), os.path.join(target, os.path.relpath(path, root))
        for name in glob.glob(source):
            found += 1
            os.makedirs(os.path.dirname(to), exist_ok=True)
            shutil.copytree(name, to, dirs_exist_ok=True) if os.path.isdir(name) else shutil.copy(name, to)
    return found


def run_job(workflow, name, contexts, folder, origin, environment, artifacts):
    """Runs one job of a GitHub workflow in a new folder. Returns [(step, exit status, output)], and whether the job ran and passed."""
    job = workflow["jobs"][name]
    done, ok = [], True
    contexts = dict(contexts)
    base = Expression(contexts, folder, True)
    if "if" in job and not base.condition(job["if"]):
        return None, done
    env = {key: base.fill(value) for key, value in {**workflow.get("env", {}), **job.get("env", {})}.items()}
    contexts["env"] = env
    for step in job["steps"]:
        expression = Expression(contexts, folder, ok)
        if not (expression.condition(step["if"]) if "if" in step else ok):
            continue
        own = {key: expression.fill(value) for key, value in step.get("env", {}).items()}
        inputs = {key: expression.fill(value) for key, value in step.get("with", {}).items()}
        uses = step.get("uses", "").split("@")[0]
        if uses == "actions/checkout":
            checkout(origin, folder, inputs.get("ref") or contexts["github"]["sha"], inputs.get("fetch-depth"))
        elif uses == "actions/upload-artifact":
            if not upload(folder, inputs["path"], os.path.join(artifacts, inputs["name"])) and inputs.get("if-no-files-found") != "ignore":
                done.append((step.get("name", uses), 0, "warning: no files were found"))
        elif "run" in step:
            if "${{" in step["run"]:
                raise ValueError("an expression inside of a script is a way in for foreign text")
            p = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]], cwd=folder,
                               env={**environment, **env, **own}, input="of the job\n", capture_output=True, text=True, timeout=300)
            done.append((step["name"], p.returncode, p.stdout + p.stderr))
            ok = ok and p.returncode == 0
        else:
            raise ValueError(f"unknown step {step}")
    return ok, done


def gitlab_job(config, name, variables, folder, environment):
    """Runs one job of GitLab in an existing checkout: script, and then after_script, whatever the result was."""
    job = dict(config[name])
    job = {**config.get(job.pop("extends", None), {}), **job}
    env = dict(environment, **variables)
    for key, value in job.get("variables", {}).items():
        env.setdefault(key, str(value).replace("$$", "$"))
    done, ok = [], True
    for part in ("script", "after_script"):
        if part in job:
            p = subprocess.run(["bash", "-eo", "pipefail", "-c", "\n".join(job[part])], cwd=folder, env=env, capture_output=True, text=True,
                               timeout=300)
            done.append((part, p.returncode, p.stdout + p.stderr))
            ok = ok and (part == "after_script" or p.returncode == 0)
    return ok, done
