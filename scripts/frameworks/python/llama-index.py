"""LlamaIndex, over chat completions."""

from llama_index.core.llms import ChatMessage
from llama_index.core.tools import FunctionTool
from llama_index.llms.openai_like import OpenAILike
from task import API_KEY, MODEL, QUESTION, URL, report, weather

TOOL = FunctionTool.from_defaults(fn=weather)


def conversation():
    model = OpenAILike(
        model=MODEL,
        api_base=f"{URL}/v1",
        api_key=API_KEY,
        is_chat_model=True,
        is_function_calling_model=True,
        max_retries=0,
    )
    turns = [ChatMessage(role="user", content=QUESTION)]
    answer = None
    for answer in model.stream_chat_with_tools([TOOL], chat_history=turns):
        pass
    turns.append(answer.message)
    for call in model.get_tool_calls_from_response(answer):
        result = TOOL(**call.tool_kwargs)
        turns.append(ChatMessage(role="tool", content=str(result), additional_kwargs={"tool_call_id": call.tool_id}))
    return [chunk.delta or "" for chunk in model.stream_chat_with_tools([TOOL], chat_history=turns)]


report({"chat": conversation})
