"""Pydantic AI, over chat completions and messages."""

import asyncio

from anthropic import AsyncAnthropic
from openai import AsyncOpenAI
from pydantic_ai import Agent
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider
from task import API_KEY, MODEL, QUESTION, URL, report, weather


def openai():
    return OpenAIProvider(openai_client=AsyncOpenAI(base_url=f"{URL}/v1", api_key=API_KEY, max_retries=0))


def anthropic():
    return AnthropicProvider(anthropic_client=AsyncAnthropic(base_url=URL, api_key=API_KEY, max_retries=0))


def conversation(make):
    async def run():
        agent = Agent(make(), tools=[weather])
        async with agent.run_stream(QUESTION) as result:
            return [piece async for piece in result.stream_text(delta=True, debounce_by=None)]

    return lambda: asyncio.run(run())


report(
    {
        "chat": conversation(lambda: OpenAIChatModel(MODEL, provider=openai())),
        "responses": conversation(lambda: OpenAIResponsesModel(MODEL, provider=openai())),
        "messages": conversation(lambda: AnthropicModel(MODEL, provider=anthropic())),
    }
)
