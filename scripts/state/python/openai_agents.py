"""OpenAI's Agents SDK: a session of 45 items, pop, clear; then agents with tools that go on by `previous_response_id`."""

import asyncio

from agents import Agent, OpenAIConversationsSession, OpenAIResponsesModel, Runner, function_tool, set_tracing_disabled
from openai import AsyncOpenAI, DefaultAsyncHttpxClient
from task import API_KEY, OTHER_URL, URL, Requests, check, for_each_host, sent

set_tracing_disabled(True)
TOOL_QUESTION = "What is the weather in Rome? Use the tool. @simulate scenario=tool-single"


def client_at(url, requests=None):
    hooks = {"request": [requests.async_hook]} if requests else {}
    http = DefaultAsyncHttpxClient(event_hooks=hooks)
    return AsyncOpenAI(base_url=url, api_key=API_KEY, max_retries=0, http_client=http)


async def session_of_45(client, other):
    session = OpenAIConversationsSession(openai_client=client)
    await session.add_items([{"role": "user", "content": f"item-{at}"} for at in range(45)])
    there = OpenAIConversationsSession(conversation_id=session.session_id, openai_client=other)
    for items in (await session.get_items(), await there.get_items()):
        assert [item["content"][0]["text"] for item in items] == [f"item-{at}" for at in range(45)], items
    assert [item["content"][0]["text"] for item in await session.get_items(limit=2)] == ["item-43", "item-44"]
    popped = await session.pop_item()
    assert popped["content"][0]["text"] == "item-44"
    assert len(await there.get_items()) == 44
    id = session.session_id
    await session.clear_session()
    assert await session.get_items() == [] and session.session_id != id


def agent_of(client, model, called):
    def weather(city: str) -> str:
        """The weather in a city."""
        called.append(city)
        return "21 degrees"

    return Agent(
        name="a",
        model=OpenAIResponsesModel(model=model, openai_client=client),
        tools=[function_tool(weather)],
    )


async def goes_on_by_id(model):
    """Turns with a tool; only what is new is sent, and the host has it all."""
    called = []
    requests = Requests()
    async with client_at(URL, requests) as client:
        await turns_by_id(agent_of(client, model, called), called, requests)


async def turns_by_id(agent, called, requests):
    first = await Runner.run(agent, TOOL_QUESTION, auto_previous_response_id=True, max_turns=4)
    assert len(called) == 1, called
    requests.only_refers("weather in Rome")
    assert first.last_response_id is not None
    second = Runner.run_streamed(agent, "And tomorrow?", previous_response_id=first.last_response_id, max_turns=4)
    async for _ in second.stream_events():
        pass
    assert str(second.final_output).strip() != ""
    requests.only_refers("weather in Rome", "21 degrees")
    for part in ("weather in Rome", "21 degrees", "And tomorrow"):
        assert part in sent(), part


async def goes_on_in_a_session(client, model):
    called = []
    agent = agent_of(client, model, called)
    session = OpenAIConversationsSession(openai_client=client)
    await Runner.run(agent, TOOL_QUESTION, session=session, max_turns=4)
    await Runner.run(agent, "And tomorrow?", session=session, max_turns=4)
    for part in ("weather in Rome", "21 degrees", "And tomorrow"):
        assert part in sent(), part
    kinds = [item.get("role") or item["type"] for item in await session.get_items()]
    wanted = ["user", "function_call", "function_call_output", "assistant", "user", "assistant"]
    assert [kind for kind in kinds if kind != "reasoning"] == wanted, kinds


async def with_clients(run):
    async with client_at(URL) as client, client_at(OTHER_URL) as other:
        await run(client, other)


def with_client(run):
    return lambda model: asyncio.run(with_clients(lambda client, _: run(client, model)))


check("openai-agents: a session of 45 items, pop, clear", lambda: asyncio.run(with_clients(session_of_45)))
for_each_host(
    "openai-agents",
    {
        "a tool, then previous_response_id": lambda model: asyncio.run(goes_on_by_id(model)),
        "a session": with_client(goes_on_in_a_session),
    },
)
