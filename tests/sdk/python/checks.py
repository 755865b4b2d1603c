"""The official Python SDKs against any deployment: the same checks as in JavaScript. Prints a list of verdicts as JSON."""

import json
import os
import traceback

import anthropic
import openai
from google import genai
from google.genai import errors, types
from pydantic import BaseModel

URL = os.environ["TRIVIUM_URL"]
API_KEY = os.environ["TRIVIUM_API_KEY"]
MODEL = os.environ["TRIVIUM_MODEL"]
SIMULATED = os.environ.get("TRIVIUM_SIMULATED") == "1"
WANTED = [name for name in os.environ.get("TRIVIUM_CHECKS", "").split(",") if name]
TIMEOUT_S = 100

QUESTION = "Where do three roads meet? Answer in one short sentence."
TASK = "What is the weather in Rome, in degrees? Use the tool."
RESULT = "21 degrees"
FAILING = "scenario=text-long words=40 tps=30 fault=error-frame-mid after=5"
LONG = "scenario=text-long words=4000 tps=300"
LONG_QUESTION = "Count from 1 to 500 in words, separated by commas."
CITY = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}
CHECKS = []


class City(BaseModel):
    city: str


def check(sdk, name):
    def add(function):
        CHECKS.append((sdk, name, function))
        return function

    return add


def saying(question, instruction=""):
    return f"{question} @simulate {instruction}" if SIMULATED and instruction else question


def says(text, what="the answer"):
    assert text and text.strip(), f"{what} is empty"


def counts(*tokens):
    for count in tokens:
        assert isinstance(count, int) and count > 0, f"usage says {count}"


def fails(call, kind, status=None):
    try:
        ended = call()
    except kind as error:
        seen = getattr(error, "status_code", None) or getattr(error, "code", None)
        assert status is None or seen == status, f"status {seen}, not {status}"
        return
    raise AssertionError(f"it did not fail: {str(ended)[:200]}")


def iterated(stream, seen, stop_after=None):
    for item in stream:
        seen.append(item)
        if stop_after is not None and len(seen) >= stop_after:
            break


# ---------------------------------------------------------------- openai, chat


CHAT = "python openai chat"
RESPONSES = "python openai responses"


def oai(key=API_KEY):
    return openai.OpenAI(base_url=f"{URL}/api/v1", api_key=key, max_retries=0, timeout=TIMEOUT_S)


def chat(question, instruction="", **more):
    return {"model": MODEL, "messages": [{"role": "user", "content": saying(question, instruction)}], **more}


CHAT_TOOL = {"type": "function", "function": {"name": "weather", "description": "Weather.", "parameters": CITY}}


@check(CHAT, "plain")
def _():
    completion = oai().chat.completions.create(**chat(QUESTION))
    says(completion.choices[0].message.content)
    says(completion._request_id, "the request id")
    counts(completion.usage.prompt_tokens, completion.usage.completion_tokens)


@check(CHAT, "stream")
def _():
    text = ""
    with oai().chat.completions.stream(**chat(QUESTION, stream_options={"include_usage": True})) as stream:
        for event in stream:
            if event.type == "content.delta":
                text += event.delta
        final = stream.get_final_completion()
    says(text)
    assert final.choices[0].message.content == text
    counts(final.usage.completion_tokens)


@check(CHAT, "tools")
def _():
    body = chat(TASK, tools=[CHAT_TOOL])
    message = oai().chat.completions.create(**body, tool_choice="required").choices[0].message
    assert message.tool_calls, "no tool was called"
    assert "city" in json.loads(message.tool_calls[0].function.arguments)
    results = [{"role": "tool", "tool_call_id": call.id, "content": RESULT} for call in message.tool_calls]
    after = oai().chat.completions.create(**{**body, "messages": [*body["messages"], message, *results]})
    says(after.choices[0].message.content)


@check(CHAT, "thinking")
def _():
    body = chat(QUESTION, "scenario=reasoning", reasoning_effort="medium")
    message = oai().chat.completions.create(**body).choices[0].message
    if SIMULATED:
        says(message.model_extra.get("reasoning"), "the reasoning")
    turns = [*body["messages"], message, {"role": "user", "content": "Why?"}]
    says(oai().chat.completions.create(**{**body, "messages": turns}).choices[0].message.content)


@check(CHAT, "structured")
def _():
    parsed = oai().chat.completions.parse(**chat("Name a city."), response_format=City).choices[0].message.parsed
    says(parsed.city)


@check(CHAT, "error before")
def _():
    fails(lambda: oai("sk-nobody").chat.completions.create(**chat(QUESTION)), openai.AuthenticationError, 401)
    body = {**chat(QUESTION), "model": "no/such", "stream": True}
    fails(lambda: oai().chat.completions.create(**body), openai.NotFoundError, 404)


@check(CHAT, "error during")
def _():
    if not SIMULATED:
        return False
    seen = []
    fails(lambda: iterated(oai().chat.completions.create(**chat(QUESTION, FAILING), stream=True), seen), openai.APIError)
    assert len(seen) > 2, "nothing came before the error"


@check(CHAT, "abort")
def _():
    stream = oai().chat.completions.create(**chat(LONG_QUESTION, LONG), stream=True)
    iterated(stream, [], 3)
    stream.close()


@check(CHAT, "list")
def _():
    assert MODEL in [model.id for model in oai().models.list()], f"{MODEL} is not listed"


# ---------------------------------------------------------------- openai, responses


def asking(question, instruction="", **more):
    message = {"role": "user", "content": saying(question, instruction)}
    return {"model": MODEL, "input": [message], "store": False, **more}


TOOL = {"type": "function", "name": "weather", "description": "Weather.", "parameters": CITY, "strict": True}


def sent_back(output):
    hidden = {"parsed", "parsed_arguments"}
    return [item.model_dump(exclude_none=True, exclude=hidden) for item in output]


@check(RESPONSES, "plain")
def _():
    response = oai().responses.create(**asking(QUESTION))
    says(response.output_text)
    counts(response.usage.input_tokens, response.usage.output_tokens)


@check(RESPONSES, "stream")
def _():
    text = ""
    with oai().responses.stream(**asking(QUESTION)) as stream:
        for event in stream:
            if event.type == "response.output_text.delta":
                text += event.delta
        final = stream.get_final_response()
    says(text)
    assert final.output_text == text


@check(RESPONSES, "tools")
def _():
    body = asking(TASK, tools=[TOOL])
    first = oai().responses.create(**body, tool_choice="required")
    calls = [item for item in first.output if item.type == "function_call"]
    assert calls, "no tool was called"
    results = [{"type": "function_call_output", "call_id": call.call_id, "output": RESULT} for call in calls]
    turns = [*body["input"], *sent_back(first.output), *results]
    says(oai().responses.create(**{**body, "input": turns}).output_text)


@check(RESPONSES, "thinking")
def _():
    more = {"reasoning": {"effort": "medium", "summary": "auto"}, "include": ["reasoning.encrypted_content"]}
    body = asking(QUESTION, "scenario=reasoning", **more)
    first = oai().responses.create(**body)
    if SIMULATED:
        says(next(item.summary[0].text for item in first.output if item.type == "reasoning"), "the summary")
    turns = [*body["input"], *sent_back(first.output), {"role": "user", "content": "Why?"}]
    says(oai().responses.create(**{**body, "input": turns}).output_text)


@check(RESPONSES, "structured")
def _():
    says(oai().responses.parse(**asking("Name a city."), text_format=City).output_parsed.city)


@check(RESPONSES, "error before")
def _():
    fails(lambda: oai("sk-nobody").responses.create(**asking(QUESTION)), openai.AuthenticationError, 401)
    fails(lambda: oai().responses.create(**{**asking(QUESTION), "model": "no/such"}), openai.NotFoundError, 404)


@check(RESPONSES, "error during")
def _():
    if not SIMULATED:
        return False
    seen = []
    fails(lambda: iterated(oai().responses.create(**asking(QUESTION, FAILING), stream=True), seen), openai.APIError)
    assert len(seen) > 2, "nothing came before the error"


@check(RESPONSES, "abort")
def _():
    stream = oai().responses.create(**asking(LONG_QUESTION, LONG), stream=True)
    iterated(stream, [], 8)
    stream.close()


# ---------------------------------------------------------------- anthropic


MESSAGES = "python anthropic"


def ant(key=API_KEY):
    return anthropic.Anthropic(base_url=f"{URL}/api/anthropic", api_key=key, max_retries=0, timeout=TIMEOUT_S)


def message(question, instruction="", **more):
    turn = {"role": "user", "content": saying(question, instruction)}
    return {"model": MODEL, "max_tokens": 4096, "messages": [turn], **more}


def text_of(answer):
    return "".join(block.text for block in answer.content if block.type == "text")


MESSAGES_TOOL = {"name": "weather", "description": "Weather.", "input_schema": CITY}


@check(MESSAGES, "plain")
def _():
    answer = ant().messages.create(**message(QUESTION))
    says(text_of(answer))
    says(answer._request_id, "the request id")
    counts(answer.usage.input_tokens, answer.usage.output_tokens)


@check(MESSAGES, "stream")
def _():
    with ant().messages.stream(**message(QUESTION)) as stream:
        text = "".join(stream.text_stream)
        final = stream.get_final_message()
    says(text)
    assert text_of(final) == text


@check(MESSAGES, "tools")
def _():
    body = message(TASK, tools=[MESSAGES_TOOL])
    first = ant().messages.create(**body, tool_choice={"type": "any"})
    calls = [block for block in first.content if block.type == "tool_use"]
    assert calls, "no tool was called"
    results = [{"type": "tool_result", "tool_use_id": call.id, "content": RESULT} for call in calls]
    turns = [*body["messages"], {"role": "assistant", "content": first.content}, {"role": "user", "content": results}]
    says(text_of(ant().messages.create(**{**body, "messages": turns})))


@check(MESSAGES, "thinking")
def _():
    body = message(QUESTION, "scenario=reasoning", thinking={"type": "enabled", "budget_tokens": 2048})
    with ant().messages.stream(**body) as stream:
        first = stream.get_final_message()
    if SIMULATED:
        says(next(block.signature for block in first.content if block.type == "thinking"), "the signature")
    turns = [*body["messages"], {"role": "assistant", "content": first.content}, {"role": "user", "content": "Why?"}]
    says(text_of(ant().messages.create(**{**body, "messages": turns})))


@check(MESSAGES, "structured")
def _():
    says(ant().messages.parse(**message("Name a city."), output_format=City).parsed_output.city)


@check(MESSAGES, "error before")
def _():
    fails(lambda: ant("sk-nobody").messages.create(**message(QUESTION)), anthropic.AuthenticationError, 401)
    fails(lambda: ant().messages.create(**{**message(QUESTION), "model": "no/such"}), anthropic.NotFoundError, 404)


@check(MESSAGES, "error during")
def _():
    if not SIMULATED:
        return False
    seen = []

    def read():
        with ant().messages.stream(**message(QUESTION, FAILING)) as stream:
            iterated(stream.text_stream, seen)

    fails(read, anthropic.APIError)
    assert seen, "nothing came before the error"


@check(MESSAGES, "abort")
def _():
    with ant().messages.stream(**message(LONG_QUESTION, LONG)) as stream:
        iterated(stream.text_stream, [], 3)


@check(MESSAGES, "list")
def _():
    assert MODEL in [model.id for model in ant().models.list(limit=1000)], f"{MODEL} is not listed"


@check(MESSAGES, "count")
def _():
    body = message(QUESTION)
    counts(ant().messages.count_tokens(model=MODEL, messages=body["messages"]).input_tokens)


# ---------------------------------------------------------------- google-genai


GENAI = "python google-genai"
OPTIONS = types.HttpOptions(base_url=f"{URL}/api/vertex-ai", api_version="v1", timeout=TIMEOUT_S * 1000)
GOOGLE = genai.Client(vertexai=True, api_key=API_KEY, http_options=OPTIONS)
NOBODY = genai.Client(vertexai=True, api_key="sk-nobody", http_options=OPTIONS)
DECLARED = types.FunctionDeclaration(name="weather", description="Weather.", parameters_json_schema=CITY)
TOOLS = [types.Tool(function_declarations=[DECLARED])]
MANUAL = types.AutomaticFunctionCallingConfig(disable=True)
FORCED = types.ToolConfig(function_calling_config=types.FunctionCallingConfig(mode="ANY"))


@check(GENAI, "plain")
def _():
    response = GOOGLE.models.generate_content(model=MODEL, contents=QUESTION)
    says(response.text)
    counts(response.usage_metadata.prompt_token_count, response.usage_metadata.candidates_token_count)


@check(GENAI, "stream")
def _():
    says("".join(chunk.text or "" for chunk in GOOGLE.models.generate_content_stream(model=MODEL, contents=QUESTION)))


@check(GENAI, "tools")
def _():
    config = types.GenerateContentConfig(tools=TOOLS, automatic_function_calling=MANUAL)
    forced = config.model_copy(update={"tool_config": FORCED})
    contents = [types.Content(role="user", parts=[types.Part(text=TASK)])]
    first = GOOGLE.models.generate_content(model=MODEL, contents=contents, config=forced)
    assert first.function_calls, "no tool was called"
    results = [
        types.Part(function_response=types.FunctionResponse(id=call.id, name=call.name, response={"output": RESULT}))
        for call in first.function_calls
    ]
    turns = [*contents, first.candidates[0].content, types.Content(role="user", parts=results)]
    says(GOOGLE.models.generate_content(model=MODEL, contents=turns, config=config).text)


@check(GENAI, "thinking")
def _():
    thinking = types.ThinkingConfig(include_thoughts=True, thinking_budget=2048)
    talk = GOOGLE.chats.create(model=MODEL, config=types.GenerateContentConfig(thinking_config=thinking))
    parts = []
    for chunk in talk.send_message_stream(saying(QUESTION, "scenario=reasoning")):
        parts += chunk.candidates[0].content.parts or []
    if SIMULATED:
        says("".join(part.text or "" for part in parts if part.thought), "the thoughts")
    says(talk.send_message("Why?").text)


@check(GENAI, "structured")
def _():
    config = types.GenerateContentConfig(response_mime_type="application/json", response_schema=City)
    says(GOOGLE.models.generate_content(model=MODEL, contents="Name a city.", config=config).parsed.city)


@check(GENAI, "chats")
def _():
    talk = GOOGLE.chats.create(model=MODEL)
    says("".join(chunk.text or "" for chunk in talk.send_message_stream(QUESTION)))
    assert [content.role for content in talk.get_history(curated=True)][:2] == ["user", "model"]
    says(talk.send_message("Why?").text)


@check(GENAI, "error before")
def _():
    fails(lambda: NOBODY.models.generate_content(model=MODEL, contents=QUESTION), errors.ClientError, 401)
    fails(lambda: GOOGLE.models.generate_content(model="no/such", contents=QUESTION), errors.ClientError, 404)


@check(GENAI, "error during")
def _():
    if not SIMULATED:
        return False
    seen = []
    contents = saying(QUESTION, FAILING)
    fails(lambda: iterated(GOOGLE.models.generate_content_stream(model=MODEL, contents=contents), seen), Exception)
    assert seen, "nothing came before the error"


@check(GENAI, "abort")
def _():
    stream = GOOGLE.models.generate_content_stream(model=MODEL, contents=saying(LONG_QUESTION, LONG))
    iterated(stream, [], 3)
    stream.close()


@check(GENAI, "list")
def _():
    name = MODEL.split("/", 1)[1]
    assert any((model.name or "").endswith(name) for model in GOOGLE.models.list()), f"{MODEL} is not listed"


@check(GENAI, "count")
def _():
    counts(GOOGLE.models.count_tokens(model=MODEL, contents=QUESTION).total_tokens)


def verdict(sdk, name, function):
    try:
        return {"sdk": sdk, "check": name, "result": "left out" if function() is False else "passed"}
    except Exception as error:  # noqa: BLE001 - every failure is the result
        reason = f"{type(error).__name__}: {error}" if str(error) else traceback.format_exc(limit=3)
        return {"sdk": sdk, "check": name, "result": "failed", "reason": reason}


print(json.dumps([verdict(*each) for each in CHECKS if not WANTED or each[1] in WANTED]))
