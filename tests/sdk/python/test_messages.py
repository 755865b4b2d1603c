"""The official Anthropic SDK for Python as the judge. Prints one JSON object: case name -> what the SDK saw, or its error."""

import anthropic
from cases import API_KEY, MODELS, PARAMETERS, THINKERS, TOOL_NAMES, URL, case, case_for, report, saying

OWN = "anthropic/claude-sonnet-4-5"
TOOLS = [{"name": name, "input_schema": PARAMETERS} for name in TOOL_NAMES]


def client(api_key=API_KEY):
    return anthropic.Anthropic(base_url=f"{URL}/api/anthropic", api_key=api_key, max_retries=0, timeout=20)


def asking(model, instruction, **more):
    return {"model": model, "max_tokens": 4096, "messages": [{"role": "user", "content": saying(instruction)}], **more}


def text_of(message):
    return "".join(block.text for block in message.content if block.type == "text")


def with_results(body, message):
    results = [
        {"type": "tool_result", "tool_use_id": block.id, "content": "21 degrees"}
        for block in message.content
        if block.type == "tool_use"
    ]
    turns = [{"role": "assistant", "content": message.content}, {"role": "user", "content": results}]
    return {**body, "messages": [*body["messages"], *turns]}


@case_for(MODELS)
def plain(model):
    message = client().messages.create(**asking(model, "scenario=text-basic"))
    return {
        "text": text_of(message),
        "stop": message.stop_reason,
        "output": message.usage.output_tokens,
        "id": message.id,
        "request_id": message._request_id,
    }


@case_for(MODELS)
def streamed(model):
    whole = text_of(client().messages.create(**asking(model, "scenario=unicode")))
    raw = ""
    for event in client().messages.create(**asking(model, "scenario=unicode"), stream=True):
        if event.type == "content_block_delta":
            raw += event.delta.text
    with client().messages.stream(**asking(model, "scenario=unicode")) as stream:
        pieces = "".join(stream.text_stream)
        final = stream.get_final_message()
    return {
        "same": raw == pieces == text_of(final) == whole,
        "stop": final.stop_reason,
        "output": final.usage.output_tokens,
    }


@case_for(MODELS)
def tools(model):
    body = asking(model, "scenario=tools-parallel", tools=TOOLS)
    message = client().messages.create(**body)
    with client().messages.stream(**body) as stream:
        final = stream.get_final_message()
    return {
        "calls": [{"name": block.name, "input": block.input} for block in message.content if block.type == "tool_use"],
        "streamed": [{"name": block.name, "input": block.input} for block in final.content if block.type == "tool_use"],
        "after": text_of(client().messages.create(**with_results(body, message))),
        "after_streamed": text_of(client().messages.create(**with_results(body, final))),
    }


@case_for([*MODELS, "openai/gpt-4o-r"])
def tool_runner(model):
    calls = []

    @anthropic.beta_tool
    def weather(city: str) -> str:
        """The weather."""
        calls.append("weather")
        return f"21 degrees in {city}"

    body = asking(model, "scenario=tool-single", tools=[weather])
    return {"after": text_of(client().beta.messages.tool_runner(**body).until_done()), "calls": calls}


@case
def tool_runner_streamed():
    calls = []

    @anthropic.beta_tool
    def weather(city: str) -> str:
        """The weather."""
        calls.append("weather")
        return f"21 degrees in {city}"

    body = asking("google/gemini-2.5-flash", "scenario=tool-single", tools=[weather])
    turns = [turn.get_final_message() for turn in client().beta.messages.tool_runner(**body, stream=True)]
    return {"stops": [turn.stop_reason for turn in turns], "after": text_of(turns[-1]), "calls": calls}


@case_for(THINKERS)
def thinking(model):
    body = asking(
        model, "scenario=reasoning-tools", tools=TOOLS, thinking={"type": "enabled", "budget_tokens": 2048}
    )
    with client().messages.stream(**body) as stream:
        final = stream.get_final_message()
    thoughts = [block for block in final.content if block.type == "thinking"]
    return {
        "thoughts": "".join(block.thinking for block in thoughts),
        "signed": all(block.signature for block in thoughts),
        "after": text_of(client().messages.create(**with_results(body, final))),
    }


def failure(call):
    try:
        call()
    except anthropic.APIStatusError as error:
        return {"class": type(error).__name__, "status": error.status_code, "request_id": error.request_id}
    return {"class": None}


@case
def error_400():
    return failure(lambda: client().messages.create(**asking(OWN, "", extra_body={"temperature": "warm"})))


@case
def error_401():
    return failure(lambda: client("sk-nobody").messages.create(**asking(OWN, "")))


@case
def error_404():
    return failure(lambda: client().messages.create(**asking("no/such", "")))


@case
def error_429():
    return failure(lambda: client().messages.create(**asking(OWN, "status=429")))


@case
def error_502():
    return failure(lambda: client().messages.create(**asking(OWN, "status=500")))


@case_for(MODELS)
def mid_stream_error(model):
    pieces = []
    try:
        with client().messages.stream(**asking(model, "scenario=text-long tps=200 fault=error-frame-mid after=5")) as stream:
            for piece in stream.text_stream:
                pieces.append(piece)
    except anthropic.APIError as error:
        return {"failed": isinstance(error, anthropic.APIError), "text": "".join(pieces)}
    return {"failed": False}


@case
def models():
    ids = [model.id for model in client().models.list()]
    return {"listed": OWN in ids, "id": client().models.retrieve(OWN).id}


report(anthropic.__version__)
