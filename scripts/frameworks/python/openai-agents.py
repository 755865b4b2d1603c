"""OpenAI's Agents SDK, over chat completions and Responses."""

import asyncio

from agents import (
    Agent,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    Runner,
    function_tool,
    set_tracing_disabled,
)
from openai import AsyncOpenAI
from openai.types.responses import ResponseTextDeltaEvent
from task import API_KEY, MODEL, QUESTION, URL, report, weather

set_tracing_disabled(True)


def conversation(kind):
    async def run():
        client = AsyncOpenAI(base_url=f"{URL}/v1", api_key=API_KEY, max_retries=0)
        agent = Agent(name="a", model=kind(model=MODEL, openai_client=client), tools=[function_tool(weather)])
        result = Runner.run_streamed(agent, QUESTION, max_turns=4)
        pieces = []
        async for event in result.stream_events():
            if event.type == "raw_response_event" and isinstance(event.data, ResponseTextDeltaEvent):
                pieces.append(event.data.delta)
        return pieces

    return lambda: asyncio.run(run())


report({"chat": conversation(OpenAIChatCompletionsModel), "responses": conversation(OpenAIResponsesModel)})
