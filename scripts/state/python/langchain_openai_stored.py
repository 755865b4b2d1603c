"""LangChain's client for OpenAI with `use_previous_response_id`: three turns with a tool, of which each sends what is new."""

from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from openai import DefaultHttpxClient
from task import API_KEY, URL, Requests, for_each_host, sent


@tool
def weather(city: str) -> str:
    """The weather in a city."""
    return "21 degrees"


def turns(is_streamed):
    def run(model):
        requests = Requests()
        client = ChatOpenAI(
            model=model,
            base_url=URL,
            api_key=API_KEY,
            max_retries=0,
            http_client=DefaultHttpxClient(event_hooks={"request": [requests.hook]}),
            use_responses_api=True,
            use_previous_response_id=True,
        )
        bound = client.bind_tools([weather])
        messages = []

        def turn(*more):
            messages.extend(more)
            if is_streamed:
                answer = None
                for chunk in bound.stream(messages):
                    answer = chunk if answer is None else answer + chunk
            else:
                answer = bound.invoke(messages)
            messages.append(answer)
            return answer

        first = turn(HumanMessage("What is the weather in Rome? Use the tool. @simulate scenario=tool-single"))
        assert len(first.tool_calls) == 1, first
        assert first.response_metadata["id"].startswith("resp_"), first.response_metadata
        call = first.tool_calls[0]
        second = turn(ToolMessage(weather.invoke(call["args"]), tool_call_id=call["id"]))
        requests.only_refers("weather in Rome")
        third = turn(HumanMessage("And tomorrow?"))
        requests.only_refers("weather in Rome", "21 degrees")
        for answer in (second, third):
            assert answer.text.strip() != "" and answer.response_metadata["id"].startswith("resp_"), answer
        for part in ("weather in Rome", "21 degrees", "And tomorrow"):
            assert sent().count(part) >= 1, part

    return run


for_each_host("langchain-openai", {"three turns with a tool": turns(False), "the same, streamed": turns(True)})
