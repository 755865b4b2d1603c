"""The official OpenAI SDK for Python as the judge. Prints one JSON object: case name -> what the SDK saw, or its error."""

import json
import os
import traceback

import openai
from pydantic import BaseModel

BASE_URL = os.environ["TRIVIUM_BASE_URL"]
API_KEY = os.environ["TRIVIUM_API_KEY"]
MODEL = "openai/gpt-4o"

CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


def client(api_key=API_KEY):
    return openai.OpenAI(base_url=BASE_URL, api_key=api_key, max_retries=0, timeout=20)


def asking(instruction, **more):
    content = f"Where do three roads meet? @simulate {instruction}"
    return {"model": MODEL, "messages": [{"role": "user", "content": content}], **more}


def tools(strict=False):
    parameters = {
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
        **({"additionalProperties": False} if strict else {}),
    }
    return [
        {"type": "function", "function": {"name": name, "parameters": parameters, **({"strict": True} if strict else {})}}
        for name in ["weather", "clock", "news"]
    ]


def calls_of(message):
    return [
        {"id": call.id, "name": call.function.name, "arguments": json.loads(call.function.arguments)}
        for call in message.tool_calls or []
    ]


class Weather(BaseModel):
    city: str
    degrees: int


@case
def plain():
    completion = client().chat.completions.create(**asking("scenario=text-basic"))
    return {
        "content": completion.choices[0].message.content,
        "finish": completion.choices[0].finish_reason,
        "total": completion.usage.total_tokens,
        "id": completion.id,
        "request_id": completion._request_id,
        "model": completion.model,
    }


@case
def streamed():
    whole = client().chat.completions.create(**asking("scenario=unicode"))
    text, finish, usages = "", None, 0
    for chunk in client().chat.completions.create(**asking("scenario=unicode"), stream=True):
        text += chunk.choices[0].delta.content or ""
        finish = chunk.choices[0].finish_reason or finish
        usages += chunk.usage is not None
    return {"same": text == whole.choices[0].message.content, "length": len(text), "finish": finish, "usages": usages}


@case
def include_usage():
    body = asking("scenario=cached-usage", stream=True, stream_options={"include_usage": True})
    chunks = list(client().chat.completions.create(**body))
    usage = chunks[-1].usage
    return {
        "choices": len(chunks[-1].choices),
        "prompt": usage.prompt_tokens,
        "completion": usage.completion_tokens,
        "total": usage.total_tokens,
        "cached": usage.prompt_tokens_details.cached_tokens,
        "reasoning": usage.completion_tokens_details.reasoning_tokens,
    }


@case
def stream_helper():
    body = asking("scenario=text-long words=20", stream_options={"include_usage": True})
    deltas = []
    with client().chat.completions.stream(**body) as stream:
        for event in stream:
            if event.type == "content.delta":
                deltas.append(event.delta)
        final = stream.get_final_completion()
    content = final.choices[0].message.content
    return {"words": len(content.split(" ")), "same": "".join(deltas) == content, "completion": final.usage.completion_tokens}


@case
def parallel_tools():
    completion = client().chat.completions.create(**asking("scenario=tools-parallel", tools=tools()))
    message = completion.choices[0].message
    results = [{"role": "tool", "tool_call_id": call.id, "content": "21 degrees"} for call in message.tool_calls]
    after = client().chat.completions.create(
        model=MODEL, tools=tools(), messages=[{"role": "user", "content": "Weather?"}, message, *results]
    )
    return {"calls": calls_of(message), "content": message.content, "after": after.choices[0].message.content}


@case
def interleaved_tools():
    with client().chat.completions.stream(**asking("scenario=tools-parallel-interleaved", tools=tools())) as stream:
        final = stream.get_final_completion()
    return {"calls": calls_of(final.choices[0].message), "finish": final.choices[0].finish_reason}


@case
def strict_tools():
    with client().chat.completions.stream(**asking("scenario=tools-parallel", tools=tools(True))) as stream:
        done = [event.name for event in stream if event.type == "tool_calls.function.arguments.done"]
        final = stream.get_final_completion()
    return {"calls": calls_of(final.choices[0].message), "done": done}


@case
def parse():
    completion = client().chat.completions.parse(**asking(""), response_format=Weather)
    parsed = completion.choices[0].message.parsed
    return {"city": parsed.city, "degrees": parsed.degrees}


@case
def parse_stream():
    with client().chat.completions.stream(**asking(""), response_format=Weather) as stream:
        parsed = stream.get_final_completion().choices[0].message.parsed
    return {"city": parsed.city, "degrees": parsed.degrees}


def failure(call):
    try:
        call()
    except openai.APIStatusError as error:
        return {
            "class": type(error).__name__,
            "status": error.status_code,
            "request_id": error.request_id,
            "type": error.body.get("type") if isinstance(error.body, dict) else None,
            "param": error.param,
        }
    return {"class": None}


@case
def error_400():
    return failure(lambda: client().chat.completions.create(**asking(""), temperature="warm"))


@case
def error_401():
    return failure(lambda: client("sk-nobody").chat.completions.create(**asking("")))


@case
def error_404():
    return failure(lambda: client().chat.completions.create(**{**asking(""), "model": "no/such"}))


@case
def error_429():
    return failure(lambda: client().chat.completions.create(**asking("status=429")))


@case
def error_429_streamed():
    return failure(lambda: client().chat.completions.create(**asking("status=429"), stream=True))


@case
def error_502():
    return failure(lambda: client().chat.completions.create(**asking("status=500")))


@case
def error_503():
    return failure(lambda: client().chat.completions.create(**asking("status=503")))


@case
def mid_stream_error():
    pieces = []
    try:
        body = asking("scenario=text-long tps=200 fault=error-frame-mid after=5", stream=True)
        for chunk in client().chat.completions.create(**body):
            pieces.append(chunk.choices[0].delta.content or "")
    except openai.APIError as error:
        return {"class": type(error).__name__, "text": "".join(pieces), "type": error.type}
    return {"class": None}


@case
def mid_stream_reset():
    pieces = []
    try:
        body = asking("scenario=text-long tps=200 fault=reset-mid-stream after=5", stream=True)
        for chunk in client().chat.completions.create(**body):
            pieces.append(chunk.choices[0].delta.content or "")
    except openai.APIError as error:
        return {"class": type(error).__name__, "text": "".join(pieces), "type": error.type}
    return {"class": None}


@case
def models():
    ids = [model.id for model in client().models.list()]
    one = client().models.retrieve(MODEL)
    unknown = failure(lambda: client().models.retrieve("no/such"))
    return {"listed": MODEL in ids, "id": one.id, "object": one.object, "unknown": unknown["class"]}


@case
def abort():
    """Last: leaves the newest entry of the upstream's log to the driver."""
    stream = client().chat.completions.create(**asking("scenario=text-long words=5000 tps=200"), stream=True)
    seen = 0
    for _ in stream:
        seen += 1
        if seen == 5:
            break
    stream.close()
    return {"seen": seen}


def run(function):
    try:
        return {"ok": function()}
    except Exception:  # noqa: BLE001 - every failure is the result
        return {"failed": traceback.format_exc(limit=4)}


print(json.dumps({"version": openai.__version__, "cases": {name: run(function) for name, function in CASES.items()}}))
