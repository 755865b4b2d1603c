"""The official Google Gen AI SDK for Python as the judge. Prints one JSON object: case name -> what the SDK saw, or its error."""

from functools import cache

from cases import API_KEY, MODELS, PARAMETERS, THINKERS, TOOL_NAMES, URL, case, case_for, report, saying
from google import genai
from google.genai import errors, types

OWN = "google/gemini-2.5-flash"
TOOLS = [
    types.Tool(
        function_declarations=[
            types.FunctionDeclaration(name=name, parameters_json_schema=PARAMETERS) for name in TOOL_NAMES
        ]
    )
]
MANUAL = types.AutomaticFunctionCallingConfig(disable=True)


@cache
def client(api_key=API_KEY):
    """Kept in a global: an unreferenced client closes itself during a running call."""
    options = types.HttpOptions(base_url=f"{URL}/api/vertex-ai", api_version="v1", timeout=20_000)
    return genai.Client(vertexai=True, api_key=api_key, http_options=options)


def results_of(calls):
    return [
        types.Part(
            function_response=types.FunctionResponse(id=call.id, name=call.name, response={"output": "21 degrees"})
        )
        for call in calls
    ]


@case_for(MODELS)
def plain(model):
    response = client().models.generate_content(model=model, contents=saying("scenario=text-basic"))
    return {
        "text": response.text,
        "finish": response.candidates[0].finish_reason.name,
        "output": response.usage_metadata.candidates_token_count,
        "model": response.model_version,
    }


@case_for(MODELS)
def streamed(model):
    whole = client().models.generate_content(model=model, contents=saying("scenario=unicode"))
    chunks = list(client().models.generate_content_stream(model=model, contents=saying("scenario=unicode")))
    return {
        "same": "".join(chunk.text or "" for chunk in chunks) == whole.text,
        "finish": chunks[-1].candidates[0].finish_reason.name,
        "total": chunks[-1].usage_metadata.total_token_count == whole.usage_metadata.total_token_count,
    }


@case_for(MODELS)
def chat(model):
    talk = client().chats.create(model=model)
    first = "".join(chunk.text or "" for chunk in talk.send_message_stream(saying("scenario=text-long words=12")))
    second = talk.send_message("And where do two meet?")
    return {"words": len(first.split(" ")), "second": second.text, "history": talk.get_history()[0].role}


@case_for(MODELS)
def tools(model):
    config = types.GenerateContentConfig(tools=TOOLS, automatic_function_calling=MANUAL)
    talk = client().chats.create(model=model, config=config)
    response = talk.send_message(saying("scenario=tools-parallel"))
    calls = response.function_calls
    return {
        "calls": [{"name": call.name, "input": call.args} for call in calls],
        "after": talk.send_message(results_of(calls)).text,
    }


@case_for(THINKERS)
def thinking(model):
    config = types.GenerateContentConfig(
        tools=TOOLS,
        automatic_function_calling=MANUAL,
        thinking_config=types.ThinkingConfig(include_thoughts=True, thinking_budget=2048),
    )
    talk = client().chats.create(model=model, config=config)
    chunks = list(talk.send_message_stream(saying("scenario=reasoning-tools")))
    parts = [part for chunk in chunks for part in (chunk.candidates[0].content.parts or [])]
    calls = [part.function_call for part in parts if part.function_call]
    return {
        "thoughts": "".join(part.text or "" for part in parts if part.thought),
        "calls": [call.name for call in calls],
        "after": talk.send_message(results_of(calls)).text,
    }


def failure(call):
    try:
        call()
    except errors.APIError as error:
        headers = error.response.headers if error.response is not None else {}
        return {"class": type(error).__name__, "status": error.code, "request_id": headers.get("x-request-id")}
    return {"class": None}


def asked(instruction, model=OWN, api_key=API_KEY):
    return client(api_key).models.generate_content(model=model, contents=saying(instruction))


@case
def error_400():
    bad = types.GenerateContentConfig(temperature=99)
    return failure(lambda: client().models.generate_content(model=OWN, contents=saying(""), config=bad))


@case
def error_401():
    return failure(lambda: asked("", api_key="sk-nobody"))


@case
def error_404():
    return failure(lambda: asked("", model="no/such"))


@case
def error_429():
    return failure(lambda: asked("status=429"))


@case
def error_502():
    return failure(lambda: asked("status=500"))


@case_for(MODELS)
def mid_stream_error(model):
    pieces = []
    contents = saying("scenario=text-long tps=200 fault=error-frame-mid after=5")
    try:
        for chunk in client().models.generate_content_stream(model=model, contents=contents):
            pieces.append(chunk.text or "")
    except Exception as error:  # noqa: BLE001 - which class is the question
        return {"failed": True, "class": type(error).__name__, "text": "".join(pieces)}
    return {"failed": False, "text": "".join(pieces)}


@case
def models():
    names = [model.name for model in client().models.list()]
    return {"listed": any(name.endswith("gemini-2.5-flash") for name in names), "id": client().models.get(model=OWN).name}


report(genai.__version__)
