"""LangChain, with its own client for each protocol."""

import sys

sys.path[0] = ""  # this file has the framework's name

from langchain_anthropic import ChatAnthropic
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_google_genai import ChatGoogleGenerativeAI
from langchain_openai import ChatOpenAI

sys.path[0] = __file__.rsplit("/", 1)[0]
from task import API_KEY, MODEL, QUESTION, URL, report, weather

TOOL = tool(weather)


def conversation(model):
    bound = model.bind_tools([TOOL])
    turns = [HumanMessage(QUESTION)]
    answer = None
    for chunk in bound.stream(turns):
        answer = chunk if answer is None else answer + chunk
    turns.append(answer)
    for call in answer.tool_calls:
        turns.append(ToolMessage(TOOL.invoke(call["args"]), tool_call_id=call["id"]))
    return [chunk.text if isinstance(chunk.text, str) else chunk.text() for chunk in bound.stream(turns)]


report(
    {
        "chat": lambda: conversation(ChatOpenAI(model=MODEL, base_url=f"{URL}/v1", api_key=API_KEY, max_retries=0)),
        "responses": lambda: conversation(
            ChatOpenAI(model=MODEL, base_url=f"{URL}/v1", api_key=API_KEY, max_retries=0, use_responses_api=True)
        ),
        "messages": lambda: conversation(ChatAnthropic(model=MODEL, base_url=URL, api_key=API_KEY, max_retries=0)),
        "genai": lambda: conversation(
            ChatGoogleGenerativeAI(model=MODEL, base_url=URL, google_api_key=API_KEY, max_retries=1)
        ),
    }
)
