"""Runs the scenarios of a file that the host made (sdk/README.md), one line of JSON for each."""

from __future__ import annotations

import dataclasses
import json
import re
import sys
import traceback
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import passerelle  # noqa: E402

ORDERS = {"collect", "payOut", "sellAirtime", "payBill", "refund", "createLink"}


class Wrong(Exception):
    """What a scenario found."""


def run_scenario(scenario: Dict[str, Any]) -> Optional[str]:
    """The problem of a scenario, or None."""
    options = scenario.get("client", {})
    key = options.get("apiKey", scenario["apiKey"])
    known: Dict[str, Any] = {}
    for index, step in enumerate(scenario["steps"]):
        times = step.get("parallel", 1)
        give_up_ms = step.get("giveUpMs")
        client = passerelle.Client(
            scenario["baseUrl"],
            key,
            timeout=options.get("timeoutMs", 30_000) / 1000,
            tries=options.get("tries", 5),
            give_up_after=None if give_up_ms is None else give_up_ms / 1000,
        )
        try:
            with ThreadPoolExecutor(times) as pool:
                runs = [
                    pool.submit(run_step, client, step, {**known, "n": number}, key)
                    for number in range(times)
                ]
                results = [run.result() for run in runs]
        except Wrong as wrong:
            return f"step {index + 1}, {step['verb']}: {wrong}"
        except Exception:
            return f"step {index + 1}, {step['verb']}: {traceback.format_exc()}"
        if "as" in step:
            known[step["as"]] = results[0]
    return None


def run_step(
    client: passerelle.Client, step: Dict[str, Any], known: Dict[str, Any], key: str
) -> Any:
    told: List[str] = []
    try:
        result: Any = plain(call(client, step, fill(step.get("args", []), known), told.append))
        error = None
    except (passerelle.PasserelleError, ValueError) as problem:
        result, error = None, problem
    if error is not None:
        whole = "".join(traceback.format_exception(type(error), error, error.__traceback__))
        if key in f"{error!r} {error} {whole} {vars(error)!r}":
            raise Wrong("the key is in the error")
        result = {**plain(vars(error)), "type": kinds_of(error)}
    if "error" in step:
        wanted = fill(step["error"], known)
        if error is None:
            raise Wrong(f"no error but {json.dumps(result)[:500]}")
        if wanted["type"] not in result["type"]:
            raise Wrong(f"{type(error).__name__} instead of {wanted['type']}: {error}")
        compare({**result, "type": wanted["type"]}, wanted, "error")
    elif error is not None:
        raise error
    else:
        compare(result, fill(step.get("expect", {}), known), "result")
    ids = [(result or {}).get("externalTransactionId")] if isinstance(result, dict) else []
    if step["verb"] in ORDERS and ids != [None] and told != ids:
        raise Wrong(f"before_send was given {told}, and the order had {ids}")
    return result


def call(
    client: passerelle.Client, step: Dict[str, Any], args: List[Any], note: Callable[[str], None]
) -> Any:
    verb = step["verb"]
    if verb == "open":
        return passerelle.Client(*args[:2], language=args[2] if len(args) > 2 else None)
    name = re.sub("[A-Z]", lambda letter: "_" + letter.group().lower(), verb)
    options: Dict[str, Any] = {}
    if verb in ORDERS:
        options["before_send"] = note
    if verb == "waitForFinal" and len(args) > 1:
        options["timeout"] = args.pop()["timeoutMs"] / 1000
    if verb == "verifyWebhook":
        last = args.pop()
        options["now"] = last["nowS"]
        if "toleranceS" in last:
            options["tolerance_seconds"] = last["toleranceS"]
    source: Any = passerelle if verb in ("verifyWebhook", "newExternalId") else client
    result = getattr(source, name)(*args, **options)
    if "take" in step:
        return list(islice(result, step["take"]))
    return list(result) if hasattr(result, "__next__") else result


def kinds_of(error: BaseException) -> List[str]:
    if not isinstance(error, passerelle.PasserelleError):
        return ["ArgumentError"]
    kinds = [kind.__name__ for kind in type(error).__mro__]
    return kinds if isinstance(error, passerelle.OutcomeUnknownError) else ["GivenUp", *kinds]


def plain(value: Any) -> Any:
    """A value as JSON, with names as the table has them."""
    if dataclasses.is_dataclass(value):
        value = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return plain(value)
    if isinstance(value, dict):
        return {camel(name): plain(one) for name, one in value.items()}
    return [plain(one) for one in value] if isinstance(value, (list, tuple)) else value


def camel(name: str) -> str:
    # Names of the interface that have underscores begin with a capital or stay as they are.
    if name != name.lower():
        return name
    return re.sub("_([a-z])", lambda match: match.group(1).upper(), name)


def fill(value: Any, known: Dict[str, Any]) -> Any:
    if isinstance(value, dict):
        return {name: fill(one, known) for name, one in value.items()}
    if isinstance(value, list):
        return [fill(one, known) for one in value]
    if not isinstance(value, str):
        return value
    whole = re.fullmatch(r"\{([\w.]+)\}", value)
    if whole and has(known, whole.group(1)):
        return at(known, whole.group(1))
    return re.sub(
        r"\{([\w.]+)\}",
        lambda match: str(at(known, match.group(1))) if has(known, match.group(1)) else match[0],
        value,
    )


def has(known: Dict[str, Any], path: str) -> bool:
    return path.split(".")[0] in known


def at(known: Any, path: str) -> Any:
    for name in path.split("."):
        known = known[int(name)] if isinstance(known, list) else known[name]
    return known


def compare(found: Any, wanted: Any, where: str) -> None:
    if wanted == "$text":
        is_so = isinstance(found, str) and found != ""
    elif wanted == "$whole":
        is_so = type(found) is int
    elif wanted == "$any":
        is_so = found is not None
    elif wanted == "$absent":
        is_so = found is None
    elif isinstance(wanted, dict):
        if not isinstance(found, dict):
            raise Wrong(f"{where} is {json.dumps(found)}")
        for name, one in wanted.items():
            compare(found.get(name), one, f"{where}.{name}")
        return
    elif isinstance(wanted, list):
        if not isinstance(found, list) or len(found) != len(wanted):
            raise Wrong(f"{where} is {json.dumps(found)[:500]}, not {len(wanted)} long")
        for index, one in enumerate(wanted):
            compare(found[index], one, f"{where}.{index}")
        return
    else:
        is_so = found == wanted and type(found) is type(wanted)
    if not is_so:
        raise Wrong(f"{where} is {json.dumps(found)}, not {json.dumps(wanted)}")


def report(scenario: Dict[str, Any]) -> None:
    line = json.dumps({"name": scenario["name"], "problem": run_scenario(scenario)})
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> None:
    scenarios = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    together = [one for one in scenarios if not one.get("alone")]
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(report, together))
    for scenario in scenarios:
        if scenario.get("alone"):
            report(scenario)


if __name__ == "__main__":
    main()
