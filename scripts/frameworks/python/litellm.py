"""LiteLLM as a client library, over chat completions and messages."""

import json
import sys

sys.path[0] = ""  # this file has the library's name

import litellm

sys.path[0] = __file__.rsplit("/", 1)[0]
from task import API_KEY, MODEL, QUESTION, URL, report, weather

TOOL = {
    "type": "function",
    "function": {
        "name": "weather",
        "description": "The weather in a city.",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
        },
    },
}


def conversation(provider, base):
    def ask(turns):
        return litellm.completion(
            model=f"{provider}/{MODEL}",
            api_base=base,
            api_key=API_KEY,
            messages=turns,
            tools=[TOOL],
            stream=True,
            # Without it the library sends the largest figure of its own table, beyond what some models take.
            max_tokens=4096,
            num_retries=0,
        )

    def run():
        turns = [{"role": "user", "content": QUESTION}]
        whole = litellm.stream_chunk_builder(list(ask(turns)), messages=turns)
        message = whole.choices[0].message
        turns.append(message.model_dump())
        for call in message.tool_calls or []:
            result = weather(**json.loads(call.function.arguments))
            turns.append({"role": "tool", "tool_call_id": call.id, "content": result})
        return [chunk.choices[0].delta.content or "" for chunk in ask(turns) if chunk.choices]

    return run


report({"chat": conversation("openai", f"{URL}/v1"), "messages": conversation("anthropic", URL)})
